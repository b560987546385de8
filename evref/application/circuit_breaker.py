"""A circuit breaker: keeps requests from queueing while storage hangs."""

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from evref.domain.errors import StorageUnavailableError
from evref.ports.deadline import HANGS_AFTER_SECONDS
from evref.ports.system import Clock

_Answer = TypeVar("_Answer")

_OPEN_SECONDS = 1.0


class CircuitBreaker:
    """Calls storage, and stops calling it for a while after a call has hung.

    - *Closed*: all calls go through. A call that hangs opens the circuit.
    - *Open*: for one second all calls fail at once, so that they do not occupy all threads.
    - *Half-open*: one call at a time goes through, and the others fail at once. A response closes
      the circuit; another call that hangs opens it again.

    Each server that may hang alone has a circuit of its own.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # None while the circuit is closed, or else the monotonic time when it becomes half-open.
        self._half_open_at: float | None = None
        self._answered_at = float("-inf")
        self._trial = Lock()

    def __call__(self, call: Callable[[], _Answer]) -> _Answer:
        half_open_at = self._half_open_at
        if half_open_at is None:
            return self._watched(call)
        if self._clock.monotonic() < half_open_at or not self._trial.acquire(blocking=False):
            raise StorageUnavailableError("it recently did not respond in time")
        try:
            return self._watched(call)
        finally:
            self._trial.release()

    def _watched(self, call: Callable[[], _Answer]) -> _Answer:
        began_at = self._clock.monotonic()
        try:
            answer = call()
        except StorageUnavailableError:
            failed_at = self._clock.monotonic()
            # If another call has succeeded in the meantime, storage is available.
            if self._answered_at <= began_at:
                hung = failed_at - began_at >= HANGS_AFTER_SECONDS
                self._half_open_at = failed_at + _OPEN_SECONDS if hung else None
            raise
        except BaseException:
            # Storage responded, even if the response is an error such as an invalid key.
            self._close()
            raise
        self._close()
        return answer

    def _close(self) -> None:
        self._answered_at = self._clock.monotonic()
        self._half_open_at = None
