"""Keys that are held for half a second, so that few requests look one up."""

from dataclasses import dataclass, field
from itertools import islice
from threading import Lock

from evref.domain.access.key import ApiKey
from evref.domain.errors import InvalidApiKeyError
from evref.ports.clock import Clock
from evref.ports.keys import KeyStore

# A change of a key must take effect within one second, including the time of the look-up.
_HOLD_SECONDS = 0.5

# Looking up more keys at once would make the request that does it wait noticeably.
_MOST_LOOKED_UP_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class _Generation:
    """Keys by digest, none looked up before `asked_at`, in monotonic seconds; those in use."""

    asked_at: float
    keys: dict[str, ApiKey]
    used: set[str] = field(default_factory=set)


class HeldKeys:
    """The keys in use, by the digests of their tokens; thread-safe.

    After half a second, the next request looks up all keys that were used in that time with one
    query. So many keys in turn cost hardly more than one. Other threads do not wait for it: until
    it ends, each looks up its own key, as it does for a key that is not held.
    """

    def __init__(self, keys: KeyStore, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._generation = _Generation(float("-inf"), {})
        self._renewing = Lock()

    def get(self, digest: str) -> ApiKey:
        """Return the key as it was at most half a second before, valid or not.

        Raises:
            InvalidApiKeyError: If no key has a secret with this digest. This is not held.
            StorageUnavailableError: If the key cannot be looked up.

        """
        generation, key = self._generation, None
        if self._is_fresh(generation):
            key = generation.keys.get(digest)
        elif self._renewing.acquire(blocking=False):
            try:
                if not self._is_fresh(self._generation):
                    self._generation = self._renewed(digest)
                generation = self._generation
            finally:
                self._renewing.release()
            key = generation.keys.get(digest)
        if key is None:
            key = self._keys.by_digests([digest]).get(digest)
        if key is None:
            raise InvalidApiKeyError
        generation.keys[digest] = key
        generation.used.add(digest)
        return key

    def _is_fresh(self, generation: _Generation) -> bool:
        return self._clock.monotonic() < generation.asked_at + _HOLD_SECONDS

    def _renewed(self, digest: str) -> _Generation:
        asked_at = self._clock.monotonic()
        others = islice(self._generation.used - {digest}, _MOST_LOOKED_UP_AT_ONCE - 1)
        return _Generation(asked_at, dict(self._keys.by_digests([digest, *others])))
