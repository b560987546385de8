"""How long something lasts, although clocks differ and may jump."""

from datetime import datetime, timedelta

CLOCK_DIFFERENCE = timedelta(minutes=1)
"""The clocks of two machines may differ by this much. A later time is from a clock that jumped."""


def is_within(start: datetime, length: timedelta, instant: datetime) -> bool:
    """Return whether what began at `start` lasts at this instant.

    If the clock jumped forward at the start and is right again, it has ended: it would otherwise
    last longer by the jump.
    """
    return start - CLOCK_DIFFERENCE <= instant < start + length
