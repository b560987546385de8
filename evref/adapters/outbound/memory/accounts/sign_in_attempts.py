"""Failed sign-in attempts by name."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.accounts.sign_in import Failures
from evref.ports.accounts import sign_in_attempts


class MemorySignInAttempts(MemoryPart, sign_in_attempts.SignInAttempts):
    def get(self, names: Collection[str]) -> Mapping[str, Failures]:
        return {name: self._state.failures.get(name, Failures()) for name in names}

    def change(
        self,
        names: Collection[str],
        change: Callable[[Mapping[str, Failures]], Mapping[str, Failures]],
    ) -> None:
        kept = self._state.failures
        with self._state.lock:
            after = change(self.get(names))
            for name in names:
                if after[name] == Failures():
                    kept.pop(name, None)
                else:
                    kept[name] = after[name]

    def remove_older(self, kind: str, instant: datetime) -> None:
        with self._state.lock:
            for name, failures in list(self._state.failures.items()):
                if name.startswith(f"{kind}:") and (
                    failures.last_at is None or failures.last_at < instant
                ):
                    del self._state.failures[name]
