"""Catalogue files, as contributors write them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path

from evref.domain.catalogue.catalogue import Catalogue

Progress = Callable[[int, int], None]
"""Called after each file with the number of files done and the total."""


class CatalogueFiles(ABC):
    """Reads and writes the file format of the catalogue."""

    @abstractmethod
    def read(self, paths: Iterable[Path], progress: Progress) -> Catalogue:
        """Return the catalogue in these files and folders.

        Raises:
            InvalidCatalogueError: If a path does not exist, a file is invalid, or there is no file.
                It has every error: first those of the paths, then those of each file by line.

        """

    @abstractmethod
    def not_read(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """Return the names of the files in these folders that `read` skips, for display."""

    @abstractmethod
    def write(self, catalogue: Catalogue, folder: Path) -> None:
        """Write one file per diagnosis; reading them returns a catalogue of the same version.

        Creates the folder if it does not exist.

        Raises:
            InvalidCatalogueError: If the folder has other catalogue files, which would be read too,
                or cannot be written. Nothing is changed.

        """
