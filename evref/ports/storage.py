"""Storage as a whole: whether it works, what it has to look like, and its connections."""

from abc import ABC, abstractmethod


class StorageHealth(ABC):
    """Says whether the storage works."""

    @abstractmethod
    def ping(self) -> None:
        """Pass silently when the storage would take a write now.

        Raises:
            StorageUnavailableError: when it would not.

        """

    def warnings(self) -> list[str]:
        """What an operator should know of how this storage is set up; each is one line.

        By default there is nothing to say.

        Raises:
            StorageUnavailableError: when it cannot be found out now.

        """
        return []


class StorageSchema(ABC):
    """Creates and checks the place where everything is kept."""

    @abstractmethod
    def prepare(self) -> None:
        """Create what is missing, or migrate what is older; keeps all data, safe to repeat.

        Raises:
            StorageNotReadyError: when the storage was made by a newer version than this.

        """

    @abstractmethod
    def verify(self) -> None:
        """Pass silently when the storage is as this version of the code needs it.

        Raises:
            StorageNotReadyError: when it must first be created, migrated or replaced.

        """


class StorageConnections(ABC):
    """Holds the connections to the storage, which are made on demand."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections, before the process forks or ends; new ones are made on demand."""
