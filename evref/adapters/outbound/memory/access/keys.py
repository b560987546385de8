"""API keys by id."""

from collections.abc import Collection, Mapping

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.access.keys import KeyChanges, Keys


class MemoryKeys(MemoryPart, Keys):
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
        return tuple(sorted(self._state.keys.values(), key=lambda key: (key.created_at, key.id)))

    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        return tuple(key for key in self.list() if key.institution_id == institution_id)

    def caps(self, institution_id: str) -> KeyCaps:
        return self._state.caps.get(institution_id, KeyCaps())


class MemoryKeyChanges(MemoryKeys, KeyChanges):
    def add(self, key: ApiKey) -> None:
        if key.institution_id not in self._state.institutions:
            raise NotFoundError("institution", key.institution_id)
        if key.id in self._state.keys:
            raise AlreadyExistsError("API key", key.id)
        self._store(key)

    def set_caps(self, institution_id: str, caps: KeyCaps) -> None:
        if institution_id not in self._state.institutions:
            raise NotFoundError("institution", institution_id)
        self._state.caps[institution_id] = caps

    def replace(self, key: ApiKey) -> None:
        for secret in self.get(key.id).secrets:
            del self._state.key_ids_by_digest[secret.digest]
        self._store(key)

    def _store(self, key: ApiKey) -> None:
        self._state.keys[key.id] = key
        self._state.key_ids_by_digest |= {secret.digest: key.id for secret in key.secrets}
