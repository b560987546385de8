"""Share a secret: what cookies are signed with, the same for all who serve."""

from evref.ports.randomness import Randomness
from evref.ports.secrets import SharedSecrets

_NAME = "cookies"


class ShareSecret:
    """Gives the operator's secret where there is one, else one that is made once and kept."""

    def __init__(self, secrets: SharedSecrets, randomness: Randomness, given: str | None) -> None:
        self._secrets = secrets
        self._randomness = randomness
        self._secret = given

    def __call__(self) -> str:
        """At least 32 characters; storage is asked until it has answered once.

        Raises:
            StorageUnavailableError: when it has to be asked and does not answer.

        """
        if self._secret is None:
            candidate = f"{self._randomness.below(2**256):064x}"
            self._secret = self._secrets.keep(_NAME, candidate)
        return self._secret
