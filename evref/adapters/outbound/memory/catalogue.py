"""Published catalogues, stored as the published objects."""

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.snomed import LoadedMap
from evref.domain.errors import CatalogueReplacedError
from evref.ports.catalogue import (
    CATALOGUES_KEPT,
    KEPT_FOR,
    PUBLICATIONS_KEPT,
    CatalogueChanges,
    PublishedCatalogue,
)


class MemoryPublishedCatalogue(MemoryPart, PublishedCatalogue):
    # Readers need no lock: the stored object is replaced, never changed.

    def publication_id(self) -> str | None:
        made = self._state.publications_made
        return f"{made}-{self._state.maps_replaced}" if made else None

    def history(self) -> tuple[Publication, ...]:
        return tuple(publication for publication, _ in self._state.publications)

    def load(self, version: str | None = None) -> Catalogue | None:
        for publication, catalogue in self._state.publications:
            if version in {None, publication.version}:
                return catalogue
        return None

    def loaded_map(self) -> LoadedMap | None:
        return self._state.loaded_map


class MemoryCatalogueChanges(MemoryPart, CatalogueChanges):
    def publish(
        self, catalogue: Catalogue, publication: Publication, *, replacing: str | None
    ) -> None:
        earlier, oldest = self._state.publications, publication.published_at - KEPT_FOR
        if (earlier[0][0].version if earlier else None) != replacing:
            raise CatalogueReplacedError
        self._state.publications = tuple(
            (made, stored if number < CATALOGUES_KEPT else None)
            for number, (made, stored) in enumerate([(publication, catalogue), *earlier])
            if number < PUBLICATIONS_KEPT or made.published_at >= oldest
        )
        self._state.publications_made += 1

    def replace_map(self, loaded: LoadedMap | None) -> None:
        self._state.loaded_map = loaded
        self._state.maps_replaced += 1
