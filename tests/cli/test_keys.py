"""`evref key`."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from evref.domain.access.key import KeyToken
from tests.cli.conftest import INSTANT, KEY, LONG, MEMBER, Run


def key_of(run: Run, *options: str) -> dict[str, str]:
    """Return the `key` and `id` of a new key."""
    made = run(*KEY, *options, "--json")
    assert made.status == 0, made.err
    key: dict[str, str] = made.json
    return key


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("set-limit", "{}", "10000001"), "N must be a whole number"),
        (("set-limit", "--", "{}", "-1"), "N must be a whole number"),
        (("set-expiry", "{}", "2020-01-01"), "YYYY-MM-DD|never must be today"),
        ((*KEY[1:], "--limit", "-5"), "--limit must be a whole number"),
        ((*KEY[1:], "--expires", "2020-01-01"), "--expires must be today"),
        ((*KEY[1:-1], ""), "--name must have"),
    ],
)
def test_a_change_that_breaks_a_rule_changes_nothing(
    ready: Run, command: tuple[str, ...], message: str
) -> None:
    made = key_of(ready, "--limit", "0", "--expires", "never")
    before = ready("key", "list").out

    refused = ready("key", *(argument.format(made["id"]) for argument in command)).refused()

    assert refused.startswith(message)
    assert ready("key", "list").out == before


@pytest.mark.parametrize("options", [("--limit", "0"), ("--permission", "none")])
def test_a_key_that_opens_nothing_says_so(ready: Run, options: tuple[str, ...]) -> None:
    assert "The key opens nothing" in ready(*KEY, *options).err
    assert "The key opens nothing" not in ready(*KEY).err


def test_a_key_is_printed_alone_on_standard_output(ready: Run) -> None:
    """So `KEY=$(evref key create …)` works."""
    made = ready(*KEY)

    token = KeyToken(made.out.removesuffix("\n"))
    assert made.status == 0
    assert "'Ward app'" in made.err
    assert "1,000 requests per day" in made.err
    assert token.text not in made.err


def test_a_key_has_what_it_was_made_with(ready: Run) -> None:
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
    assert records[plain["id"]]["expires_on"] == str(today + timedelta(days=365))
    for shown in (listed.out, ready("key", "list").out):
        assert made["key"] not in shown
        assert made["key"][6:-4] not in shown


def test_the_first_column_of_a_table_is_the_id(ready: Run) -> None:
    """So a terminal of at least its width never breaks an id over lines."""
    made = key_of(ready)
    ready(*MEMBER, "--password-stdin", stdin=LONG)

    for command in (("key", "list"), ("institution", "list"), ("member", "list")):
        header, *lines = ready(*command).out.splitlines()
        ids = [record["id"] for record in ready(*command, "--json").json]
        assert header.startswith("id")
        assert [line.split()[0] for line in lines] == ids
    assert len(made["id"]) < 80


def test_a_key_is_revoked_once(ready: Run) -> None:
    made = key_of(ready)

    done = ready("key", "revoke", made["id"])

    assert done.out == "The key 'Ward app' is revoked.\n"
    assert re.fullmatch(INSTANT, ready("key", "list", "--json").json[0]["revoked_at"])
    assert "is revoked" in ready("key", "revoke", made["id"]).refused()


def test_a_rotated_key_is_printed_alone_on_standard_output(ready: Run) -> None:
    """The rest says until when each older secret is valid, in UTC."""
    made = key_of(ready)
    begun = datetime.now(UTC).replace(microsecond=0)

    first = ready("key", "rotate", made["id"], "--keep-old-for", "1", "--json")
    second = ready("key", "rotate", made["id"], "--keep-old-for", "1")

    assert first.json.keys() == {"key", "id"}
    assert (first.json["id"], first.err) == (made["id"], "")
    old_keys = re.findall(r"The old key …(\w{4}) is valid until ([-0-9: ]+) UTC\.\n", second.err)
    assert [last_four for last_four, _ in old_keys] == [made["key"][-4:], first.json["key"][-4:]]
    for _, until in old_keys:
        end = datetime.fromisoformat(until).replace(tzinfo=UTC)
        assert begun <= end - timedelta(hours=1) <= datetime.now(UTC)
    token = KeyToken(second.out.removesuffix("\n"))
    assert ready("key", "list", "--json").json[0]["last_four"] == token.last_four


def test_rotating_an_expired_key_says_so(ready: Run, folder: Path) -> None:
    made = key_of(ready)
    with closing(sqlite3.connect(folder / "evref.sqlite", isolation_level=None)) as database:
        database.execute("UPDATE api_keys SET expires_on = '2020-01-01'")

    rotated = ready("key", "rotate", made["id"], "--keep-old-for", "1")

    assert f"The key has expired: it works only after evref key set-expiry {made['id']}" in (
        rotated.err
    )
    assert ready("key", "list").out.splitlines()[1].split()[1] == "expired"


def test_an_expiry_is_set_and_taken_away(ready: Run) -> None:
    made = key_of(ready)
    today = datetime.now(UTC).date().isoformat()

    changed = ready("key", "set-expiry", made["id"], "9999-12-31")
    assert changed.out == "The key 'Ward app' expires after 9999-12-31.\n"
    assert ready("key", "list", "--json").json[0]["expires_on"] == "9999-12-31"
    assert ready("key", "set-expiry", made["id"], today).status == 0
    changed = ready("key", "set-expiry", made["id"], "never")
    assert changed.out == "The key 'Ward app' never expires.\n"
    assert ready("key", "list", "--json").json[0]["expires_on"] is None


@pytest.mark.parametrize("name", ["nobody", "", "\udcff", "'; DROP TABLE api_keys; --"])
def test_an_unknown_key_is_an_error(ready: Run, name: str) -> None:
    for command in (
        ("revoke", name),
        ("usage", name),
        ("set-limit", name, "1"),
        ("rotate", name),
        ("set-expiry", name, "never"),
    ):
        assert ready("key", *command).refused().startswith("There is no ")


def test_the_use_of_a_key_that_was_never_used_is_empty(ready: Run) -> None:
    made = key_of(ready)

    assert ready("key", "usage", made["id"], "--json").json == []
    assert ready("key", "usage", made["id"]).out == "The key was not used in the last 30 days.\n"


def test_a_key_in_the_place_of_a_name_is_neither_stored_nor_repeated(ready: Run) -> None:
    """Names are stored and shown, so a key pasted there would leak."""
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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*KEY, "--limit", "many"), "'many' is not a valid integer"),
        (
            (*KEY, "--expires", "2026-13-01"),
            "must be never or a date such as 2027-12-31, not '2026-13-01'",
        ),
        (("key", "set-expiry", "x", "Never"), "must be never or a date such as 2027-12-31, not"),
        (("key", "set-limit", "x", "1.5"), "'1.5' is not a valid integer"),
    ],
)
def test_a_value_that_cannot_be_read_is_wrong_usage(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    result = run(*arguments)

    assert result.status == 2
    assert message in result.err
