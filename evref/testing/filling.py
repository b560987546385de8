"""Fills and changes a storage, for tests."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Barrier
from typing import TypeVar

from evref.domain.access.key import ApiKey
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import StorageUnavailableError
from evref.ports.accounts import INSTITUTIONS, Kind, Record
from evref.ports.storage import Storage
from evref.testing.builders import NOON, OPERATOR, a_publication, a_secret, an_institution

Answer = TypeVar("Answer")


def served_version(storage: Storage) -> str | None:
    """Return the version of the served catalogue, or None if there is none."""
    history = storage.catalogue.history()
    return history[0].version if history else None


def keep_catalogue(storage: Storage, catalogue: Catalogue, *, at: datetime = NOON) -> None:
    """Publish the catalogue in place of any served one."""
    served, earlier = served_version(storage), None
    with suppress(StorageUnavailableError):  # damaged
        earlier = None if served is None else storage.catalogue.load(served)
    publication = a_publication(catalogue, at=at, earlier=earlier)
    with storage.changes(OPERATOR, at) as changes:
        changes.catalogue.publish(catalogue, publication, replacing=served)


def keep_institutions(storage: Storage, *institution_ids: str) -> None:
    """Store institutions with these ids, which are also their names."""
    keep(storage, INSTITUTIONS, *(an_institution(each, name=each) for each in institution_ids))


def keep(storage: Storage, kind: Kind[Record], *records: Record) -> None:
    """Store the records; what they refer to exists."""
    with storage.changes(OPERATOR, NOON) as changes:
        for record in records:
            changes.records.add(kind, record)


def keep_key(storage: Storage, key: ApiKey) -> str:
    """Store the key, and return the digest of its newest secret."""
    with storage.changes(OPERATOR, NOON) as changes:
        changes.keys.add(key)
    return key.newest.digest


def change_key(storage: Storage, key_id: str, change: Callable[[ApiKey], ApiKey]) -> ApiKey:
    """Replace the key by the result of `change`, and return it."""
    with storage.changes(OPERATOR, NOON) as changes:
        after = change(changes.keys.get(key_id))
        changes.keys.replace(after)
    return after


def rotate_key(storage: Storage, key_id: str, secret: str, keep_old_for: timedelta) -> ApiKey:
    """Rotate the key to `a_secret(secret)`, and return it."""
    added = a_secret(secret, last_four=secret[-4:].rjust(4, "0"))
    return change_key(storage, key_id, lambda key: key.rotated(added, keep_old_for, NOON))


def at_once(times: int, act: Callable[[int], Answer]) -> list[Answer]:
    """Call `act` with 0, 1, … in threads that start at the same time, and return the results."""
    together = Barrier(times)

    def start(number: int) -> Answer:
        together.wait()
        return act(number)

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(start, range(times)))
