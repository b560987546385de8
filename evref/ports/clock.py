"""The time of day, and time that only moves forward."""

from abc import ABC, abstractmethod
from datetime import datetime


class Clock(ABC):
    """Tells the time."""

    @abstractmethod
    def now(self) -> datetime:
        """The present instant, in UTC."""

    @abstractmethod
    def monotonic(self) -> float:
        """Seconds since some moment; never goes back, whatever happens to the time of day."""
