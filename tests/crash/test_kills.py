"""Processes are killed while they write; then the data is either old or new, never a mixture.

`make crash ROUNDS=n` sets the number of rounds; a failure names the seed that repeats it.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import shutil
import signal
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.bootstrap.container import Container
from evref.bootstrap.settings import Settings
from evref.domain.access.key import ApiKey
from evref.domain.audit import Action, AuditEntry
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports.accounts import INSTITUTIONS
from evref.ports.catalogue import CATALOGUES_KEPT
from evref.testing.builders import OPERATOR
from tests.adapters.sql.releases import RELEASES, Rows, assert_kept, described, restore, rows
from tests.crash import work
from tests.server.patient import container as patient
from tests.servers import PATIENCE, PostgresqlServer, database_name, wait_until

# Processes start quickly, because they are forked from one with all imports. It has pytest too,
# because a new process imports its parent's main module.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "alembic.command",
        "evref.adapters.outbound.sql.postgresql",
        "pytest",
        "sqlalchemy.dialects.postgresql.psycopg",
        "tests.crash.work",
    ]
)


class SqliteFiles:
    """Creates databases in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0

    def new(self, template: str | None = None) -> str:
        """Return the URL of a new database, optionally a copy of one without connections."""
        self._made += 1
        file = self._folder / f"{self._made}.sqlite"
        if template is not None:
            shutil.copyfile(template.removeprefix("sqlite:///"), file)
        return f"sqlite:///{file}"

    def wait_until_unused(self, url: str) -> None:
        """Do nothing: the locks of a process end with the process."""


class PostgresqlDatabases:
    """Creates databases on a server."""

    def __init__(self, server: PostgresqlServer) -> None:
        self._server = server

    def new(self, template: str | None = None) -> str:
        name = "template1" if template is None else database_name(template)
        return self._server.url(self._server.new_database(name))

    def wait_until_unused(self, url: str) -> None:
        """Wait until the database has closed the connections of dead processes."""
        connections = (
            f"SELECT count(*) FROM pg_stat_activity WHERE datname = '{database_name(url)}'"
        )
        wait_until(lambda: self._server.execute(connections) == [(0,)])


Databases = SqliteFiles | PostgresqlDatabases


@pytest.fixture(params=["sqlite", "postgresql"])
def databases(request: pytest.FixtureRequest, tmp_path: Path) -> Databases:
    if request.param == "sqlite":
        return SqliteFiles(tmp_path)
    return PostgresqlDatabases(request.getfixturevalue("postgresql"))


class Task(ABC):
    """The work of the processes until they are killed, and the check after that."""

    work: Callable[..., None]
    """What the processes run."""

    processes = 2
    """The number of processes that change the same data concurrently."""

    ends = False
    may_die = True

    changes_to_come = 6
    """The approximate number of changes done before the processes are killed."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self.longest = 0.1  # seconds until a process is killed; adapts to the time of a change

    @abstractmethod
    def begin(self, number: int) -> str:
        """Prepare the round with this number; return the URL of its database."""

    @abstractmethod
    def judge(self, url: str, number: int, done: int, unknown: int) -> str:
        """Return the outcome of the round in a few words.

        `done` changes are complete; `unknown` changes were interrupted.

        Raises:
            AssertionError: The data is neither old nor new.

        """

    @abstractmethod
    def close(self) -> None:
        """Close the connections."""


class OneDatabase(Task):
    """A task whose rounds change the same database."""

    @cached_property
    def _container(self) -> Container:
        container = patient(Settings(database_url=self._databases.new()))
        container.storage().prepare()
        return container

    def begin(self, number: int) -> str:
        self.close()
        url: str = self._container.settings().database_url
        return url

    def close(self) -> None:
        self._container.storage().close()


class Keys(OneDatabase):
    work = staticmethod(work.change_keys)

    def begin(self, number: int) -> str:
        self._container.manage_institutions().create_institution(OPERATOR, f"i{number}")
        return super().begin(number)

    def judge(self, url: str, number: int, done: int, unknown: int) -> str:
        (institution,) = self._container.storage().records.find(INSTITUTIONS, name=f"i{number}")
        log = self._container.storage().audit.entries(institution.id)
        entries = [entry for entry in reversed(log) if entry.key_id is not None]
        kept = {
            key.id: {
                "name": repr(key.name),
                "permission": key.permission.value,
                "limit": str(key.daily_limit),
                "revoked": str(key.revoked_at is not None),
                "secrets": secrets(key),
            }
            for key in self._container.storage().keys.list(institution.id)
        }

        assert done <= len(entries) <= done + unknown
        assert replayed(entries) == kept
        return "with the last change" if len(entries) > done else "without the last change"


FIRST_SECRET = "as created"


def secrets(key: ApiKey) -> str:
    """Return the secrets as the audit log describes them after a rotation."""
    if key.newest.created_at == key.created_at:
        return FIRST_SECRET
    ends = [
        f"…{secret.last_four} ends at {secret.ends_at:%Y-%m-%d %H:%M:%S} UTC"
        for secret in key.secrets[:-1]
    ]
    return ", ".join([f"…{key.last_four}", *(ends or ["no older secret is valid"])])


def replayed(entries: Sequence[AuditEntry]) -> dict[str, dict[str, str]]:
    """Return the keys according to the log, whose oldest entry comes first."""
    keys: dict[str, dict[str, str]] = {}
    for entry in entries:
        assert entry.key_id is not None
        if entry.action == Action.KEY_CREATED:
            assert entry.key_id not in keys
            values = re.findall(r"(name|permission|limit) ([^, ]+)", entry.detail)
            first = {"revoked": "False", "secrets": FIRST_SECRET}
            keys[entry.key_id] = {**dict(values), **first}
            continue
        key = keys[entry.key_id]
        assert key["revoked"] == "False"
        if entry.action == Action.KEY_REVOKED:
            key["revoked"] = "True"
            continue
        if entry.action == Action.KEY_ROTATED:
            rotation = re.fullmatch(r"secret from (…\w{4}) to (.+)", entry.detail)
            assert rotation is not None
            assert key["secrets"] == FIRST_SECRET or key["secrets"].startswith(rotation[1])
            key["secrets"] = rotation[2]
            continue
        changes = re.findall(r"(name|permission|limit) from ([^, ]+) to ([^, ]+)", entry.detail)
        assert changes
        for label, before, after in changes:
            assert key[label] == before
            key[label] = after
    return keys


class Catalogues(OneDatabase):
    work = staticmethod(work.load_catalogues)
    processes = 1  # a second process would repair what the first one left behind

    @cached_property
    def _versions(self) -> dict[str, str]:
        return {catalogue.version: path.name for path, catalogue in work.CATALOGUES.items()}

    def judge(self, url: str, number: int, done: int, unknown: int) -> str:
        store = self._container.storage().catalogue
        loaded = store.load()
        if loaded is None:
            assert done == 0
            return "none"
        history = store.history()
        assert history[0].version == loaded.version
        for publication in history[:CATALOGUES_KEPT]:
            kept = store.load(publication.version)
            assert kept is not None
            assert Catalogue(kept.entries).version == publication.version
        return self._versions[loaded.version]


class Migrations(Task):
    work = staticmethod(work.migrate)
    processes = 1
    ends = True
    may_die = False
    changes_to_come = 1

    def __init__(self, databases: Databases) -> None:
        super().__init__(databases)
        self._templates: dict[str | None, tuple[str, list[str], list[str], Rows]] = {}

    def _template(self, number: int) -> tuple[str, list[str], list[str], Rows]:
        """Return an empty database or one of a release, in turn.

        Returns its URL, its schema, its schema after an upgrade that nothing interrupts, and its
        rows.
        """
        releases = (None, *RELEASES)
        release = releases[number % len(releases)]
        if release not in self._templates:
            url = self._databases.new()
            if release is not None:
                restore(url, release)
            with closing(SqlDatabase(url, timeout_seconds=60)) as database:
                schema, before = described(url), _rows(database)
            self._databases.wait_until_unused(url)
            upgraded = self._databases.new(url)
            with closing(SqlDatabase(upgraded, timeout_seconds=60)) as database:
                SqlStorage(database).prepare()
            self._templates[release] = url, schema, described(upgraded), before
        return self._templates[release]

    def begin(self, number: int) -> str:
        return self._databases.new(self._template(number)[0])

    def judge(self, url: str, number: int, done: int, unknown: int) -> str:
        _, schema, upgraded, before = self._template(number)
        after = described(url)
        with closing(SqlDatabase(url, timeout_seconds=60)) as database:
            # The schema of some releases is the present one.
            if after != upgraded:
                assert after == schema
                assert done == 0
                assert _rows(database) == before
            assert_kept(before, _rows(database))
            SqlStorage(database).prepare()
            SqlStorage(database).verify()
            assert_kept(before, _rows(database))
        assert described(url) == upgraded
        return "new" if after == upgraded else "old"

    def close(self) -> None:
        """Do nothing: each step closes its own."""


def _rows(database: SqlDatabase) -> Rows:
    with database.connect() as connection:
        return rows(connection)


@pytest.mark.parametrize("kind", [Keys, Catalogues, Migrations])
def test_a_killed_process_leaves_the_old_or_the_new_state(
    databases: Databases, kind: type[Task]
) -> None:
    seed = os.environ.get("SEED") or f"{random.randrange(10**9)}"
    figures = Counter[str]()
    with closing(kind(databases)) as task:
        for number in range(int(os.environ.get("ROUNDS", "3"))):
            try:
                play(task, number, seed, databases, figures)
            except BaseException as error:
                error.add_note(f"in round {number} with SEED={seed}")
                raise
    print(dict(figures))  # noqa: T201 - pytest shows it with -rP


def play(task: Task, number: int, seed: str, databases: Databases, figures: Counter[str]) -> None:
    """Play one round; the seed determines everything random except the moment of a kill."""
    random = Random(f"{seed}-{number}")
    url = task.begin(number)
    started: list[tuple[Any, Any]] = []
    dies = task.may_die and random.random() < 0.5
    for index in range(task.processes):
        receiver, sender = multiprocessing.Pipe(duplex=False)
        changes = work.Changes(sender, f"{random.random()}", index, dies=dies)
        arguments = changes, url, f"i{number}"
        process = _CONTEXT.Process(target=task.work, args=arguments, daemon=True)
        process.start()
        started.append((process, receiver))
        sender.close()
    done = unknown = 0
    for process, receiver in started:
        # Wait for the first change; before it, there is nothing to interrupt.
        assert receiver.poll(PATIENCE)
        process.join(5 if dies else random.uniform(0, task.longest))
        process.kill()
        process.join()
        messages = b"".join(_all(receiver))
        assert process.exitcode == -signal.SIGKILL or (process.exitcode == 0 and task.ends)
        done += messages.count(work.DONE)
        unknown += messages.endswith(work.BEGUN)
        figures["kills"] += process.exitcode != 0
    databases.wait_until_unused(url)
    if not dies:
        task.longest *= 1.25 if done < task.changes_to_come else 0.8
    figures["changes"] += done
    figures["interrupted changes"] += unknown
    figures[task.judge(url, number, done, unknown)] += 1


def _all(receiver: Any) -> list[bytes]:
    messages = []
    try:
        while receiver.poll():
            messages.append(receiver.recv_bytes())
    except EOFError:
        pass
    return messages
