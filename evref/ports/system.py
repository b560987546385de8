"""The time, and random numbers for secrets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import datetime


class Clock(ABC):
    @abstractmethod
    def now(self) -> datetime:
        """Return the current time in UTC."""

    @abstractmethod
    def monotonic(self) -> float:
        """Return seconds since an arbitrary moment; never decreases, even if the clock is set."""


class Randomness(ABC):
    """A cryptographically secure source of random numbers."""

    @abstractmethod
    def below(self, bound: int) -> int:
        """Return a uniformly distributed integer from 0 to `bound` - 1."""
