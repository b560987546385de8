"""The commands of the how-to back up and restore a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from evref.application.access.manage_keys import KeyInUse, NewKey
from evref.bootstrap.container import BUNDLED_CATALOGUE, Container
from evref.bootstrap.settings import Settings
from evref.domain.access.permission import Permission
from evref.domain.audit import AuditEntry
from evref.domain.errors import InvalidApiKeyError
from evref.testing.builders import OPERATOR
from tests.deploy.shell import ROOT, blocks, needs, run, section
from tests.institutions import institution_id
from tests.servers import PostgresqlServer

PAGE = ROOT / "docs" / "how-to" / "back-up.md"
AS_POSTGRES = "runuser --user postgres -- "
BACK_UPS = "/var/backups/evref"


@dataclass(frozen=True)
class Kept:
    """The data that a backup must preserve."""

    version: str
    catalogue: dict[str, str]
    keys: tuple[KeyInUse, ...]
    audit_log: tuple[AuditEntry, ...]


def commands(heading: str, word: str) -> str:
    """Return the block below a heading that contains the word."""
    (found,) = (block for block in blocks(section(PAGE, heading)) if word in block)
    return found


@contextmanager
def service(url: str) -> Iterator[Container]:
    container = Container(settings=Settings(database_url=url))
    yield container
    container.storage().close()


def ask(container: Container, key: NewKey, times: int) -> None:
    for _ in range(times):
        container.admit()(key.token, Permission.READ)


def made(container: Container) -> NewKey:
    """Prepare a database, and return a key that has sent two requests."""
    container.storage().prepare()
    container.publish().publish_bundled(OPERATOR, lambda _done, _total: None, by="operator")
    container.manage_institutions().create_institution(OPERATOR, "Hospital")
    key = container.manage_keys().create(
        OPERATOR, institution_id(container, "Hospital"), name="Ward app"
    )
    ask(container, key, 2)
    return key


def changed(container: Container, key: NewKey) -> NewKey:
    """Change everything, and return another key."""
    ask(container, key, 3)
    container.manage_keys().revoke(OPERATOR, key.key.id)
    publish = container.publish()
    plan = publish.plan_load(
        OPERATOR, BUNDLED_CATALOGUE / "asthma.yaml", lambda _done, _total: None
    )
    publish.publish(OPERATOR, plan, by="operator", allow_removals=True)
    return container.manage_keys().create(
        OPERATOR, institution_id(container, "Hospital"), name="Later"
    )


def kept(container: Container, folder: Path) -> Kept:
    version = container.publish().export(OPERATOR, folder).version
    keys = container.manage_keys().list_all(OPERATOR)
    return Kept(
        version,
        {path.name: path.read_text() for path in folder.iterdir()},
        keys,
        container.read_audit_log()(OPERATOR, keys[0].key.institution_id, 1).entries,
    )


def check_restored(url: str, before: Kept, key: NewKey, later: NewKey, folder: Path) -> None:
    """The data is that of the backup, the service continues from there, and later data is lost."""
    with service(url) as restored:
        restored.storage().verify()

        assert kept(restored, folder) == before

        ask(restored, key, 1)
        assert restored.manage_keys().history(OPERATOR, key.key.id)[0].admitted == 3
        with pytest.raises(InvalidApiKeyError):
            ask(restored, later, 1)


def test_sqlite_is_backed_up_while_it_is_in_use_and_restored(tmp_path: Path) -> None:
    needs("sqlite3")
    data, back_ups = tmp_path / "data", tmp_path / "back-ups"
    data.mkdir()
    back_ups.mkdir()
    url = f"sqlite:///{data}/evref.sqlite"
    here = {BACK_UPS: str(back_ups), "/var/lib/evref": str(data)}

    with service(url) as in_use:
        key = made(in_use)
        before = kept(in_use, tmp_path / "before")
        run(commands("## Back up", "VACUUM INTO"), tmp_path, here)
        later = changed(in_use, key)
        log = (data / "evref.sqlite-wal").read_bytes()
    # A killed service leaves this file behind; SQLite would apply it to the restored database.
    (data / "evref.sqlite-wal").write_bytes(log)
    run(
        commands("## Restore", "sqlite-wal"),
        tmp_path,
        {**here, "--owner evref --group evref": ""},
    )

    check_restored(url, before, key, later, tmp_path / "after")


def test_postgresql_is_backed_up_while_it_is_in_use_and_restored(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    name = postgresql.new_database()
    url = postgresql.url(name)
    here = {BACK_UPS: str(tmp_path), AS_POSTGRES: ""}

    with service(url) as in_use:
        key = made(in_use)
        before = kept(in_use, tmp_path / "before")
        run(
            commands("## Back up", "pg_dump"),
            tmp_path,
            {**here, " evref >": f" {name} >"},
            **postgresql.for_its_programs(),
        )
        later = changed(in_use, key)
    run(
        commands("## Restore", "pg_restore"),
        tmp_path,
        {
            **here,
            "--owner evref": "--owner postgres",
            "--force evref": f"--force {name}",
            "template0 evref": f"template0 {name}",
            "--dbname evref": f"--dbname {name}",
        },
        **postgresql.for_its_programs(),
    )

    check_restored(url, before, key, later, tmp_path / "after")
