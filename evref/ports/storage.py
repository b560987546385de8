"""The life of the storage as a whole."""

from abc import ABC, abstractmethod


class Storage(ABC):
    """Creates, checks and watches the place where everything is kept."""

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

    @abstractmethod
    def ping(self) -> None:
        """Pass silently when the storage would take a write now.

        Raises:
            StorageUnavailableError: when it would not.

        """

    @abstractmethod
    def close(self) -> None:
        """Let go of connections, before the process forks or ends; they come back on demand."""

    def warnings(self) -> list[str]:
        """What an operator should know of how this storage is set up; each is one line.

        By default there is nothing to say.

        Raises:
            StorageUnavailableError: when it cannot be found out now.

        """
        return []
