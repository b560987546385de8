"""The secret that signs cookies, the same in all processes."""

from contextlib import suppress

from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.domain.identifiers import SharedSecret
from evref.domain.principal import SERVICE
from evref.ports.accounts import SECRETS
from evref.ports.storage import Storage
from evref.ports.system import Clock, Randomness

_NAME = "cookies"


def cookie_secret(
    storage: Storage, randomness: Randomness, clock: Clock, chosen: str | None
) -> str:
    """Return the operator's secret, or else one that is created once and stored."""
    if chosen:
        return chosen
    with suppress(NotFoundError):
        return storage.records.get(SECRETS, _NAME).value
    secret = SharedSecret(_NAME, f"{randomness.below(2**256):064x}")
    # If another process was first, its secret counts.
    with suppress(AlreadyExistsError), storage.changes(SERVICE, clock.now()) as changes:
        changes.records.add(SECRETS, secret)
    return storage.records.get(SECRETS, _NAME).value
