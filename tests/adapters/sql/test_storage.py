"""Tests of creating, preparing, checking and opening a database."""

import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Thread

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.adapters.outbound.sql.storage import MIGRATIONS, REVISIONS
from evref.domain.errors import (
    InvalidValueError,
    StorageNotReadyError,
    StorageUnavailableError,
)
from tests.servers import wait_until

ON_SQLITE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


@pytest.fixture
def unprepared(database: SqlDatabase) -> SqlStorage:
    return SqlStorage(database)


@pytest.mark.parametrize(
    ("form", "name"),
    [("sqlite:///{}", "50 % of it's #1.db"), ("sqlite:///file:{}?uri=true", "evref db")],
)
def test_the_error_for_a_missing_database_says_how_to_create_it(
    tmp_path: Path, form: str, name: str
) -> None:
    """The check does not create the database, whose path may have any characters."""
    database = SqlDatabase(form.format(tmp_path / name))

    with pytest.raises(StorageNotReadyError, match=r"no database yet; run: evref init$"):
        SqlStorage(database).verify()

    assert list(tmp_path.iterdir()) == []
    SqlStorage(database).prepare()
    SqlStorage(database).verify()
    database.close()
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_error_for_a_database_without_tables_says_how_to_create_them(
    unprepared: SqlStorage, database: SqlDatabase
) -> None:
    with database.transaction():
        pass  # SQLite creates its file
    with pytest.raises(StorageNotReadyError, match=r"no tables yet; run: evref init$"):
        unprepared.verify()


def test_the_revisions_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)

    assert tuple(reversed([script.revision for script in scripts.walk_revisions()])) == REVISIONS
    assert scripts.get_current_head() == REVISIONS[-1]


@pytest.mark.parametrize(
    ("theirs", "value"),
    [("alembic_version", "0fedcba98765"), ("alembic_version", "9999"), ("institutions", "theirs")],
)
def test_the_tables_of_another_program_are_not_touched(
    unprepared: SqlStorage, database: SqlDatabase, theirs: str, value: str
) -> None:
    """The message does not blame a version of evref."""
    with database.transaction() as connection:
        connection.execute(text(f"CREATE TABLE {theirs} (version_num VARCHAR(32))"))
        connection.execute(text(f"INSERT INTO {theirs} VALUES ('{value}')"))

    for act in (unprepared.prepare, unprepared.verify):
        with pytest.raises(StorageNotReadyError, match=r"by no release of evref"):
            act()

    with database.connect() as connection:
        assert inspect(connection).get_table_names() == [theirs]


def test_a_preparation_that_fails_leaves_nothing_behind(
    unprepared: SqlStorage, database: SqlDatabase
) -> None:
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE theirs (id INTEGER)"))
        connection.execute(text("CREATE INDEX ix_daily_usage_day ON theirs (id)"))

    with pytest.raises(Exception, match=r"^Storage cannot be reached\.$"):
        unprepared.prepare()

    with database.connect() as connection:
        assert inspect(connection).get_table_names() == ["theirs"]


def has_connections(database: SqlDatabase, number: int) -> bool:
    """Return whether so many open at once; on a busy machine, an attempt can fail."""
    try:
        with ExitStack() as stack:
            for _ in range(number):
                stack.enter_context(database.connect())
    except StorageUnavailableError:
        return False
    return True


def test_a_preparation_waits_for_another_preparation(url: str) -> None:
    """A preparation may wait longer than a request."""
    with closing(SqlDatabase(url, timeout_seconds=1.5)) as database:
        wait_until(lambda: has_connections(database, 2))
        held = database.preparation()
        held.__enter__()
        preparing = Thread(target=SqlStorage(database).prepare)

        preparing.start()
        preparing.join(3)
        waited = preparing.is_alive()
        held.__exit__(None, None, None)
        preparing.join(60)

        assert waited
        assert not preparing.is_alive()
    with closing(SqlDatabase(url, timeout_seconds=60)) as patient:
        SqlStorage(patient).verify()


@ON_SQLITE
def test_after_a_preparation_the_timeout_is_that_of_requests(url: str) -> None:
    with closing(SqlDatabase(url, pool_size=1, timeout_seconds=0.4)) as database:
        SqlStorage(database).prepare()
        with pytest.raises(ZeroDivisionError), database.preparation():
            raise ZeroDivisionError

        with database.connect() as connection:
            assert connection.scalar(text("PRAGMA busy_timeout")) == 400


def test_serving_does_not_import_alembic() -> None:
    """Alembic takes long to import, and only migrations use it."""
    code = "import sys, evref.adapters.outbound.sql; sys.exit('alembic' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "url",
    [
        "",
        "evref.db",
        "mysql://localhost/evref",
        "sqlite+aiosqlite:///evref.db",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///file:x?mode=memory&uri=true",
        "sqlite:///file::memory:?uri=true",
        "sqlite://user@host/evref.db",
    ],
)
def test_a_url_of_an_unsupported_database_is_an_invalid_value(url: str) -> None:
    with pytest.raises(InvalidValueError, match=r"sqlite:///evref\.db"):
        SqlDatabase(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://user:sec@ret@127.0.0.1/evref",
        "postgresql://user:sec@re/t@127.0.0.1/evref",
        "postgresql://user:sec@re?t@127.0.0.1/evref",
        "postgresql://user@127.0.0.1/evref?password=sec@ret",
    ],
)
def test_a_password_with_an_at_sign_is_an_invalid_value(url: str) -> None:
    """Otherwise a part of the password would be read, and logged, as the server's name."""
    with pytest.raises(InvalidValueError, match="as %40") as caught:
        SqlDatabase(url)

    assert "ret" not in str(caught.value)


def test_an_sqlite_library_that_is_too_old_is_an_invalid_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each request would otherwise fail, because the statement that admits it needs RETURNING."""
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))

    with pytest.raises(InvalidValueError, match=r"must be 3\.35 or newer"):
        SqlDatabase("sqlite:///evref.db")


def test_without_the_packages_for_postgresql_the_error_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The packages are an extra, because services on SQLite do not need them."""
    monkeypatch.setitem(sys.modules, "evref.adapters.outbound.sql.postgresql", None)

    with pytest.raises(InvalidValueError, match=r"pip install 'evref\[postgresql\]'"):
        SqlDatabase("postgresql://localhost/evref")


@ON_SQLITE
def test_the_database_is_set_up_for_many_readers_and_one_writer(url: str) -> None:
    """Decision 0002 relies on these settings."""
    with closing(SqlDatabase(url)) as database, database.connect() as connection:
        pragmas = {
            name: connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }

    # It is what the call has left, in milliseconds.
    assert 0 < pragmas.pop("busy_timeout") <= 2500
    assert pragmas == {
        "journal_mode": "wal",
        "synchronous": 1,  # NORMAL
        "foreign_keys": 1,
    }


def test_a_database_in_use_keeps_its_journal_mode(
    tmp_path: Path,
) -> None:
    path = tmp_path / "evref.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TABLE theirs (id INTEGER)")
        other.execute("BEGIN IMMEDIATE")
        database = SqlDatabase(f"sqlite:///{path}")

        with database.connect() as connection:
            assert connection.scalar(text("SELECT count(*) FROM theirs")) == 0
        database.close()
