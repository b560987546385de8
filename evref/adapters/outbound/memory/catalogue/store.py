"""Published catalogues, stored as the published objects."""

from evref.adapters.outbound.memory.state import MemoryState
from evref.domain.audit import AuditEntry
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import CatalogueReplacedError
from evref.ports.catalogue.store import PUBLICATIONS_KEPT, CatalogueStore, Publication


class MemoryCatalogueStore(CatalogueStore):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def version(self) -> str | None:
        # Readers need no lock: the stored object is replaced, never changed.
        kept = self._state.publications
        return kept[0][0].version if kept else None

    def load(self) -> Catalogue | None:
        kept = self._state.publications
        return kept[0][1] if kept else None

    def publish(
        self,
        catalogue: Catalogue,
        publication: Publication,
        entry: AuditEntry,
        *,
        replacing: str | None,
    ) -> None:
        with self._state.lock:
            if self.version() != replacing:
                raise CatalogueReplacedError
            kept = ((publication, catalogue), *self._state.publications)
            self._state.publications = kept[:PUBLICATIONS_KEPT]
            self._state.audit.append(entry)

    def history(self) -> tuple[Publication, ...]:
        return tuple(publication for publication, _ in self._state.publications)

    def load_version(self, version: str) -> Catalogue | None:
        kept = self._state.publications
        return next((each for publication, each in kept if publication.version == version), None)
