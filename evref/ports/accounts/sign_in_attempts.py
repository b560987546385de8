"""Counters of failed sign-ins."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from evref.domain.accounts.sign_in import Failures


class SignInAttempts(ABC):
    """Stores failures by name, such as that of an account or an address, for all workers."""

    @abstractmethod
    def change(
        self,
        names: Collection[str],
        change: Callable[[Mapping[str, Failures]], Mapping[str, Failures]],
    ) -> None:
        """Atomically replace the failures of these names with the result of `change`.

        `change` receives one entry per name, `Failures()` if nothing is stored, and returns one
        for each. No other change of these names happens between reading and writing. If `change`
        raises an exception, it propagates and nothing is changed.
        """

    @abstractmethod
    def remove_older(self, instant: datetime) -> None:
        """Remove all entries whose last failure was before this time."""
