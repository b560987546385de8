"""Publish a catalogue: check files, serve them, write them back."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from evref.domain.catalogue.catalogue import Catalogue, CatalogueChanges
from evref.domain.errors import NoCatalogueError, StorageUnavailableError
from evref.ports.catalogue import CatalogueStore, Publication
from evref.ports.catalogue_files import CatalogueFiles, Progress
from evref.ports.clock import Clock


@dataclass(frozen=True, slots=True)
class Published:
    """What is served from now on, and how it differs from what was."""

    publication: Publication
    changes: CatalogueChanges


class PublishCatalogue:
    """Takes the catalogue from files to storage and back."""

    def __init__(
        self, store: CatalogueStore, files: CatalogueFiles, clock: Clock, bundled: Path
    ) -> None:
        self._store = store
        self._files = files
        self._clock = clock
        self._bundled = bundled

    def check(self, paths: Iterable[Path], progress: Progress) -> Catalogue:
        """The catalogue in these files and folders; changes nothing.

        Raises:
            InvalidCatalogueError: with every fault.

        """
        return self._files.read(paths, progress)

    def not_read(self, paths: Iterable[Path]) -> tuple[str, ...]:
        """The names of what is in these folders and is not read as a catalogue file."""
        return self._files.not_read(paths)

    def load(self, path: Path, progress: Progress) -> Published:
        """Serve the catalogue in this file or folder instead of the present one.

        Raises:
            InvalidCatalogueError: with every fault; the present catalogue is then kept.

        """
        catalogue = self._files.read([path], progress)
        before = self._served_before()
        publication = Publication(catalogue, self._clock.now())
        self._store.publish(publication)
        return Published(
            publication, catalogue.changes_since(None if before is None else before.catalogue)
        )

    def _served_before(self) -> Publication | None:
        try:
            return self._store.load()
        except StorageUnavailableError:
            # A damaged catalogue must not stand in the way of the one that replaces it; where
            # it is the storage that is out of reach, publishing says so.
            return None

    def load_bundled_where_none(self, progress: Progress) -> Published | None:
        """Serve the bundled catalogue where none is served yet; None where one is."""
        # Looked at first, because reading the files takes longer than all else.
        if self._store.version() is not None:
            return None
        catalogue = self._files.read([self._bundled], progress)
        publication = Publication(catalogue, self._clock.now())
        if not self._store.publish_first(publication):
            return None
        return Published(publication, catalogue.changes_since(None))

    def export(self, folder: Path) -> Catalogue:
        """Write the served catalogue into a folder, and return it.

        Raises:
            NoCatalogueError: when none is served.
            InvalidCatalogueError: when the folder cannot take it.

        """
        catalogue = self.status().catalogue
        self._files.write(catalogue, folder)
        return catalogue

    def status(self) -> Publication:
        """What is served, as storage has it.

        Raises:
            NoCatalogueError: when none is.

        """
        publication = self._store.load()
        if publication is None:
            raise NoCatalogueError
        return publication
