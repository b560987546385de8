"""`evref institution`, `member` and `key`."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from evref.cli.main import cli
from evref.domain.access.token import KeyToken
from tests.cli.conftest import Run

KEY = ("key", "create", "--institution", "General Hospital", "--name", "Ward app")
MEMBER = ("member", "create", "Ward@Example.org", "--institution", "General Hospital")
LONG = b"correct horse battery"
INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def key_of(run: Run, *options: str) -> dict[str, str]:
    """The `key` and `id` of a new key."""
    made = run(*KEY, *options, "--json")
    assert made.status == 0, made.err
    found: dict[str, str] = made.json
    return found


def test_an_institution_is_made_and_listed(run: Run) -> None:
    """By name."""
    run("init")

    made = run("institution", "create", "  Zuid Clinic ", "--json").json
    created = run("institution", "create", "Academic Hospital")

    assert set(made) == {"id", "name", "created_at"}
    assert made["name"] == "Zuid Clinic"
    assert re.fullmatch(INSTANT, made["created_at"])
    assert "'Academic Hospital'" in created.out
    listed = run("institution", "list", "--json").json
    assert [record["name"] for record in listed] == ["Academic Hospital", "Zuid Clinic"]
    assert made.items() <= listed[1].items()
    assert "Zuid Clinic" in run("institution", "list").out


@pytest.mark.parametrize(
    ("command", "stdin", "message"),
    [
        (("institution", "create", "General Hospital"), b"", "already exists"),
        (("institution", "create", "a\x1b[2Jb"), b"", "name: must be plain text"),
        ((*MEMBER, "--password-stdin"), b"", "password: must have 8 to 1024 characters"),
        ((*MEMBER, "--password-stdin"), b"correct h\xff\xfe", "the password is not valid UTF-8"),
        ((*MEMBER, "--role", "viewer", "--password-stdin"), LONG, "at least one admin"),
        ((*MEMBER[:2], "nobody", *MEMBER[3:], "--password-stdin"), LONG, "e-mail address"),
        ((*KEY, "--limit", "-1"), b"", "daily_limit: must be a whole number from 0 to 10,000,000"),
        ((*KEY, "--expires", "2020-01-01"), b"", "expires_on: must be today"),
        ((*KEY, "--name", "a\x00b"), b"", "name: must be plain text"),
    ],
)
def test_what_breaks_a_rule_is_refused_and_not_made(
    ready: Run, command: tuple[str, ...], stdin: bytes, message: str
) -> None:
    assert message in ready(*command, stdin=stdin).refused()
    counts = [len(ready(kind, "list", "--json").json) for kind in ("institution", "member", "key")]
    assert counts == [1, 0, 0]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("set-limit", "{}", "10000001"), "daily_limit"),
        (("set-limit", "--", "{}", "-1"), "daily_limit"),
        (("set-expiry", "{}", "2020-01-01"), "must be today"),
    ],
)
def test_a_change_that_breaks_a_rule_changes_nothing(
    ready: Run, command: tuple[str, ...], message: str
) -> None:
    made = key_of(ready, "--limit", "0")
    before = ready("key", "list").out

    assert message in ready("key", *(each.format(made["id"]) for each in command)).refused()
    assert ready("key", "list").out == before


@pytest.mark.parametrize("kind", ["institution", "member", "key"])
def test_an_empty_listing_is_a_sentence_for_people_and_empty_for_programs(
    run: Run, kind: str
) -> None:
    """Not an error in either case."""
    run("init")

    assert run(kind, "list").out == f"There are no {kind}s yet.\n"
    assert run(kind, "list", "--json").json == []


def test_a_member_is_made_with_a_password_from_standard_input(ready: Run) -> None:
    """The e-mail is kept in lower case, and the password shown nowhere."""
    made = ready(*MEMBER, "--password-stdin", stdin="correct hörse battery\nrest".encode())

    listed = ready("member", "list", "--json")
    assert made.status == 0
    assert made.out == "Created the member ward@example.org of 'General Hospital'.\n"
    (record,) = listed.json
    assert set(record) == {"id", "email", "institution", "role", "created_at"}
    assert record["email"] == "ward@example.org"
    assert record["institution"] == "General Hospital"
    assert record["role"] == "admin"
    for shown in (made.out, made.err, listed.out, ready("member", "list").out):
        assert "correct" not in shown
        assert "argon2" not in shown


def two_members(ready: Run) -> None:
    """An admin, ward@example.org, and a viewer, desk@example.org."""
    ready(*MEMBER, "--password-stdin", stdin=LONG)
    desk = (*MEMBER[:2], "desk@example.org", *MEMBER[3:], "--role", "viewer")
    ready(*desk, "--password-stdin", stdin=LONG)


def roles(ready: Run) -> dict[str, str]:
    """The role of each member, by e-mail."""
    return {record["email"]: record["role"] for record in ready("member", "list", "--json").json}


def test_a_member_has_the_role_that_was_given(ready: Run) -> None:
    """By default that of an admin."""
    two_members(ready)

    assert roles(ready) == {"desk@example.org": "viewer", "ward@example.org": "admin"}
    assert re.search(r"desk@example\.org .* viewer", ready("member", "list").out)


def test_a_role_is_changed(ready: Run) -> None:
    """Whatever the case in which the e-mail is given; to the same one too."""
    two_members(ready)

    refused = ready("member", "set-role", "ward@example.org", "viewer").refused()
    assert refused == "An institution must have at least one admin. Nothing was changed."
    for role in ("admin", "admin", "viewer"):
        done = ready("member", "set-role", " DESK@example.org", role)
        assert (done.status, done.out) == (0, f"The role of desk@example.org is now {role}.\n")
        assert roles(ready)["desk@example.org"] == role


def test_a_member_is_removed(ready: Run) -> None:
    """And can be created again."""
    two_members(ready)

    done = ready("member", "remove", "Desk@example.org")

    assert (done.status, done.out) == (0, "Removed the member desk@example.org.\n")
    assert set(roles(ready)) == {"ward@example.org"}
    two_members(ready)
    assert set(roles(ready)) == {"desk@example.org", "ward@example.org"}


@pytest.mark.parametrize("email", ["nobody@example.org", "", "\udcff"])
def test_an_unknown_member_is_an_error(ready: Run, email: str) -> None:
    """By every command that takes one."""
    for command in (
        ("remove", email),
        ("set-role", email, "viewer"),
        ("reset-password", email, "--password-stdin"),
    ):
        refused = ready("member", *command, stdin=LONG).refused()
        assert refused == f"There is no member {email!r}."


@pytest.mark.parametrize("name", ["nobody", "general hospital", "\udcff"])
def test_what_belongs_to_no_institution_is_refused(ready: Run, name: str) -> None:
    """Members and keys alike."""
    for command in (
        ("member", "create", "a@example.org", "--institution", name, "--password-stdin"),
        ("key", "create", "--institution", name, "--name", "x"),
    ):
        refused = ready(*command, stdin=LONG).refused()

        assert refused == f"There is no institution {name!r}."


def test_institutions_are_listed_with_their_caps_and_domains(ready: Run) -> None:
    name = "General Hospital"
    capped = ready("institution", "set-limits", name, "--most-keys", "3")
    ready("institution", "set-sign-in", name, "--domain", "a.example", "--domain", "b.example")

    assert capped.out.startswith("most keys: 3\nhighest daily limit: none\n")
    (listed,) = ready("institution", "list", "--json").json
    assert (listed["most_keys"], listed["highest_daily_limit"]) == (3, None)
    assert listed["domains"] == ["a.example", "b.example"]
    assert "a.example, b.example" in ready("institution", "list").out


def test_a_sign_in_says_who_has_an_address_already_and_who_is_missing(ready: Run) -> None:
    """An institution without members, and members elsewhere; the earlier secret stays."""
    ready(*MEMBER, "--password-stdin", stdin=LONG)
    ready("institution", "create", "Owner's")

    said = ready("institution", "set-sign-in", "Owner's", "--domain", "example.org")
    again = ready("institution", "set-sign-in", "Owner's", "--domain", "Example.org")

    assert "has no member yet, so the proxy signs nobody in" in said.err
    assert "ward@example.org is a member of 'General Hospital', and stays so." in said.err
    assert len(said.out) == 49
    assert again.out == ""


def test_no_password_is_reset_where_passwords_are_off(ready: Run) -> None:
    refused = ready(
        *("member", "reset-password", "ward@example.org", "--password-stdin"),
        stdin=LONG,
        passwords="off",
        sign_in_header="X-Forwarded-Email",
    )

    assert refused.refused() == "nobody signs in with a password: EVREF_PASSWORDS is off"


def test_a_password_is_reset(ready: Run) -> None:
    """Whatever the case in which the e-mail is given."""
    ready(*MEMBER, "--password-stdin", stdin=LONG)

    command = ("member", "reset-password", " WARD@example.org", "--password-stdin")
    done = ready(*command, stdin=b"another long one")

    assert done.out == "Reset the password of ward@example.org.\n"


def test_without_the_option_the_password_is_asked_for_twice(ready: Run) -> None:
    """Until both are alike, and without showing it."""
    asked = CliRunner().invoke(
        cli, MEMBER, input="correct horse battery\nhorse\ncorrect horse battery\n" * 2
    )

    assert asked.exit_code == 0
    assert "do not match" in asked.stderr
    assert "horse" not in asked.output
    assert asked.stdout == "Created the member ward@example.org of 'General Hospital'.\n"


def test_without_a_terminal_the_command_stops(ready: Run, folder: Path) -> None:
    """It has done nothing then."""
    done = subprocess.run(
        [sys.executable, "-m", "evref", *MEMBER],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=folder,
        start_new_session=True,
        check=False,
        text=True,
    )

    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == (
        "evref: there is no terminal to type the password; use --password-stdin\n"
    )
    assert ready("member", "list", "--json").json == []


def test_a_key_is_printed_alone_on_standard_output(ready: Run) -> None:
    """So that `KEY=$(evref key create …)` holds the key."""
    made = ready(*KEY)

    token = KeyToken(made.out.removesuffix("\n"))
    assert made.status == 0
    assert "'Ward app'" in made.err
    assert "1000 requests per day" in made.err
    assert token.text not in made.err


def test_a_key_has_what_it_was_made_with(ready: Run) -> None:
    """And the listing never has its secret."""
    today = datetime.now(UTC).date()
    later = today + timedelta(days=9)
    made = key_of(ready, "--limit", "5", "--permission", "none", "--expires", later.isoformat())
    plain = key_of(ready)

    listed = ready("key", "list", "--json")
    records = {record["id"]: record for record in listed.json}
    assert set(made) == {"key", "id"}
    record = records[made["id"]]
    assert re.fullmatch(INSTANT, record.pop("created_at"))
    assert record == {
        "id": made["id"],
        "name": "Ward app",
        "institution": "General Hospital",
        "permission": "none",
        "daily_limit": 5,
        "last_four": made["key"][-4:],
        "expires_on": later.isoformat(),
        "last_used_on": None,
        "revoked_at": None,
    }
    assert records[plain["id"]]["daily_limit"] == 1000
    assert records[plain["id"]]["permission"] == "read"
    assert records[plain["id"]]["expires_on"] is None
    for shown in (listed.out, ready("key", "list").out):
        assert made["key"] not in shown
        assert made["key"][6:-4] not in shown


def test_the_table_of_keys_is_whole_where_it_is_piped(ready: Run) -> None:
    """No column is cut at the width of a terminal that is not there."""
    name = "A key with a name that is rather long, and longer than most terminals are wide"
    made = ready("key", "create", "--institution", "General Hospital", "--name", name, "--json")

    line = ready("key", "list").out.splitlines()[1]

    assert made.json["id"] in line
    assert name in line
    assert line.rstrip().endswith("-")


def test_a_key_is_revoked_once(ready: Run) -> None:
    """It stays listed, with the instant."""
    made = key_of(ready)

    done = ready("key", "revoke", made["id"])

    assert done.out == "The key 'Ward app' is revoked.\n"
    assert re.fullmatch(INSTANT, ready("key", "list", "--json").json[0]["revoked_at"])
    assert "is revoked" in ready("key", "revoke", made["id"]).refused()
    for change in (("set-limit", "5"), ("rotate",), ("set-expiry", "never")):
        command = (change[0], made["id"], *change[1:])
        assert "is revoked" in ready("key", *command).refused()


def test_a_rotated_key_is_printed_alone_on_standard_output(ready: Run) -> None:
    """By default no older key is valid; the rest is on standard error."""
    made = key_of(ready)

    rotated = ready("key", "rotate", made["id"])

    token = KeyToken(rotated.out.removesuffix("\n"))
    assert rotated.status == 0
    assert token.text != made["key"]
    assert rotated.err == (
        f"Rotated the key 'Ward app' ({made['id']}). "
        "Store the key now. It is not shown again.\n"
        "No older key is valid.\n"
    )
    assert ready("key", "list", "--json").json[0]["last_four"] == token.last_four


def test_an_old_key_is_kept_for_some_hours(ready: Run) -> None:
    """Until when is said in UTC, of every one that is still valid."""
    made = key_of(ready)
    begun = datetime.now(UTC).replace(microsecond=0)

    first = ready("key", "rotate", made["id"], "--keep-old-for", "168", "--json")
    second = ready("key", "rotate", made["id"], "--keep-old-for", "1")

    assert set(first.json) == {"key", "id"}
    assert first.json["id"] == made["id"]
    assert first.err == ""
    old_keys = re.findall(r"The old key …(\w{4}) is valid until ([-0-9: ]+) UTC\.\n", second.err)
    assert [last_four for last_four, _ in old_keys] == [made["key"][-4:], first.json["key"][-4:]]
    for _, until in old_keys:
        end = datetime.fromisoformat(until).replace(tzinfo=UTC)
        assert begun <= end - timedelta(hours=1) <= datetime.now(UTC)


def test_rotating_an_expired_key_says_so(ready: Run, folder: Path) -> None:
    """It is rotated all the same, and works once its expiry is changed."""
    made = key_of(ready)
    with closing(sqlite3.connect(folder / "evref.sqlite", isolation_level=None)) as database:
        database.execute("UPDATE api_keys SET expires_on = '2020-01-01'")

    rotated = ready("key", "rotate", made["id"], "--keep-old-for", "1")

    KeyToken(rotated.out.removesuffix("\n"))
    assert f"The key has expired: it works only after evref key set-expiry {made['id']}" in (
        rotated.err
    )
    assert "No older key is valid." in rotated.err
    assert ready("key", "list").out.splitlines()[1].split()[1] == "expired"


def test_an_expiry_is_set_and_taken_away(ready: Run) -> None:
    """The last day on which the key works."""
    made = key_of(ready)
    today = datetime.now(UTC).date().isoformat()

    changed = ready("key", "set-expiry", made["id"], "9999-12-31")
    assert changed.out == "The key 'Ward app' now expires after 9999-12-31.\n"
    assert ready("key", "list", "--json").json[0]["expires_on"] == "9999-12-31"
    assert ready("key", "set-expiry", made["id"], today).status == 0
    changed = ready("key", "set-expiry", made["id"], "never")
    assert changed.out == "The key 'Ward app' never expires.\n"
    assert ready("key", "list", "--json").json[0]["expires_on"] is None


def test_the_state_of_a_key_is_listed_in_words(ready: Run) -> None:
    """For people; programs have the fields from which it follows."""
    soon = (datetime.now(UTC) + timedelta(days=10)).date().isoformat()
    states = {
        key_of(ready)["id"]: "active",
        key_of(ready, "--limit", "0")["id"]: "no access",
        key_of(ready, "--expires", soon)["id"]: "expires soon",
    }
    revoked = key_of(ready)["id"]
    ready("key", "revoke", revoked)

    header, *lines = ready("key", "list").out.splitlines()

    assert header.split()[:2] == ["id", "state"]
    shown = {line.split()[0]: re.split(r"  +", line)[1] for line in lines}
    assert shown == {**states, revoked: "revoked"}


@pytest.mark.parametrize("name", ["nobody", "", "\udcff", "'; DROP TABLE api_keys; --"])
def test_an_unknown_key_is_an_error(ready: Run, name: str) -> None:
    """By every command that takes one."""
    for command in (
        ("revoke", name),
        ("usage", name),
        ("set-limit", name, "1"),
        ("rotate", name),
        ("set-expiry", name, "never"),
    ):
        assert ready("key", *command).refused().startswith("There is no ")


def test_the_use_of_a_key_that_was_never_used_is_empty(ready: Run) -> None:
    """Days without requests are left out."""
    made = key_of(ready)

    assert ready("key", "usage", made["id"], "--json").json == []
    assert ready("key", "usage", made["id"]).out == "The key was not used in the last 30 days.\n"


def test_a_key_in_the_place_of_a_name_is_neither_stored_nor_repeated(ready: Run) -> None:
    """Somebody pasted it into the wrong place, and names are shown for ever."""
    token = ready(*KEY).out.strip()
    before = ready("key", "list").out

    for command in (
        (*KEY[:-1], token),
        ("key", "create", "--institution", token, "--name", "x"),
        ("institution", "create", token),
        ("institution", "create", f"Ward {token[:20].upper()}"),
        ("member", "create", f"{token}@example.org", *MEMBER[3:], "--password-stdin"),
    ):
        refused = ready(*command, stdin=LONG).refused()
        assert token[:12].lower() not in refused.lower()

    assert ready("key", "list").out == before
