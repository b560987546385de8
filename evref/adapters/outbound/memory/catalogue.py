"""The published catalogue, as the object that was published."""

from evref.adapters.outbound.memory.state import MemoryState
from evref.ports import catalogue


class MemoryCatalogueStore(catalogue.CatalogueStore):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def version(self) -> str | None:
        publication = self._state.publication
        return None if publication is None else publication.catalogue.version

    def load(self) -> catalogue.Publication | None:
        return self._state.publication

    def publish(self, publication: catalogue.Publication) -> None:
        # Against who publishes a first one; readers need no lock, as binding a name is atomic.
        with self._state.lock:
            self._state.publication = publication

    def publish_first(self, publication: catalogue.Publication) -> bool:
        with self._state.lock:
            if self._state.publication is not None:
                return False
            self._state.publication = publication
            return True
