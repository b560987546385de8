"""Where a secret is kept that all who serve must share."""

from abc import ABC, abstractmethod


class SharedSecrets(ABC):
    """Keeps secrets by name, each for ever."""

    @abstractmethod
    def keep(self, name: str, candidate: str) -> str:
        """Keep the candidate where nothing is kept under this name yet; give back what is kept.

        Of many who ask at once, all are given the same.
        """
