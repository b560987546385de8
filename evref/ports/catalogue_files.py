"""Catalogue files, as contributors write them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path

from evref.domain.catalogue.catalogue import Catalogue

Progress = Callable[[int, int], None]
"""Told after each file: how many are done, of how many."""


class CatalogueFiles(ABC):
    """Reads and writes the file format of the catalogue."""

    @abstractmethod
    def read(self, paths: Iterable[Path], progress: Progress) -> Catalogue:
        """The catalogue in these files and folders.

        Raises:
            InvalidCatalogueError: with every fault: first those of paths that lead to no file,
                then those of each file by line; also when there is no file at all.

        """

    @abstractmethod
    def not_read(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """The names of what is in these folders and `read` does not read, for people."""

    @abstractmethod
    def write(self, catalogue: Catalogue, folder: Path) -> None:
        """Write one file a diagnosis, that read back to a catalogue of the same version.

        The folder is made where there is none.

        Raises:
            InvalidCatalogueError: when the folder has other catalogue files, which reading it
                back would mix in, or cannot be written; nothing is then changed.

        """
