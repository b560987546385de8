"""The commands of the how-to back up and restore a database."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from evref.adapters.outbound.sql import SqlDatabase
from evref.application.access.manage_keys import NewKey
from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.bootstrap.settings import Settings
from evref.domain.errors import InvalidApiKeyError
from evref.testing.builders import OPERATOR
from tests.adapters.sql.releases import Rows, assert_kept, rows
from tests.deploy.shell import ROOT, adapted, blocks, needs, run, section
from tests.installation import INSTITUTION, Installation
from tests.servers import PostgresqlServer

PAGE = ROOT / "docs" / "how-to" / "back-up.md"
AS_POSTGRES = "runuser --user postgres -- "
SCRIPT = ROOT / "deploy" / "backup" / "evref-backup"
BACK_UPS = "/var/backups/evref"


def back_up(
    folder: Path, url: str, replaced: dict[str, str], own: str = "", **variables: str
) -> Path:
    """Run the script with this database and its own settings; return the file that it wrote."""
    settings, own_settings = folder / "settings", folder / "backup.env"
    script = folder / "evref-backup"
    settings.write_text(f"EVREF_DATABASE_URL='{url}'\n")
    if own:
        own_settings.write_text(own)
    files = {"/etc/evref/.env": str(settings), "/etc/evref/backup.env": str(own_settings)}
    script.write_text(adapted(SCRIPT.read_text(), {**replaced, **files}))
    return Path(run(f"sh {script}", folder, {}, **variables).strip())


def commands(heading: str, word: str) -> str:
    """Return the block below a heading that contains the word."""
    (block,) = (block for block in blocks(section(PAGE, heading)) if word in block)
    return block


def service(url: str) -> closing[Installation]:
    return closing(Installation(Settings(database_url=url)))


def ask(service: Installation, key: NewKey, times: int) -> None:
    for _ in range(times):
        service.container.gate().admit(key.token)


def made(service: Installation) -> NewKey:
    """Prepare a database, and return a key that has sent two requests."""
    container = service.container
    container.storage().prepare()
    container.publish().publish_bundled(OPERATOR, by="operator")
    container.manage_institutions().create_institution(OPERATOR, INSTITUTION)
    key = service.new_key()
    ask(service, key, 2)
    return key


def changed(service: Installation, key: NewKey) -> NewKey:
    """Change everything, and return another key."""
    container = service.container
    ask(service, key, 3)
    container.manage_keys().revoke(OPERATOR, key.key.id)
    publish = container.publish()
    plan = publish.plan_load(OPERATOR, BUNDLED_CATALOGUE / "asthma.yaml")
    publish.publish(OPERATOR, plan, by="operator", allow_removals=True)
    return service.new_key("Later")


def kept(url: str) -> Rows:
    with closing(SqlDatabase(url)) as database, database.connect() as connection:
        return rows(connection)


def check(url: str, back_up: Callable[[], object], restore: Callable[[], object]) -> None:
    """Back up a database in use, change it, and restore it: all later data must be gone."""
    with service(url) as in_use:
        key = made(in_use)
        before = kept(url)
        back_up()
        later = changed(in_use, key)
        log = Path(f"{url.removeprefix('sqlite:///')}-wal")
        unwritten = log.read_bytes() if log.exists() else None
    if unwritten is not None:
        # A killed service leaves this file behind; SQLite would apply it to the restored database.
        log.write_bytes(unwritten)
    restore()
    with service(url) as restored:
        restored.container.storage().verify()

        after = kept(url)
        assert_kept(before, after)
        assert_kept(after, before)

        ask(restored, key, 1)
        assert restored.container.manage_keys().history(OPERATOR, key.key.id)[0].admitted == 3
        with pytest.raises(InvalidApiKeyError):
            ask(restored, later, 1)


def test_sqlite_is_backed_up_while_it_is_in_use_and_restored(tmp_path: Path) -> None:
    needs("sqlite3")
    data, back_ups = tmp_path / "data", tmp_path / "back-ups"
    data.mkdir()
    back_ups.mkdir()
    url = f"sqlite:///{data}/evref.sqlite"
    here = {BACK_UPS: str(back_ups), "/var/lib/evref": str(data)}
    here["--owner evref --group evref"] = ""

    check(
        url,
        lambda: back_up(tmp_path, url, {BACK_UPS: str(back_ups)}),
        lambda: run(commands("## Restore", "sqlite-wal"), tmp_path, here),
    )


def test_postgresql_is_backed_up_while_it_is_in_use_and_restored(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    name, programs = postgresql.new_database(), postgresql.for_its_programs()
    url = postgresql.url(name)
    here = {BACK_UPS: str(tmp_path), AS_POSTGRES: ""}
    backing_up = {**here, "custom evref >": f"custom {name} >"}
    restoring = {
        **here,
        "--owner evref": "--owner postgres",
        "--force evref": f"--force {name}",
        "template0 evref": f"template0 {name}",
        "--dbname evref": f"--dbname {name}",
    }

    check(
        url,
        lambda: back_up(tmp_path, url.replace(name, "evref"), backing_up, **programs),
        lambda: run(commands("## Restore", "pg_restore"), tmp_path, restoring, **programs),
    )


def test_a_database_in_a_container_is_backed_up_while_it_is_in_use_and_restored(
    postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    """The commands of the how-to run here without the container."""
    name, programs = postgresql.new_database(), postgresql.for_its_programs()
    folder = tmp_path / "deploy"
    folder.mkdir()
    here = {"docker compose exec -T postgresql ": "", "--username evref": "--username postgres"}
    backing_up = {**here, "custom evref >": f"custom {name} >"}
    restoring = {
        **here,
        "docker compose stop evref\n": "",
        "docker compose up --detach\n": "",
        "--force evref": f"--force {name}",
        "postgres evref": f"postgres {name}",
        "--dbname evref": f"--dbname {name}",
    }

    def restore() -> None:
        (backup,) = folder.iterdir()
        assert backup.stat().st_mode & 0o077 == 0
        (folder / "evref-2026-01-01T000000Z.dump").touch()
        run(commands("## In containers", "dropdb"), folder, restoring, **programs)

    check(
        postgresql.url(name),
        lambda: run(commands("## In containers", "pg_dump"), folder, backing_up, **programs),
        restore,
    )


@pytest.mark.parametrize("folder", ["'copies'/", '"copies"', "missing"])
def test_the_latest_backups_are_kept_and_copied(folder: str, tmp_path: Path) -> None:
    needs("sqlite3")
    needs("scp")
    back_ups, copies = tmp_path / "back-ups", tmp_path / "copies"
    back_ups.mkdir()
    copies.mkdir()
    url = f"sqlite:///{tmp_path}/evref.sqlite"
    with service(url) as in_use:
        made(in_use)
    old = [back_ups / f"evref-2026-01-0{day}T023000Z.sqlite" for day in range(1, 5)]
    for path in old:
        path.touch()

    own = f"COPY_TO=elsewhere\nKEEP=3\nCOPY_TO={folder}\n".replace("copies", f"{copies}")
    if folder == "missing":
        with pytest.raises(AssertionError, match="was not copied to missing/"):
            back_up(tmp_path, url, {BACK_UPS: str(back_ups)}, own)
    else:
        back_up(tmp_path, url, {BACK_UPS: str(back_ups)}, own)

    *kept_ones, written = sorted(back_ups.iterdir())
    assert kept_ones == old[2:]
    assert written.stat().st_mode & 0o077 == 0
    copied = [path.read_bytes() for path in copies.iterdir()]
    assert copied == ([] if folder == "missing" else [written.read_bytes()])


@pytest.mark.parametrize("fault", ["missing", "empty", "other", "damaged", "unknown"])
def test_a_backup_of_nothing_fails(fault: str, tmp_path: Path) -> None:
    needs("sqlite3")
    back_ups, database = tmp_path / "back-ups", tmp_path / "evref.sqlite"
    back_ups.mkdir()
    url = "mysql://evref" if fault == "unknown" else f"sqlite:///{database}"
    if fault == "empty":
        database.touch()
    if fault == "other":
        run(f"sqlite3 {database} 'CREATE TABLE alembic (version_num)'", tmp_path, {})
    if fault == "damaged":
        with service(url) as in_use:
            made(in_use)
        content = bytearray(database.read_bytes())
        content[8192:-8192] = b"x" * (len(content) - 16384)
        database.write_bytes(content)
    older = back_ups / "evref-2026-01-01T023000Z.sqlite"
    older.touch()

    with pytest.raises(AssertionError, match="evref-backup: "):
        back_up(tmp_path, url, {BACK_UPS: str(back_ups)}, "KEEP=0\n")

    assert list(back_ups.iterdir()) == [older]
    assert database.exists() == (fault not in {"missing", "unknown"})
