"""A bound on concurrent work with passwords, which is slow on purpose."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from evref.domain.errors import BusyError


class Bulkhead:
    """Has two places in a process, so that one call runs and one waits; refuses others at once.

    So passwords never take all threads from other requests. A caller has one place at a time.
    Known devices have another place, which nobody else can take.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._callers: set[str] = set()
        self._devices: set[str] = set()

    @contextmanager
    def place(self, caller: str, *, is_device: bool = False) -> Iterator[None]:
        """Take a place for the body. `caller` is a network address, or the id of a known device.

        Raises:
            BusyError: If there is no place.

        """
        taken, places = (self._devices, 1) if is_device else (self._callers, 2)
        with self._lock:
            if len(taken) >= places or caller in taken:
                raise BusyError
            taken.add(caller)
        try:
            yield
        finally:
            with self._lock:
                taken.remove(caller)
