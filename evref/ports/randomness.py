"""Randomness fit for secrets."""

from abc import ABC, abstractmethod


class Randomness(ABC):
    """A cryptographically secure source of random numbers."""

    @abstractmethod
    def below(self, bound: int) -> int:
        """Return a uniformly distributed integer from 0 to `bound` - 1."""
