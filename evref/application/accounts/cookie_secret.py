"""The secret that signs cookies, the same in all processes."""

from evref.ports.accounts import SharedSecrets
from evref.ports.system import Randomness

_NAME = "cookies"


def cookie_secret(secrets: SharedSecrets, randomness: Randomness, given: str | None) -> str:
    """Return the operator's secret, or else one that is created once and stored.

    It has at least 32 characters.

    Raises:
        StorageUnavailableError: If storage is needed and unavailable.

    """
    return given or secrets.keep(_NAME, f"{randomness.below(2**256):064x}")
