"""Catalogue files, as contributors write them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.retractions import Retraction
from evref.domain.errors import EvrefError

Progress = Callable[[int, int], None]
"""Called after each file with the number of files done and the total."""


@dataclass(frozen=True, slots=True)
class FileFault:
    """An error in a catalogue file; `line` counts from 1, or is None for the whole file."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"


class InvalidCatalogueError(EvrefError):
    """Indicates errors in catalogue files; `faults` has every one, by file and line."""

    def __init__(self, faults: Sequence[FileFault]) -> None:
        self.faults = tuple(faults)
        count = len(self.faults)
        super().__init__(f"{count} error{'' if count == 1 else 's'} in the catalogue files.")


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
    def read_retractions(self, path: Path) -> tuple[Retraction, ...]:
        """Return the notices in a list of Retraction Watch.

        Raises:
            InvalidCatalogueError: If the file cannot be read, or is not such a list.

        """

    @abstractmethod
    def write(self, catalogue: Catalogue, folder: Path) -> None:
        """Write one file per diagnosis; reading them returns a catalogue of the same version.

        Creates the folder if it does not exist.

        Raises:
            InvalidCatalogueError: If the folder has other catalogue files, which would be read too,
                or cannot be written. Nothing is changed, unless the process is killed.

        """
