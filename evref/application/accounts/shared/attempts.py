"""Attempts to guess a password are slowed down."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from evref.application.accounts.shared.bulkhead import Bulkhead
from evref.domain.accounts.sign_in import (
    MOST_DEVICE_FAILURES,
    PER_ACCOUNT,
    PER_ADDRESS,
    PER_DEVICE,
    Device,
    Failures,
    Slowdown,
    network,
)
from evref.domain.errors import TooManyAttemptsError
from evref.ports.accounts.sign_in_attempts import SignInAttempts
from evref.ports.clock import Clock

_SECONDS_BETWEEN_PURGES = 60.0


class Attempts:
    """Counts failed attempts by account and address, or by known device alone."""

    def __init__(self, store: SignInAttempts, bulkhead: Bulkhead, clock: Clock) -> None:
        self._store = store
        self._bulkhead = bulkhead
        self._clock = clock
        self._next_purge = float("-inf")

    @contextmanager
    def counted(
        self, email: str, address: str, device: Device | None
    ) -> Iterator[Callable[[], None]]:
        """Count an attempt as failed, and let the body check the password.

        The body calls the function that it gets if the password was right. `device` is a
        known device of the account, or None.

        Raises:
            TooManyAttemptsError: If it is too soon after failed ones; nothing is counted.
            BusyError: If too many passwords are being checked; nothing is counted.

        """
        self._purge_now_and_then()
        caller = network(address)
        counters = {PER_ACCOUNT.name(email): PER_ACCOUNT, PER_ADDRESS.name(caller): PER_ADDRESS}
        is_known = False
        if device is not None:
            name = PER_DEVICE.name(device.id)
            is_known = self._store.get([name])[name].count < MOST_DEVICE_FAILURES
            if is_known:
                caller, counters = name, {name: PER_DEVICE}
        # Before a place is taken, so that no place is taken by an attempt that has to wait.
        self._require_no_wait(counters, self._store.get(counters))
        with self._bulkhead.place(caller, is_device=is_known):
            self._store.change(counters, lambda before: self._one_more(counters, before))
            yield lambda: self._store.change(
                counters,
                lambda after: {name: each.forgiven(after[name]) for name, each in counters.items()},
            )

    def _one_more(
        self, counters: Mapping[str, Slowdown], before: Mapping[str, Failures]
    ) -> Mapping[str, Failures]:
        # Checked again, because concurrent attempts count against each other.
        self._require_no_wait(counters, before)
        instant = self._clock.now()
        return {name: each.one_more(before[name], instant) for name, each in counters.items()}

    def _require_no_wait(
        self, counters: Mapping[str, Slowdown], failures: Mapping[str, Failures]
    ) -> None:
        instant = self._clock.now()
        wait = max(each.wait(failures[name], instant) for name, each in counters.items())
        if wait:
            raise TooManyAttemptsError(-(-wait // timedelta(seconds=1)))

    def _purge_now_and_then(self) -> None:
        # A purge takes the write lock of the database, which admission needs too.
        if self._clock.monotonic() < self._next_purge:
            return
        self._next_purge = self._clock.monotonic() + _SECONDS_BETWEEN_PURGES
        for each in (PER_ACCOUNT, PER_ADDRESS, PER_DEVICE):
            self._store.remove_older(each.kind, self._clock.now() - each.kept)
