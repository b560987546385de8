"""The secret that signs cookies, the same in all processes."""

from evref.ports.accounts.secrets import SharedSecrets
from evref.ports.randomness import Randomness

_NAME = "cookies"


class CookieSecret:
    """Returns the operator's secret, or else one that is created once and stored."""

    def __init__(self, secrets: SharedSecrets, randomness: Randomness, given: str | None) -> None:
        self._secrets = secrets
        self._randomness = randomness
        self._secret = given

    def __call__(self) -> str:
        """Return the secret, at least 32 characters; read from storage until that succeeds once.

        Raises:
            StorageUnavailableError: If storage is needed and unavailable.

        """
        if self._secret is None:
            candidate = f"{self._randomness.below(2**256):064x}"
            self._secret = self._secrets.keep(_NAME, candidate)
        return self._secret
