"""Storage as a whole: its health, its schema and its connections."""

from abc import ABC, abstractmethod


class StorageHealth(ABC):
    """Checks whether storage works."""

    @abstractmethod
    def ping(self) -> None:
        """Check that storage accepts writes now.

        Raises:
            StorageUnavailableError: If it does not.

        """

    def warnings(self) -> list[str]:
        """Return warnings for the operator about the setup of this storage, one line each.

        By default there are none.

        Raises:
            StorageUnavailableError: If the setup cannot be read now.

        """
        return []


class StorageSchema(ABC):
    """Creates, migrates and checks the schema of storage."""

    @abstractmethod
    def prepare(self) -> None:
        """Create or migrate the storage. Preserves all data; safe to repeat.

        Raises:
            StorageNotReadyError: If a newer version of the service created the storage.

        """

    @abstractmethod
    def verify(self) -> None:
        """Check that the storage fits this version of the service.

        Raises:
            StorageNotReadyError: If it must first be created, migrated or replaced.

        """


class StorageConnections(ABC):
    """Holds the connections to storage, which are opened on demand."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections, before a fork or the end of the process. They reopen on demand."""
