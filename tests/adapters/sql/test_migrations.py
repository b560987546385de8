"""Tests that a database that a release has written is upgraded with all its content.

To test another release, add its files to `released` and its name to `RELEASES`.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.bootstrap.app import create_app
from evref.bootstrap.settings import Settings
from evref.domain.audit import Action
from evref.domain.errors import StorageNotReadyError
from evref.testing.builders import OPERATOR
from evref.testing.filling import at_once, served_version
from tests.adapters.sql.releases import (
    LEFT,
    RELEASES,
    assert_kept,
    described,
    known,
    restore,
    rows,
)
from tests.fakes import FakeClock
from tests.installation import Installation
from tests.server.conftest import environment

MAY_DIFFER = {"request_id": "", "detail": ""}
"""An id of each request, and a sentence for people."""


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest, url: str) -> str:
    """Write the database of a release to the URL; return the name of the release."""
    name: str = request.param
    restore(url, name)
    return name


def test_every_row_of_a_release_is_kept(
    release: str, database: SqlDatabase, url: str, new_url: str
) -> None:
    with database.connect() as connection:
        before = rows(connection)
    assert all(before[name] for name in ("api_keys", "daily_usage", "sessions", "audit_entries"))

    SqlStorage(database).prepare()

    SqlStorage(database).verify()
    with database.connect() as connection:
        assert_kept(before, rows(connection))
    with closing(SqlDatabase(new_url, timeout_seconds=60)) as new:
        SqlStorage(new).prepare()
    with database.transaction() as connection:
        for name in LEFT[release]:
            connection.execute(text(f"DROP TABLE {name}"))
    assert described(url) == described(new_url)


class Upgraded(Installation):
    """The service on an upgraded database, half an hour after the last publication."""

    def __init__(self, url: str, release: str) -> None:
        self.known: dict[str, Any] = known(release)
        responses = self.known["responses"]
        published_at = responses["/api/v1/changes"]["data"][0]["published_at"]
        clock = FakeClock(datetime.fromisoformat(published_at) + timedelta(minutes=30))
        secret_key = f"of release {release}, for the tests only"
        super().__init__(Settings(database_url=url, secret_key=secret_key), clock)
        self.container.storage().prepare()
        self.client: FlaskClient = create_app(self.settings, self.container).test_client()

    def get(self, path: str, key: int = 0) -> Any:
        headers = {"Authorization": f"Bearer {self.known['keys'][key]}"}
        return self.client.get(path, headers=headers)


@pytest.fixture
def upgraded(release: str, url: str) -> Iterator[Upgraded]:
    with closing(Upgraded(url, release)) as upgraded:
        yield upgraded


def test_clients_notice_nothing_of_an_upgrade(upgraded: Upgraded) -> None:
    for path, before in upgraded.known["responses"].items():
        after = upgraded.get(path).get_json()
        if path == "/api/v1/limit":
            # The requests for the paths before this one were counted a second time.
            counted = len(upgraded.known["responses"]) - 1
            assert after["data"] == before["data"] | {
                "used": before["data"]["used"] + counted,
                "remaining": before["data"]["remaining"] - counted,
            }
        else:
            assert {**after, **MAY_DIFFER} == {**before, **MAY_DIFFER}
    listed = upgraded.get("/api/v1/diagnoses", key=1).get_json()["data"]
    versions = {diagnosis["id"]: diagnosis["version"] for diagnosis in listed}
    assert versions == upgraded.known["diagnoses"]
    assert [upgraded.get("/api/v1/limit", key).status_code for key in range(4)] == [
        *(200, 200, 200, 401)
    ]
    for name, value in upgraded.known["cookies"].items():
        upgraded.client.set_cookie(name, value)
    assert "Study" in upgraded.client.get("/settings/api-keys").text


@pytest.mark.parametrize("release", ["0.2.0"], indirect=True)
def test_invitations_and_codes_of_a_release_are_kept(upgraded: Upgraded) -> None:
    assert upgraded.client.get(upgraded.known["invitation"]).status_code == 200
    found = upgraded.get("/api/v1/diagnoses?snomed=12295008").get_json()["data"]
    assert [diagnosis["id"] for diagnosis in found] == ["bronchiectasis"]


def test_an_earlier_publication_of_a_release_is_served_again(upgraded: Upgraded) -> None:
    container, storage = upgraded.container, upgraded.container.storage()
    before = [publication.version for publication in storage.catalogue.history()]
    assert before == upgraded.known["versions"]
    for version in before:
        loaded = storage.catalogue.load(version)
        assert loaded is not None
        assert loaded.version == version

    plan = container.publish().plan_rollback(OPERATOR)
    container.publish().publish(OPERATOR, plan, by="operator")

    assert served_version(storage) == plan.catalogue.version == before[1]
    assert len(storage.catalogue.history()) == len(before) + 1
    actions = [entry.action for entry in storage.audit.entries(None)]
    assert actions[0] == Action.CATALOGUE_PUBLISHED
    assert actions.count(Action.CATALOGUE_PUBLISHED) == len(before) + 1


@pytest.mark.parametrize("release", ["0.1.0"], indirect=True)
def test_a_damaged_catalogue_of_a_release_is_not_kept(
    release: str, url: str, database: SqlDatabase
) -> None:
    with database.transaction() as connection:
        connection.execute(text("UPDATE catalogue_documents SET content = ''"))

    upgraded = Upgraded(url, release)

    assert upgraded.get("/api/v1/diagnoses").status_code == 503
    assert upgraded.container.storage().catalogue.load("any") is None


@pytest.mark.parametrize(
    ("revision", "error"),
    [
        ("0008", "The database was made by no release of evref and cannot be upgraded."),
        ("0013", "The database was made by no release of evref and cannot be upgraded."),
        ("0009", "The database was made by an older version of evref; run: evref init"),
        ("9999", "The database was made by a newer version of evref; install that, or newer."),
    ],
)
@pytest.mark.parametrize("release", ["0.1.0"], indirect=True)
@pytest.mark.usefixtures("release")
def test_a_database_of_another_version_is_an_error(
    database: SqlDatabase, revision: str, error: str
) -> None:
    with database.transaction() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{revision}'"))

    acts = [SqlStorage(database).verify]
    if "older" not in error:
        acts.append(SqlStorage(database).prepare)

    for act in acts:
        with pytest.raises(StorageNotReadyError, match=f"^{re.escape(error)}$"):
            act()


def test_concurrent_inits_of_an_empty_database_all_succeed(
    database: SqlDatabase, url: str, tmp_path: Path
) -> None:
    def init(_: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "evref", "init"],
            cwd=tmp_path,
            env=environment(database_url=url),
            capture_output=True,
            text=True,
            check=True,
        )

    ended = at_once(2, init)
    nothing, summary = sorted(done.stderr for done in ended)

    SqlStorage(database).verify()
    loaded = SqlStorage(database).catalogue.load()
    assert loaded is not None
    assert [done.stdout for done in ended] == ["The storage is ready.\n"] * 2
    assert nothing == ""
    assert loaded.version in summary
