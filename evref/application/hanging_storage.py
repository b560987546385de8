"""What keeps requests from queueing up behind a storage that hangs."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from evref.domain.errors import StorageUnavailableError
from evref.ports.clock import Clock

_Answer = TypeVar("_Answer")

# A storage that is there answers, or refuses, well before this.
_HANGS_AFTER_SECONDS = 0.5
_LEFT_ALONE_SECONDS = 1.0


class HangingStorageGuard:
    """Lets all through, until a storage that hangs has let one wait in vain.

    A server has so many threads, and each would wait as long as storage may take: whoever comes
    later would wait for a thread first, and so much longer. So for a second nobody is let
    through, and then one at a time, until storage answers. All who ask on behalf of a request
    share one, so that it does not wait for each in turn.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ask_again_at: float | None = None
        self._answered_at = float("-inf")
        self._asking_again = Lock()

    def __call__(self, ask: Callable[[], _Answer]) -> _Answer:
        """What `ask`, which asks storage, returns.

        Raises:
            StorageUnavailableError: at once, for whoever is not let through.

        """
        ask_again_at = self._ask_again_at
        if ask_again_at is None:
            return self._watched(ask)
        if self._clock.monotonic() < ask_again_at or not self._asking_again.acquire(blocking=False):
            raise StorageUnavailableError("it did not answer in time just now")
        try:
            return self._watched(ask)
        finally:
            self._asking_again.release()

    def _watched(self, ask: Callable[[], _Answer]) -> _Answer:
        began_at = self._clock.monotonic()
        try:
            answer = ask()
        except StorageUnavailableError:
            failed_at = self._clock.monotonic()
            # A storage that has answered another since is there, however long this one waited.
            if self._answered_at <= began_at:
                hangs = failed_at - began_at >= _HANGS_AFTER_SECONDS
                self._ask_again_at = failed_at + _LEFT_ALONE_SECONDS if hangs else None
            raise
        except BaseException:
            # It answered, if only that the key is not valid.
            self._has_answered()
            raise
        self._has_answered()
        return answer

    def _has_answered(self) -> None:
        self._answered_at = self._clock.monotonic()
        self._ask_again_at = None
