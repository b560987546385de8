"""API keys by id."""

from collections.abc import Callable, Collection, Iterable, Mapping

from evref.adapters.outbound.memory.state import MemoryState
from evref.domain.access.key import ApiKey
from evref.domain.audit import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.access import keys


class MemoryKeyStore(keys.KeyStore):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def add(self, key: ApiKey, entry: AuditEntry) -> None:
        with self._state.lock:
            if key.institution_id not in self._state.institutions:
                raise NotFoundError("institution", key.institution_id)
            if key.id in self._state.keys:
                raise AlreadyExistsError("API key", key.id)
            self._state.keep_key(key)
            self._state.audit.append(entry)

    def get(self, key_id: str) -> ApiKey:
        try:
            return self._state.keys[key_id]
        except KeyError:
            raise NotFoundError("API key", key_id) from None

    def by_digests(self, digests: Collection[str]) -> Mapping[str, ApiKey]:
        with self._state.lock:
            ids = self._state.key_ids_by_digest
            return {digest: self._state.keys[ids[digest]] for digest in digests if digest in ids}

    def list(self) -> tuple[ApiKey, ...]:
        with self._state.lock:
            return _ordered(self._state.keys.values())

    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        return tuple(key for key in self.list() if key.institution_id == institution_id)

    def change(
        self, key_id: str, change: Callable[[ApiKey], tuple[ApiKey, AuditEntry] | None]
    ) -> ApiKey:
        with self._state.lock:
            before = self.get(key_id)
            changed = change(before)
            if changed is None:
                return before
            after, entry = changed
            self._state.keep_key(after)
            self._state.audit.append(entry)
        return after


def _ordered(found: Iterable[ApiKey]) -> tuple[ApiKey, ...]:
    return tuple(sorted(found, key=lambda key: (key.created_at, key.id)))
