"""A database that an earlier version of evref made and filled is migrated, and served."""

import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.adapters.outbound.sql.storage import migrate
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.evidence import Direction, Recommendation
from tests.processes import Command

STORED = Path(__file__).parent / "stored"
DUMP = (STORED / "revision_0002.sql").read_text(encoding="utf-8")
VERSION = "9133028fd8b57784"
PUBLISHED_ON = date(2026, 11, 21)

BUNDLED_THEN = "0ae84e0191e349ef"
"""The version of the catalogue that was bundled with it."""


def restore_sqlite(url: str, dump: str = DUMP) -> None:
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
        connection.executescript(dump)


def restore_postgresql(database: SqlDatabase) -> None:
    """The same rows of the catalogue, in the tables that were then."""
    with closing(sqlite3.connect(":memory:")) as dumped, database.transaction() as connection:
        dumped.executescript(DUMP)
        migrate(connection, "0002")
        for row in dumped.execute("SELECT version, diagnosis_id, document FROM catalogue_entries"):
            values = dict(zip(("version", "id", "document"), row, strict=True))
            connection.execute(
                text("INSERT INTO catalogue_entries VALUES (:version, :id, :document)"), values
            )
        ((version, at),) = dumped.execute("SELECT version, published_at FROM catalogue_publication")
        connection.execute(
            text("UPDATE catalogue_publication SET version = :version, published_at = :at"),
            {"version": version, "at": datetime.fromisoformat(f"{at}+00:00")},
        )


@pytest.fixture
def restored(url: str, database: SqlDatabase) -> str:
    """The URL of the database as it was left."""
    if url.startswith("sqlite"):
        restore_sqlite(url)
    else:
        restore_postgresql(database)
    return url


def loaded(storage: SqlStorage) -> Catalogue:
    catalogue = storage.catalogue.load()
    assert catalogue is not None
    return catalogue


def test_what_was_published_then_is_served(restored: str, database: SqlDatabase) -> None:
    """With the best that is known of what it did not say."""
    SqlStorage(database).prepare()

    storage = SqlStorage(database)
    catalogue = loaded(storage)
    (publication,) = storage.catalogue.history()
    evidence = [each.evidence for entry in catalogue.entries for each in entry.interventions]
    assert [entry.diagnosis.id for entry in catalogue.entries] == ["asthma", "migraine"]
    assert catalogue.intervention_count == 23
    assert publication.version == VERSION
    assert (publication.published_by, publication.is_bundled) == (None, False)
    assert publication.published_at.date() == PUBLISHED_ON
    assert {entry.diagnosis.checked_on for entry in catalogue.entries} == {PUBLISHED_ON}
    assert {each.direction for each in evidence if each.recommendation.endswith("_for")} == {
        Direction.FOR
    }
    assert {
        each.direction for each in evidence if each.recommendation is Recommendation.NOT_STATED
    } == {Direction.UNCLEAR}


@pytest.mark.parametrize("is_bundled", [True, False], ids=["bundled", "the operator's"])
def test_init_replaces_the_catalogue_that_was_bundled_then_and_no_other(
    restored: str, database: SqlDatabase, tmp_path: Path, is_bundled: bool
) -> None:
    """And keeps it in the history."""
    if is_bundled:
        with database.transaction() as connection:
            for table in ("catalogue_entries", "catalogue_publication"):
                connection.execute(text(f"UPDATE {table} SET version = '{BUNDLED_THEN}'"))

    status, _, said = Command(tmp_path / "init", "init", database_url=restored).ended()

    history = SqlStorage(database).catalogue.history()
    assert status == 0
    assert [each.is_bundled for each in history] == ([True, True] if is_bundled else [False])
    assert history[-1].version == (BUNDLED_THEN if is_bundled else VERSION)
    assert ("Serving" in said) is is_bundled
    assert (loaded(SqlStorage(database)).version == history[0].version) is is_bundled


def test_what_was_published_in_format_2_is_served_and_replaced(tmp_path: Path) -> None:
    """Every version stays what it was; `init` puts the present bundled catalogue in its place."""
    url = f"sqlite:///{tmp_path / 'stored.db'}"
    restore_sqlite(url, (STORED / "revision_0006.sql").read_text(encoding="utf-8"))
    with closing(SqlDatabase(url)) as database:
        SqlStorage(database).prepare()
        before = loaded(SqlStorage(database))

        status, _, _ = Command(tmp_path / "init", "init", database_url=url).ended()

        history = SqlStorage(database).catalogue.history()

    assert {entry.diagnosis.id: entry.version for entry in before.entries} == {
        "asthma": "1623cc2ba5f6bd6e",
        "migraine": "08cfda1d8f4a53c7",
    }
    assert before.intervention_count == 28
    assert before.version == Catalogue(before.entries).version == "1bf0eec04d0a17ab"
    assert all(entry.diagnosis.terms == {} for entry in before.entries)
    assert status == 0
    assert [each.is_bundled for each in history] == [True, True]
