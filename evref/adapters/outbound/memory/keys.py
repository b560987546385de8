"""API keys by id, and their ids by the digest of their token."""

from collections.abc import Callable

from evref.adapters.outbound.memory.state import MemoryState
from evref.domain.access.key import ApiKey
from evref.domain.accounts.institution import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports import keys


class MemoryKeyStore(keys.KeyStore):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def add(self, key: ApiKey, digest: str, entry: AuditEntry) -> None:
        with self._state.lock:
            if key.id in self._state.keys:
                raise AlreadyExistsError("API key", key.id)
            self._state.keys[key.id] = key
            self._state.key_ids_by_digest[digest] = key.id
            self._state.audit.append(entry)

    def get(self, key_id: str) -> ApiKey:
        try:
            return self._state.keys[key_id]
        except KeyError:
            raise NotFoundError("API key", key_id) from None

    def by_digest(self, digest: str) -> ApiKey | None:
        with self._state.lock:
            key_id = self._state.key_ids_by_digest.get(digest)
            return None if key_id is None else self._state.keys[key_id]

    def list(self, institution_id: str | None = None) -> tuple[ApiKey, ...]:
        with self._state.lock:
            found = [
                key
                for key in self._state.keys.values()
                if institution_id is None or key.institution_id == institution_id
            ]
        return tuple(sorted(found, key=lambda key: (key.created_at, key.id)))

    def change(
        self, key_id: str, change: Callable[[ApiKey], tuple[ApiKey, AuditEntry] | None]
    ) -> ApiKey:
        with self._state.lock:
            before = self.get(key_id)
            changed = change(before)
            if changed is None:
                return before
            after, entry = changed
            self._state.keys[key_id] = after
            self._state.audit.append(entry)
        return after
