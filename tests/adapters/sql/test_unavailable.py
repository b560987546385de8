"""Tests that a failing database counts as unavailable, whatever the driver raises."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.audit import SIGN_INS
from evref.domain.errors import StorageUnavailableError
from evref.ports.accounts import MEMBERS
from evref.ports.storage import Storage
from evref.testing.audit import a_refusal
from evref.testing.builders import NOON, a_catalogue, a_key, a_member, a_secret, an_entry
from evref.testing.catalogue import assert_serves
from evref.testing.filling import (
    at_once,
    keep,
    keep_catalogue,
    keep_institutions,
    keep_key,
)

TODAY = NOON.date()
DIGEST = a_secret().digest

READS: dict[str, "Act"] = {
    "schema.verify": lambda storage: storage.verify(),
    "catalogue.load": lambda storage: storage.catalogue.load(),
    "catalogue.history": lambda storage: storage.catalogue.history(),
    "keys.get": lambda storage: storage.keys.get("k1"),
    "keys.list": lambda storage: storage.keys.list(),
    "keys.with_digest": lambda storage: storage.keys.with_digest(DIGEST),
    "usage_reports.history": lambda storage: storage.usage.history("k1", TODAY, TODAY),
    "usage_reports.overview": lambda storage: storage.usage.overview(["k1"], TODAY),
    "records.get": lambda storage: storage.records.get(MEMBERS, "m1"),
    "records.find": lambda storage: storage.records.find(MEMBERS, email="ward@example.org"),
    "audit.entries": lambda storage: storage.audit.entries("i1"),
}
WRITES: dict[str, "Act"] = {
    "schema.prepare": lambda storage: storage.prepare(),
    "health.ping": lambda storage: storage.ping(),
    "changes": lambda storage: keep_institutions(storage, "i2"),
    "audit.gather": lambda storage: storage.audit.gather([a_refusal()]),
    "audit.remove_older": lambda storage: storage.audit.remove_older(SIGN_INS, NOON),
    "admission.admit": lambda storage: storage.admission.admit(DIGEST, NOON),
}
"""Together with `READS`: each method of each part of storage, and the unit of work."""

Act = Callable[[Storage], object]


def for_each(acts: Mapping[str, Act]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("act", acts.values(), ids=acts)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "evref.db"


@pytest.fixture
def opened(file: Path) -> Iterator[Callable[[str], SqlStorage]]:
    """Yield a function that opens the storage at a URL; `FILE` stands for the file's path."""
    databases: list[SqlDatabase] = []

    def open_stores(url: str = "sqlite:///FILE") -> SqlStorage:
        databases.append(SqlDatabase(url.replace("FILE", str(file))))
        return SqlStorage(databases[-1])

    yield open_stores
    for database in databases:
        database.close()


@pytest.fixture
def filled(opened: Callable[[str], SqlStorage]) -> SqlStorage:
    """Return the storage of a database with a key; all its connections are closed."""
    storage = opened("sqlite:///FILE")
    storage.prepare()
    keep_institutions(storage, "i1")
    keep_key(storage, a_key())
    storage.close()
    return storage


def assert_unavailable(act: Act, storage: SqlStorage) -> str:
    """Assert that the act fails as unavailable; return the reason that is logged."""
    with pytest.raises(StorageUnavailableError) as caught:
        act(storage)

    assert str(caught.value) == "Storage cannot be reached."
    assert isinstance(caught.value.__cause__, sqlite3.Error | SQLAlchemyError)
    return caught.value.reason


# The database is already prepared, so preparing it writes nothing.
@for_each({name: act for name, act in WRITES.items() if name != "schema.prepare"})
def test_a_write_to_a_read_only_file_fails(
    filled: SqlStorage, opened: Callable[[str], SqlStorage], act: Act
) -> None:
    """The reason says why. `ping` counts as a write, so monitoring finds out too."""
    assert "readonly" in assert_unavailable(act, opened("sqlite:///file:FILE?mode=ro&uri=true"))


def test_a_write_fails_while_another_process_writes_for_long(
    file: Path, filled: SqlStorage
) -> None:
    """All concurrent writes fail. Reads succeed, and so do writes as soon as the other ends.

    Only a preparation waits longer, because another one may be running.
    """
    writes = [act for name, act in WRITES.items() if name != "schema.prepare"]
    storage = SqlStorage(SqlDatabase(f"sqlite:///{file}", timeout_seconds=0.2))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        reasons = at_once(18, lambda n: assert_unavailable(writes[n % len(writes)], storage))
        assert storage.keys.list() == (a_key(),)
        other.execute("ROLLBACK")

    assert all("locked" in reason for reason in reasons)
    assert storage.admission.admit(DIGEST, NOON).admitted == 1
    storage.close()


def test_a_short_wait_for_another_writer_is_not_a_failure(file: Path, filled: SqlStorage) -> None:
    patient = SqlStorage(SqlDatabase(f"sqlite:///{file}", timeout_seconds=60))
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")

        def act(number: int) -> int:
            if number == 0:
                time.sleep(0.2)
                other.execute("ROLLBACK")
                return 0
            return patient.admission.admit(DIGEST, NOON).admitted

        assert sorted(at_once(4, act)) == [0, 1, 2, 3]
    patient.close()


def test_a_full_disk_leaves_the_catalogue_unchanged(
    opened: Callable[[str], SqlStorage], file: Path
) -> None:
    """The file cannot grow, which SQLite reports like a full disk. Reading still works."""
    storage = opened("sqlite:///FILE")
    storage.prepare()
    before = a_catalogue()
    keep_catalogue(storage, before)
    full = SqlDatabase(f"sqlite:///{file}")
    # SQLite raises the limit to the number of pages that the file already has.
    event.listen(full._engine, "checkout", lambda us, *_: us.execute("PRAGMA max_page_count = 1"))
    random = Random(0)
    many = a_catalogue(*(an_entry(random.randbytes(30).hex()) for _ in range(1000)))

    reason = assert_unavailable(lambda storage: keep_catalogue(storage, many), SqlStorage(full))
    full.close()

    assert "database or disk is full" in reason
    assert_serves(storage, before)
    keep_catalogue(storage, many)


def test_service_resumes_when_the_file_is_restored(file: Path, filled: SqlStorage) -> None:
    """The service needs no restart and keeps its counts. Until then every method fails."""
    filled.admission.admit(DIGEST, NOON)
    filled.close()
    content = file.read_bytes()
    file.write_bytes(b"damaged" * 1000)
    for act in (*READS.values(), *WRITES.values()):
        assert "file is not a database" in assert_unavailable(act, filled)

    file.write_bytes(content)

    assert filled.admission.admit(DIGEST, NOON).admitted == 2


def test_a_reason_shows_no_statement_and_no_value(storage: SqlStorage) -> None:
    """The cause of the error, which a log prints too, shows no secret."""
    keep_institutions(storage, "i1")
    member = a_member(institution_id="unknown", email="private@example.org")

    with pytest.raises(StorageUnavailableError) as caught:
        keep(storage, MEMBERS, member)

    assert "foreign key" in caught.value.reason.lower()
    for hidden in ("INSERT", "unknown", member.email, str(member.password_hash)):
        assert hidden not in caught.value.reason
    assert str(member.password_hash) not in str(caught.value.__cause__)
