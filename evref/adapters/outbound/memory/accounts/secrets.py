"""Secrets that all workers share, here within one process."""

from evref.adapters.outbound.memory.state import MemoryPart
from evref.ports.accounts import secrets


class MemorySharedSecrets(MemoryPart, secrets.SharedSecrets):
    def keep(self, name: str, candidate: str) -> str:
        with self._state.lock:
            return self._state.secrets.setdefault(name, candidate)
