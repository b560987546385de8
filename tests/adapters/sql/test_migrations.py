"""From every earlier revision to the present one, with data in place; and who does it, and when.

A further revision is tested by being there: what an earlier one holds is made up from its tables.
"""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import insert, text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.adapters.outbound.sql.storage import REVISIONS, migrate
from evref.domain.accounts.sign_in import Session, SessionToken
from evref.domain.audit import Action, AuditEntry, Subject, SubjectKind
from evref.domain.principal import Role
from evref.testing.builders import NOON, a_catalogue, a_key, a_member, an_entry
from evref.testing.filling import change_team, keep_catalogue
from tests.adapters.sql.made_up import Rows, assert_kept, fill, rows, tables
from tests.adapters.sql.schemas import described
from tests.processes import Command
from tests.servers import free_port

EARLIER = REVISIONS[:-1]
TOGETHER = 2


@pytest.fixture(params=EARLIER)
def revision(request: pytest.FixtureRequest) -> str:
    """Each earlier one in turn."""
    return str(request.param)


@pytest.fixture
def before(database: SqlDatabase, revision: str) -> Rows:
    """What is in a database of the earlier revision."""
    with database.transaction() as connection:
        migrate(connection, revision)
        fill(connection)
    with database.connect() as connection:
        return rows(connection)


def test_all_that_an_earlier_revision_held_is_kept(
    database: SqlDatabase, url: str, before: Rows, new_url: str
) -> None:
    """And its tables become the very ones of a database that is new."""
    SqlStorage(database).prepare()

    SqlStorage(database).verify()
    with database.connect() as connection:
        assert_kept(before, rows(connection))
    with closing(SqlDatabase(new_url, timeout_seconds=60)) as new:
        SqlStorage(new).prepare()
    assert described(url) == described(new_url)


MEMBERS = (a_member("m1", email="a@example.org"), a_member("m2", email="b@example.org"))
SESSION = Session.of(MEMBERS[0], SessionToken.make(1), NOON)
KEY = a_key()
ENTRY = AuditEntry(
    NOON, "i1", "operator", Action.KEY_CREATED, Subject(SubjectKind.KEY, "k1"), "name 'Ward app'"
)


def a_team_of_then() -> dict[str, list[dict[str, object]]]:
    """An institution with members, a session, a key and an audit entry, by table.

    With the columns of all revisions.
    """
    (secret,) = KEY.secrets
    identity = {"last_four": secret.last_four, "created_at": NOON, "key_id": KEY.id}
    key = {name: getattr(KEY, name) for name in ("id", "institution_id", "name", "daily_limit")}
    entry = {"actor": "operator", "action": ENTRY.action.value, "detail": ENTRY.detail}
    about = {"key_id": KEY.id, "subject_kind": "key", "subject_id": KEY.id}
    return {
        "institutions": [{"id": "i1", "name": "General Hospital", "created_at": NOON}],
        "members": [
            {
                "id": member.id,
                "institution_id": "i1",
                "email": member.email,
                "role": "admin",
                "password_hash": member.password_hash,
                "created_at": NOON,
            }
            for member in MEMBERS
        ],
        "sessions": [
            {
                "digest": SESSION.digest,
                "member_id": SESSION.member_id,
                "password_digest": SESSION.password_digest,
                "started_at": NOON,
            }
        ],
        "api_keys": [key | identity | {"token_hash": secret.digest, "permission": "read"}],
        "key_secrets": [identity | {"digest": secret.digest}],
        "audit_entries": [entry | about | {"at": NOON, "institution_id": "i1"}],
    }


def test_members_of_an_earlier_revision_become_admins_and_go_on(
    database: SqlDatabase, revision: str
) -> None:
    """With their passwords, sessions, keys and audit log, as the storage return them now."""
    with database.transaction() as connection:
        migrate(connection, revision)
        held = a_team_of_then()
        there = {table.name: table for table in tables(connection)}
        for table in there.values():
            for row in held.get(table.name, []):
                known = {name: row[name] for name in table.columns.keys() & row.keys()}
                connection.execute(insert(table).values(known))

    SqlStorage(database).prepare()

    storage = SqlStorage(database)
    assert storage.accounts.members() == MEMBERS
    assert {member.role for member in storage.accounts.members()} == {Role.ADMIN}
    assert storage.keys.by_digests([KEY.secrets[0].digest]) == {KEY.secrets[0].digest: KEY}
    assert storage.audit.entries("i1") == (ENTRY,)
    if "sessions" in there:
        assert storage.sessions.get(SESSION.digest) == SESSION
        assert SESSION.is_live(storage.accounts.member("m1"), NOON)
    change_team(storage, "i1", lambda team: team.without_member("m1", NOON))
    assert storage.accounts.members() == MEMBERS[1:]


def said_by_several_inits(url: str, folder: Path) -> list[str]:
    """What so many `evref init` at once say besides that storage is ready; none fails."""
    started = [
        Command(folder / f"{number}", "init", database_url=url) for number in range(TOGETHER)
    ]
    ended = [command.ended() for command in started]
    assert [(status, out) for status, out, _ in ended] == [
        (0, "The storage is ready.\n")
    ] * TOGETHER
    return sorted(err for _, _, err in ended)


@pytest.mark.parametrize("revision", EARLIER[-1:], indirect=True)
def test_concurrent_inits_of_an_earlier_revision_all_succeed(
    database: SqlDatabase, url: str, before: Rows, tmp_path: Path
) -> None:
    """One migrates, the others find it done, and all data is kept."""
    assert said_by_several_inits(url, tmp_path) == [""] * TOGETHER

    SqlStorage(database).verify()
    with database.connect() as connection:
        assert_kept(before, rows(connection))


@pytest.mark.parametrize("state", ["older", "newer"])
@pytest.mark.parametrize("start", [("serve", "--bind"), ("key", "list")])
def test_what_another_version_left_is_told_in_one_line(
    database: SqlDatabase, url: str, tmp_path: Path, state: str, start: tuple[str, ...]
) -> None:
    """And neither served from nor changed."""
    with database.transaction() as connection:
        migrate(connection, EARLIER[-1])
        if state == "newer":
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    bind = [f"127.0.0.1:{free_port()}"] if start[0] == "serve" else []

    status, out, err = Command(tmp_path / "command", *start, *bind, database_url=url).ended()

    told = {
        "older": "evref: The database was made by an older version of evref; run: evref init\n",
        "newer": "evref: The database was made by a newer version of evref; "
        "install that, or newer.\n",
    }
    assert (status, out, err) == (1, "", told[state])


def test_concurrent_inits_of_an_empty_database_all_succeed(
    database: SqlDatabase, url: str, tmp_path: Path
) -> None:
    """There is one database in the end, with one catalogue, that one of them has loaded."""
    *nothing, said = said_by_several_inits(url, tmp_path)

    SqlStorage(database).verify()
    loaded = SqlStorage(database).catalogue.load()
    assert loaded is not None
    assert nothing == [""] * (TOGETHER - 1)
    assert loaded.version in said


def test_stored_publications_are_compared_once(
    database: SqlDatabase, url: str, tmp_path: Path
) -> None:
    """The oldest one is not, because the catalogue that it replaced is no longer stored."""
    with closing(SqlDatabase(f"sqlite:///{tmp_path / 'filled.db'}")) as filled:
        source = SqlStorage(filled)
        source.prepare()
        for name in ("First", "Second", "Third", "Second"):
            keep_catalogue(source, a_catalogue(an_entry("always"), an_entry("other", name=name)))
        history = source.catalogue.history()
        with filled.connect() as connection:
            held = rows(connection)
    with database.transaction() as connection:
        migrate(connection, "0008")
        for table in tables(connection):
            if table.name in {"catalogue_documents", "catalogue_history", "catalogue_contents"}:
                known = [
                    {column.name: row[column.name] for column in table.columns}
                    for row in held[table.name]
                ]
                connection.execute(insert(table), known)
        connection.execute(text("UPDATE catalogue_history SET number = number + 10"))

    SqlStorage(database).prepare()

    assert SqlStorage(database).catalogue.history() == (
        *history[:-1],
        replace(history[-1], comparison=None),
    )
