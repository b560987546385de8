"""Keys that are held for half a second, so that few requests look one up."""

from dataclasses import dataclass
from threading import Lock

from evref.domain.access.key import ApiKey
from evref.domain.errors import InvalidApiKeyError
from evref.ports.access import Keys
from evref.ports.system import Clock

# A change of a key must take effect within one second. The keys are looked up again after the first
# time, and used up to the second by requests that come during the look-up.
_HOLD_SECONDS = 0.5
_LONGEST_HOLD_SECONDS = 0.9

# A key is looked up again with the others if it was used in this time, but not more than so many,
# because the request that looks them up waits for it.
_IN_USE_SECONDS = 5.0
_MOST_LOOKED_UP_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class _Generation:
    """Keys by digest; none was looked up before `asked_at`, in monotonic seconds."""

    asked_at: float
    by_digest: dict[str, ApiKey]

    def age(self, now: float) -> float:
        return now - self.asked_at


class HeldKeys:
    """The keys in use, by the digests of their tokens; thread-safe.

    Twice a second, a request looks up all keys in use with one query, so many keys in rotation cost
    little more than one. Other threads do not wait for it: they use what is held a little longer,
    and then each looks up its own key, as for a key that is not held.
    """

    def __init__(self, keys: Keys, clock: Clock) -> None:
        self._keys = keys
        self._clock = clock
        self._generation = _Generation(float("-inf"), {})
        self._used_at: dict[str, float] = {}
        self._renewing = Lock()

    def get(self, digest: str) -> ApiKey:
        """Return the key as it was less than a second before, valid or not.

        That no key has a secret with this digest is not held.
        """
        now = self._clock.monotonic()
        generation, key = self._generation, None
        if generation.age(now) >= _HOLD_SECONDS and self._renewing.acquire(blocking=False):
            try:
                if self._generation.age(now) >= _HOLD_SECONDS:
                    self._generation = self._renewed(digest, now)
                generation = self._generation
            finally:
                self._renewing.release()
        if generation.age(now) < _LONGEST_HOLD_SECONDS:
            key = generation.by_digest.get(digest)
        if key is None:
            key = self._keys.by_digests([digest]).get(digest)
        if key is None:
            raise InvalidApiKeyError
        generation.by_digest[digest] = key
        self._used_at[digest] = now
        return key

    def _renewed(self, digest: str, now: float) -> _Generation:
        in_use = sorted(
            (
                (used_at, other)
                for other, used_at in self._used_at.copy().items()
                if now - used_at < _IN_USE_SECONDS and other != digest
            ),
            reverse=True,
        )[: _MOST_LOOKED_UP_AT_ONCE - 1]
        self._used_at = {other: used_at for used_at, other in in_use}
        return _Generation(now, dict(self._keys.by_digests([digest, *self._used_at])))
