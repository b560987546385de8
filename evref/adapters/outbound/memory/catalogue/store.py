"""Published catalogues, stored as the published objects."""

from evref.adapters.outbound.memory.state import MemoryState
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import CatalogueReplacedError
from evref.ports.catalogue.published import (
    PUBLICATIONS_KEPT,
    CatalogueChanges,
    Publication,
    PublishedCatalogue,
)


class MemoryPublishedCatalogue(PublishedCatalogue):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def version(self) -> str | None:
        # Readers need no lock: the stored object is replaced, never changed.
        kept = self._state.publications
        return kept[0][0].version if kept else None

    def load(self) -> Catalogue | None:
        kept = self._state.publications
        return kept[0][1] if kept else None

    def history(self) -> tuple[Publication, ...]:
        return tuple(publication for publication, _ in self._state.publications)

    def load_version(self, version: str) -> Catalogue | None:
        kept = self._state.publications
        return next((each for publication, each in kept if publication.version == version), None)


class MemoryCatalogueChanges(CatalogueChanges):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def publish(
        self, catalogue: Catalogue, publication: Publication, *, replacing: str | None
    ) -> None:
        if MemoryPublishedCatalogue(self._state).version() != replacing:
            raise CatalogueReplacedError
        kept = ((publication, catalogue), *self._state.publications)
        self._state.publications = kept[:PUBLICATIONS_KEPT]
