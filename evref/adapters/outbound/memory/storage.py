"""Memory needs no preparation and is always available."""

from evref.adapters.outbound.memory.state import MemoryState
from evref.ports import storage


class MemoryStorage(storage.StorageHealth, storage.StorageSchema, storage.StorageConnections):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def prepare(self) -> None:
        pass

    def verify(self) -> None:
        pass

    def ping(self) -> None:
        with self._state.lock:
            pass

    def close(self) -> None:
        pass
