"""Lifetimes, with clocks that differ between machines and may jump."""

from datetime import datetime, timedelta

CLOCK_DIFFERENCE = timedelta(minutes=1)
"""The clocks of two machines may differ by this much. A later time is from a clock that jumped."""


def is_within(start: datetime, length: timedelta, instant: datetime) -> bool:
    """Return whether a lifetime that began at `start` includes this instant.

    It has ended if `start` is too far ahead, because the clock at the start would prolong it.
    """
    return start - CLOCK_DIFFERENCE <= instant < start + length
