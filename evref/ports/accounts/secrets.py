"""Storage of secrets that all workers share."""

from abc import ABC, abstractmethod


class SharedSecrets(ABC):
    """Stores secrets by name; a stored secret never changes."""

    @abstractmethod
    def keep(self, name: str, candidate: str) -> str:
        """Store the candidate unless a secret has this name; return the stored secret.

        Concurrent calls all return the same secret.
        """
