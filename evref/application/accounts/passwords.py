"""Limits on guesses and on concurrent checks of passwords, and what a new password must be."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock

from evref.domain.accounts.institution import Institution, password_faults
from evref.domain.accounts.slowdown import (
    MOST_DEVICE_FAILURES,
    PER_ACCOUNT,
    PER_ADDRESS,
    PER_DEVICE,
    Device,
    Failures,
    Slowdown,
    network,
)
from evref.domain.errors import (
    AlreadyExistsError,
    BusyError,
    Fault,
    InvalidValueError,
    NotFoundError,
    TooManyAttemptsError,
)
from evref.domain.principal import SERVICE
from evref.ports.accounts import ATTEMPTS, PasswordGuesser, PasswordHasher, RecordChanges
from evref.ports.storage import Changes, Storage
from evref.ports.system import Clock


class Bulkhead:
    """Has two places in a process, so that one call runs and one waits; refuses others at once.

    A caller has at most one place at a time. Another place is reserved for known devices.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._callers: set[str] = set()
        self._devices: set[str] = set()

    @contextmanager
    def turn(self, caller: str, *, is_device: bool = False) -> Iterator[None]:
        """Take a place for the body. `caller` is a network, or the name of a known device."""
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


class Attempts:
    """Counts failed attempts by account and address, or only by known device."""

    def __init__(self, storage: Storage, bulkhead: Bulkhead, clock: Clock) -> None:
        self._storage = storage
        self._bulkhead = bulkhead
        self._clock = clock

    @contextmanager
    def counted(
        self, email: str, address: str, device: Device | None
    ) -> Iterator[Callable[[], None]]:
        """Count an attempt as failed, and let the body check the password.

        If the password is right, the body calls the function that this yields.
        """
        caller = network(address)
        counters = {PER_ACCOUNT.name(email): PER_ACCOUNT, PER_ADDRESS.name(caller): PER_ADDRESS}
        is_known = False
        if device is not None:
            name = PER_DEVICE.name(device.id)
            is_known = self._stored(name).failures < MOST_DEVICE_FAILURES
            if is_known:
                caller, counters = name, {name: PER_DEVICE}
        # Checked before a place is taken, so that an attempt that must wait does not take a place.
        self._require_no_wait(counters, [self._stored(name) for name in counters])
        with self._bulkhead.turn(caller, is_device=is_known):
            self._count(counters, is_right=False)
            yield lambda: self._count(counters, is_right=True)

    def _stored(self, name: str) -> Failures:
        return next(iter(self._storage.records.find(ATTEMPTS, name=name)), Failures(name))

    def _count(self, counters: Mapping[str, Slowdown], *, is_right: bool) -> None:
        while True:
            # If another attempt is the first one to count under a name, this one begins again: only
            # what is stored can be locked.
            with (
                suppress(AlreadyExistsError),
                self._storage.changes(SERVICE, self._clock.now()) as changes,
            ):
                # Always in the same order, to avoid deadlocks.
                before = [_locked(changes.records, name) for name in sorted(counters)]
                if not is_right:
                    # Checked again, because concurrent attempts count against each other.
                    self._require_no_wait(counters, before)
                for failures in before:
                    slowdown = counters[failures.name]
                    after = (
                        slowdown.forgiven(failures)
                        if is_right
                        else slowdown.one_more(failures, self._clock.now())
                    )
                    if not after.failures:
                        changes.records.remove(ATTEMPTS, after.name)
                    elif failures.failures:
                        changes.records.replace(ATTEMPTS, after)
                    else:
                        changes.records.add(ATTEMPTS, after)
                return

    def _require_no_wait(
        self, counters: Mapping[str, Slowdown], counted: Sequence[Failures]
    ) -> None:
        instant = self._clock.now()
        wait = max(counters[failures.name].wait(failures, instant) for failures in counted)
        if wait:
            raise TooManyAttemptsError(-(-wait // timedelta(seconds=1)))


def forget_old_attempts(changes: Changes) -> None:
    """Remove the failures that no longer count."""
    for slowdown in (PER_ACCOUNT, PER_ADDRESS, PER_DEVICE):
        earliest, prefix = changes.instant - slowdown.kept, f"{slowdown.kind}:"
        changes.records.remove_older(ATTEMPTS, earliest, prefix=prefix)


def _locked(records: RecordChanges, name: str) -> Failures:
    try:
        return records.lock(ATTEMPTS, name)
    except NotFoundError:
        return Failures(name)


@dataclass(frozen=True, slots=True)
class Passwords:
    hasher: PasswordHasher
    guesser: PasswordGuesser

    def new_hash(
        self, password: str, email: str, institution: Institution, repeated: str | None = None
    ) -> str:
        """Return the hash of a new password; the domain and the guesser may refuse it."""
        faults = password_faults(password, repeated)
        words = re.findall(r"\w+", f"{email} {institution.name}")
        if all(fault.field != "password" for fault in faults) and self.guesser.is_guessable(
            password, ["evref", email, "".join(words), *words]
        ):
            faults.append(Fault("password", "is easily guessed: use several unrelated words"))
        if faults:
            raise InvalidValueError(faults)
        return self.hasher.hash(password)
