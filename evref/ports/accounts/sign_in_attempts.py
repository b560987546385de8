"""Counters of failed sign-ins."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from evref.domain.accounts.sign_in import Failures


class SignInAttempts(ABC):
    """Stores failures by name, such as of an account or an address, for all workers."""

    @abstractmethod
    def get(self, names: Collection[str]) -> Mapping[str, Failures]:
        """Return one entry per name, `Failures()` if nothing is stored."""

    @abstractmethod
    def change(
        self,
        names: Collection[str],
        change: Callable[[Mapping[str, Failures]], Mapping[str, Failures]],
    ) -> None:
        """Atomically replace the failures of these names with the result of `change`.

        `change` receives what `get` returns, and returns one entry for each name. No other change
        of these names happens between reading and writing. If `change` raises an exception, it
        propagates and nothing is changed.
        """

    @abstractmethod
    def remove_older(self, kind: str, instant: datetime) -> None:
        """Remove the entries whose last failure was before this time, and whose name begins with
        this kind and a colon.
        """
