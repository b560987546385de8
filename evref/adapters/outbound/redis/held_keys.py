"""Keys that are held for half a second, so that few requests look one up."""

from evref.domain.access.key import ApiKey
from evref.domain.errors import InvalidApiKeyError
from evref.ports.access import Keys
from evref.ports.system import Clock

# A change of a key must take effect within one second.
_HOLD_SECONDS = 0.5


class HeldKeys:
    """The keys in use, by the digests of their tokens; thread-safe.

    All of them are dropped together, so that the keys of ended requests take no memory.
    """

    def __init__(self, keys: Keys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._held: tuple[float, dict[str, ApiKey]] = (float("-inf"), {})

    def get(self, digest: str) -> ApiKey:
        """Return the key as it was less than half a second before, valid or not.

        That no key has a secret with this digest is not held.
        """
        now = self._clock.monotonic()
        began_at, by_digest = self._held
        if now - began_at >= _HOLD_SECONDS:
            by_digest = {}
            self._held = now, by_digest
        key = by_digest.get(digest)
        if key is None:
            key = self._keys.by_digests([digest]).get(digest)
            if key is None:
                raise InvalidApiKeyError
            by_digest[digest] = key
        return key
