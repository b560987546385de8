"""Secrets that all workers share, here within one process."""

from evref.adapters.outbound.memory.state import MemoryState
from evref.ports.accounts import secrets


class MemorySharedSecrets(secrets.SharedSecrets):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def keep(self, name: str, candidate: str) -> str:
        with self._state.lock:
            return self._state.secrets.setdefault(name, candidate)
