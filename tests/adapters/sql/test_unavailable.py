"""A database that fails counts as unavailable, with any error of the driver."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from evref.adapters.outbound.sql import SqlDatabase
from evref.domain.access.permission import Permission
from evref.domain.errors import StorageUnavailableError
from evref.testing.builders import (
    NOON,
    a_catalogue,
    a_key,
    a_member,
    a_publication,
    a_publication_entry,
    a_secret,
    an_audit_entry,
    an_entry,
    an_institution,
)
from evref.testing.stores import Stores, at_once, keep_catalogue, keep_institutions, keep_key
from tests.adapters.sql.databases import stores_in

TODAY = NOON.date()
DIGEST = a_secret().digest

READS: dict[str, "Act"] = {
    "schema.verify": lambda stores: stores.schema.verify(),
    "catalogue.version": lambda stores: stores.catalogue.version(),
    "catalogue.load": lambda stores: stores.catalogue.load(),
    "catalogue.history": lambda stores: stores.catalogue.history(),
    "catalogue.load_version": lambda stores: stores.catalogue.load_version("v1"),
    "keys.get": lambda stores: stores.keys.get("k1"),
    "keys.list": lambda stores: stores.keys.list(),
    "keys.of_institution": lambda stores: stores.keys.of_institution("i1"),
    "keys.by_digests": lambda stores: stores.keys.by_digests([DIGEST]),
    "usage_reports.history": lambda stores: stores.usage_reports.history("k1", TODAY, TODAY),
    "usage_reports.overview": lambda stores: stores.usage_reports.overview(["k1"], TODAY),
    "institutions.named": lambda stores: stores.institutions.named("i1"),
    "institutions.get": lambda stores: stores.institutions.get("i1"),
    "institutions.list": lambda stores: stores.institutions.list(),
    "members.with_email": lambda stores: stores.members.with_email("ward@example.org"),
    "members.get": lambda stores: stores.members.get("m1"),
    "members.list": lambda stores: stores.members.list(),
    "members.of_institution": lambda stores: stores.members.of_institution("i1"),
    "teams.invitations": lambda stores: stores.teams.invitations("i1"),
    "teams.invitation": lambda stores: stores.teams.invitation("v1"),
    "teams.invitation_with_digest": lambda stores: stores.teams.invitation_with_digest(DIGEST),
    "audit.entries": lambda stores: stores.audit.entries("i1"),
    "audit.count": lambda stores: stores.audit.count("i1"),
}
WRITES: dict[str, "Act"] = {
    "schema.prepare": lambda stores: stores.schema.prepare(),
    "health.ping": lambda stores: stores.health.ping(),
    "catalogue.publish": lambda stores: stores.catalogue.publish(
        a_catalogue(),
        a_publication(a_catalogue()),
        a_publication_entry(a_catalogue()),
        replacing=None,
    ),
    "keys.add": lambda stores: stores.keys.add(a_key("k2"), an_audit_entry()),
    "keys.change": lambda stores: stores.keys.change("k1", lambda key: (key, an_audit_entry())),
    "admission.admit": lambda stores: stores.admission.admit(DIGEST, Permission.READ, NOON),
    "institutions.add": lambda stores: stores.institutions.add(
        an_institution("i2", name="i2"), an_audit_entry()
    ),
    "teams.change": lambda stores: stores.teams.change(
        "i1", lambda team: (team, [an_audit_entry()])
    ),
    "members.set_password": lambda stores: stores.members.set_password("m1", "", an_audit_entry()),
}
"""Each method of each port that is kept in SQL."""

Act = Callable[[Stores], object]


def each(acts: Mapping[str, Act]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("act", acts.values(), ids=acts)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "evref.db"


@pytest.fixture
def opened(file: Path) -> Iterator[Callable[[str], Stores]]:
    """Stores in the database of a URL, in which the path of the file may stand as `FILE`."""
    databases: list[SqlDatabase] = []

    def open_stores(url: str = "sqlite:///FILE") -> Stores:
        databases.append(SqlDatabase(url.replace("FILE", str(file))))
        return stores_in(databases[-1])

    yield open_stores
    for database in databases:
        database.close()


@pytest.fixture
def filled(opened: Callable[[str], Stores]) -> Stores:
    """A database with a key, all of whose connections are closed."""
    stores = opened("sqlite:///FILE")
    stores.schema.prepare()
    keep_institutions(stores, "i1")
    keep_key(stores, a_key())
    stores.connections.close()
    return stores


def assert_unavailable(act: Act, stores: Stores) -> str:
    """The call is refused in the one way there is; the reason it gives for the log."""
    with pytest.raises(StorageUnavailableError) as caught:
        act(stores)

    assert str(caught.value) == "Storage cannot be reached."
    assert isinstance(caught.value.__cause__, sqlite3.Error | SQLAlchemyError)
    return caught.value.reason


@each(READS | WRITES)
def test_a_file_that_is_no_database(file: Path, opened: Callable[[str], Stores], act: Act) -> None:
    """Every method says so, the ones that only read included."""
    file.write_bytes(b"This is no database, whatever its name says. " * 100)

    assert "file is not a database" in assert_unavailable(act, opened("sqlite:///FILE"))


@each(READS | WRITES)
def test_a_folder_where_the_file_should_be(
    file: Path, opened: Callable[[str], Stores], act: Act
) -> None:
    """The reason names it."""
    file.mkdir()

    assert str(file) in assert_unavailable(act, opened("sqlite:///FILE"))


@each(READS | WRITES)
def test_a_folder_that_is_not_there(file: Path, opened: Callable[[str], Stores], act: Act) -> None:
    """The reason names the path, and no folder is made."""
    stores = opened("sqlite:///FILE/missing/evref.db")

    assert f"{file}/missing/evref.db" in assert_unavailable(act, stores)
    assert not file.exists()


# Of these the one makes the tables, and the other has its own way to tell that there are none.
NEED_NO_TABLES = {"schema.prepare", "schema.verify"}


@each({name: act for name, act in (READS | WRITES).items() if name not in NEED_NO_TABLES})
def test_tables_that_are_not_there(opened: Callable[[str], Stores], act: Act) -> None:
    """A database that was never prepared, or that somebody emptied, answers nothing."""
    assert "no such table" in assert_unavailable(act, opened("sqlite:///FILE"))


# A database that is prepared already needs no write to be prepared.
@each({name: act for name, act in WRITES.items() if name != "schema.prepare"})
def test_a_file_that_may_only_be_read_takes_no_write(
    filled: Stores, opened: Callable[[str], Stores], act: Act
) -> None:
    """The reason says why; watching the storage finds it out too."""
    assert "readonly" in assert_unavailable(act, opened("sqlite:///file:FILE?mode=ro&uri=true"))


@pytest.mark.parametrize("journal_mode", ["WAL", "DELETE"])
def test_a_file_that_may_only_be_read_can_be_read(
    file: Path, filled: Stores, opened: Callable[[str], Stores], journal_mode: str
) -> None:
    """Whatever journal mode it was left in."""
    with closing(sqlite3.connect(file)) as other:
        assert other.execute(f"PRAGMA journal_mode = {journal_mode}").fetchone() == (
            journal_mode.lower(),
        )
    stores = opened("sqlite:///file:FILE?mode=ro&uri=true")

    stores.schema.verify()
    assert stores.keys.list() == (a_key(),)


def test_an_answer_comes_within_three_seconds_while_another_writes(
    file: Path, filled: Stores
) -> None:
    """However many ask at once. Reading goes on, and so does writing as soon as it can.

    Only a preparation waits longer: it may find another one under way.
    """
    writes = [act for name, act in WRITES.items() if name != "schema.prepare"]
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        def ask(number: int) -> float:
            start = time.monotonic()
            assert "locked" in assert_unavailable(writes[number % len(writes)], filled)
            return time.monotonic() - start

        waits = at_once(18, ask)
        assert filled.keys.list() == (a_key(),)
        other.execute("ROLLBACK")

    # The lock was waited for, though not for ever. How much longer than three seconds it takes on
    # a machine that is busy says nothing about the service.
    assert min(waits) > 2
    assert max(waits) < 30
    assert filled.admission.admit(DIGEST, Permission.READ, NOON).admitted == 1


def test_a_short_wait_for_another_writer_is_no_failure(file: Path, filled: Stores) -> None:
    """Who waits gets through when the other has finished."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")

        def act(number: int) -> int:
            if number == 0:
                time.sleep(0.2)
                other.execute("ROLLBACK")
                return 0
            return filled.admission.admit(DIGEST, Permission.READ, NOON).admitted

        assert sorted(at_once(4, act)) == [0, 1, 2, 3]


def test_a_disk_without_space_leaves_all_as_it_was(
    opened: Callable[[str], Stores], file: Path
) -> None:
    """Here the file cannot grow, which SQLite reports like a full disk; reading still works."""
    stores = opened("sqlite:///FILE")
    stores.schema.prepare()
    before = a_catalogue()
    keep_catalogue(stores.catalogue, before)
    full = SqlDatabase(f"sqlite:///{file}")
    # SQLite takes the least that it can: the pages that there are.
    event.listen(full._engine, "checkout", lambda us, *_: us.execute("PRAGMA max_page_count = 1"))
    many = a_catalogue(*(an_entry(f"entry-{number}") for number in range(100)))

    reason = assert_unavailable(
        lambda stores: keep_catalogue(stores.catalogue, many), stores_in(full)
    )
    full.close()

    assert "database or disk is full" in reason
    loaded = stores.catalogue.load()
    assert loaded is not None
    assert loaded.entries == before.entries
    keep_catalogue(stores.catalogue, many)


def test_service_resumes_when_the_file_is_well_again(file: Path, filled: Stores) -> None:
    """Without a restart, and with the counts that it had."""
    filled.admission.admit(DIGEST, Permission.READ, NOON)
    filled.connections.close()
    content = file.read_bytes()
    file.write_bytes(b"damaged" * 1000)
    for act in (*READS.values(), *WRITES.values()):
        assert_unavailable(act, filled)

    file.write_bytes(content)

    assert filled.admission.admit(DIGEST, Permission.READ, NOON).admitted == 2


def test_a_reason_shows_no_statement_and_no_secret(filled: Stores) -> None:
    """Neither does the error that it stems from, which a log would print with it."""
    member = a_member("m2", institution_id="unknown", email="private@example.org")

    with pytest.raises(StorageUnavailableError) as caught:
        filled.teams.change("i1", lambda team: (team.with_member(member), ()))

    assert "FOREIGN KEY" in caught.value.reason
    assert "INSERT" not in caught.value.reason
    assert member.password_hash not in f"{caught.value.reason} {caught.value.__cause__}"
