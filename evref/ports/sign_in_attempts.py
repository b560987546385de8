"""Where failed attempts to sign in are counted."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from evref.domain.accounts.sign_in import Failures


class SignInAttempts(ABC):
    """Keeps failures by name, such as of an account or an address, for all who serve."""

    @abstractmethod
    def change(
        self,
        names: Collection[str],
        change: Callable[[Mapping[str, Failures]], Mapping[str, Failures]],
    ) -> None:
        """Replace the failures of these names by what `change` makes of them.

        It is given one entry a name, `Failures()` where nothing is kept, and gives back one for
        each. No other change of any of them comes between reading and writing. What `change`
        raises passes through, and nothing is then changed.
        """

    @abstractmethod
    def remove_older(self, instant: datetime) -> None:
        """Forget all failures of which the last was before this instant."""
