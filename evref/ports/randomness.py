"""Randomness fit for secrets."""

from abc import ABC, abstractmethod


class Randomness(ABC):
    """A cryptographic source of numbers."""

    @abstractmethod
    def below(self, bound: int) -> int:
        """A whole number from 0 to `bound` - 1, each as likely as another."""
