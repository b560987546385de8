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


@contextmanager
def one_call(monotonic: Callable[[], float], *, least: float = 0.0, most: float) -> Iterator[float]:
    """Yield the time until which the call to storage within the block may wait.

    `monotonic` returns seconds, like `time.monotonic`, and so is the time. The call may wait for
    `most` seconds, or less if less is left of the request. After a call that hung, the request does
    not wait again.

    Raises:
        StorageUnavailableError: At once, if not more than `least` seconds are left of the request.

    """
    left, began_at = _seconds_left.get(), monotonic()
    if left <= least:
        raise StorageUnavailableError("the request has waited for storage long enough")
    hung = False
    try:
        yield began_at + min(most, left)
    except StorageUnavailableError:
        hung = monotonic() - began_at >= HANGS_AFTER_SECONDS
        raise
    finally:
        if left != inf:
            _seconds_left.set(0.0 if hung else left - (monotonic() - began_at))
