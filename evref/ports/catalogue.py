"""The current catalogue and earlier catalogues, and the files of contributors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.snomed import LoadedMap, SnomedMap
from evref.domain.errors import EvrefError

CATALOGUES_KEPT = 20
"""The number of publications whose catalogues are stored, including the current one."""

PUBLICATIONS_KEPT = 100
KEPT_FOR = timedelta(days=400)
"""A publication is stored while it is one of the newest `PUBLICATIONS_KEPT` or this recent."""


class PublishedCatalogue(ABC):
    """Reads the current catalogue, which all processes share, and earlier catalogues."""

    @abstractmethod
    def publication_id(self) -> str | None:
        """Return an id of the current publication, or None if there is none. Fast.

        Every publication, also of an earlier catalogue, and every change of the map has a new id.
        """

    @abstractmethod
    def load(self, version: str | None = None) -> Catalogue | None:
        """Return the catalogue of this version, by default the current one; None if not stored.

        If the stored data is damaged, raise `StorageUnavailableError`.
        """

    @abstractmethod
    def history(self) -> tuple[Publication, ...]:
        """Return the stored publications, newest first, which is the current one.

        The catalogues of the first `CATALOGUES_KEPT` are stored too. Each publication removes those
        that are both older than `KEPT_FOR` and beyond the newest `PUBLICATIONS_KEPT`.
        """

    @abstractmethod
    def loaded_map(self) -> LoadedMap | None:
        """Return the map of SNOMED CT, or None if there is none. All catalogues share it.

        If the stored data is damaged, raise `StorageUnavailableError`.
        """


class CatalogueChanges(ABC):
    """Publishes catalogues and the map of SNOMED CT, as part of a unit of work."""

    @abstractmethod
    def publish(
        self, catalogue: Catalogue, publication: Publication, *, replacing: str | None
    ) -> None:
        """Publish this catalogue.

        Readers see the earlier or the new catalogue, never a mixture, without waiting. `replacing`
        is the version that the publisher expects to replace, or None. Of concurrent publishers that
        replace the same version, only one succeeds. The same catalogue can be published again,
        which repairs damaged data in storage.

        If another version is current, raise `CatalogueReplacedError`.
        """

    @abstractmethod
    def replace_map(self, loaded: LoadedMap | None) -> None:
        """Replace the whole map of SNOMED CT; None removes it. Repairs a damaged map."""


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
    """Indicates errors in the named files; `faults` contains them by file and line."""

    def __init__(self, faults: Sequence[FileFault], files: str = "the catalogue files") -> None:
        self.faults = tuple(faults)
        count = len(self.faults)
        super().__init__(f"{count} error{'' if count == 1 else 's'} in {files}.")


@dataclass(frozen=True, slots=True)
class MapFile:
    """The map in a file, and the number of rows of each other reference set, by its id."""

    map: SnomedMap
    left_out: Mapping[str, int]


class CatalogueFiles(ABC):
    """Reads and writes the file format of the catalogue."""

    @abstractmethod
    def read(self, paths: Iterable[Path]) -> Catalogue:
        """Return the catalogue in these files and folders.

        If a path does not exist, a file is invalid, or there is no file, raise
        `InvalidCatalogueError`. It contains first the errors of the paths, then those of each file
        by line: at least one of each record that has any.
        """

    @abstractmethod
    def not_read(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """Return the names of the files in these folders that `read` skips, for display."""

    @abstractmethod
    def read_snomed_map(self, path: Path, refset: str | None) -> MapFile:
        """Return the map of SNOMED CT to ICD-10 in a file, which may be in an archive.

        `refset` is the id of the reference set to read; by default a known one, or the only one.
        If the file or any of its rows cannot be read, raise `InvalidCatalogueError` with the first
        error.
        """

    @abstractmethod
    def write(self, catalogue: Catalogue, folder: Path) -> None:
        """Write one file per diagnosis; reading them returns a catalogue of the same version.

        Creates the folder if it does not exist. If the folder is not empty, or the files cannot be
        written, raise `InvalidCatalogueError`.
        """
