"""How long a request may wait for storage, with all its calls together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf

from evref.domain.errors import StorageUnavailableError

REQUEST_SECONDS = 3.0
"""How long the calls of a request may wait for storage, all together."""

# Storage that is available responds well before this.
HANGS_AFTER_SECONDS = 0.5

# Outside requests, as in a command, there is no limit.
_seconds_left = ContextVar("seconds_left", default=inf)


@contextmanager
def one_request() -> Iterator[None]:
    """Limit how long the calls within the block, which handles a request, wait together."""
    token = _seconds_left.set(REQUEST_SECONDS)
    try:
        yield
    finally:
        _seconds_left.reset(token)


class StorageCall:
    """A call to storage, as a context that returns the time until which it may wait.

    `monotonic` returns seconds, like `time.monotonic`, and so is the time. The call may wait for
    `most` seconds, or less if less is left of the request; with no more than `least` seconds left,
    it raises `StorageUnavailableError` at once. After a call that hung, the request does not wait
    again. This is a class because every request makes calls, and a generator is slower.
    """

    __slots__ = ("_began_at", "_least", "_left", "_monotonic", "_most")

    def __init__(self, monotonic: Callable[[], float], *, most: float, least: float = 0.0) -> None:
        self._monotonic = monotonic
        self._most = most
        self._least = least

    def __enter__(self) -> float:
        self._left = _seconds_left.get()
        if self._left <= self._least:
            raise StorageUnavailableError("the request has waited for storage long enough")
        self._began_at = self._monotonic()
        return self._began_at + min(self._most, self._left)

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if self._left == inf:
            return
        waited = self._monotonic() - self._began_at
        hung = isinstance(error, StorageUnavailableError) and waited >= HANGS_AFTER_SECONDS
        _seconds_left.set(0.0 if hung else self._left - waited)
