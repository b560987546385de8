"""The time of day, and a monotonic time."""

from abc import ABC, abstractmethod
from datetime import datetime


class Clock(ABC):
    """A source of time."""

    @abstractmethod
    def now(self) -> datetime:
        """Return the current time in UTC."""

    @abstractmethod
    def monotonic(self) -> float:
        """Return seconds since an arbitrary moment; never decreases, even if the clock is set."""
