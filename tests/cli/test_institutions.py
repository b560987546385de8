"""`evref institution` and `evref member`, and what all listings have in common."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from evref.cli.main import cli
from tests.cli.conftest import INSTANT, KEY, LONG, MEMBER, Run


def test_an_institution_is_made_and_listed(run: Run) -> None:
    run("init")

    run("institution", "create", "  Zuid Clinic ")
    created = run("institution", "create", "Academic Hospital")

    assert "'Academic Hospital'" in created.out
    listed = run("institution", "list", "--json").json
    assert [record["name"] for record in listed] == ["Academic Hospital", "Zuid Clinic"]
    assert re.fullmatch(INSTANT, listed[0]["created_at"])
    assert "Zuid Clinic" in run("institution", "list").out


@pytest.mark.parametrize(
    ("command", "stdin", "message"),
    [
        (("institution", "create", "General Hospital"), b"", "already exists"),
        (("institution", "create", "a\x1b[2Jb"), b"", "NAME must be plain text"),
        ((*MEMBER, "--password-stdin"), b"", "password must have 8 to 1024 characters"),
        ((*MEMBER, "--password-stdin"), b"correct h\xff\xfe", "password must be valid UTF-8"),
        ((*MEMBER, "--role", "viewer", "--password-stdin"), LONG, "at least one admin"),
        ((*MEMBER[:2], "nobody", *MEMBER[3:], "--password-stdin"), LONG, "e-mail address"),
        ((*KEY, "--name", "a\x00b"), b"", "--name must be plain text"),
    ],
)
def test_what_breaks_a_rule_is_refused_and_not_made(
    ready: Run, command: tuple[str, ...], stdin: bytes, message: str
) -> None:
    assert message in ready(*command, stdin=stdin).refused()
    counts = [len(ready(kind, "list", "--json").json) for kind in ("institution", "member", "key")]
    assert counts == [1, 0, 0]


@pytest.mark.parametrize("kind", ["institution", "member", "key"])
def test_an_empty_listing_is_a_sentence_for_people_and_empty_for_programs(
    run: Run, kind: str
) -> None:
    run("init")

    assert run(kind, "list").out == f"There are no {kind}s yet.\n"
    assert run(kind, "list", "--json").json == []


def test_a_member_is_made_with_a_password_from_standard_input(ready: Run) -> None:
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
    """Create an admin, ward@example.org, and a viewer, desk@example.org."""
    ready(*MEMBER, "--password-stdin", stdin=LONG)
    desk = (*MEMBER[:2], "desk@example.org", *MEMBER[3:], "--role", "viewer")
    ready(*desk, "--password-stdin", stdin=LONG)


def roles(ready: Run) -> dict[str, str]:
    """Return the role of each member by e-mail."""
    return {record["email"]: record["role"] for record in ready("member", "list", "--json").json}


def test_a_member_has_the_role_that_is_given_and_can_be_removed(ready: Run) -> None:
    """The e-mail may be in any case; setting the same role again is no error."""
    two_members(ready)
    assert roles(ready) == {"desk@example.org": "viewer", "ward@example.org": "admin"}
    assert re.search(r"desk@example\.org .* viewer", ready("member", "list").out)

    refused = ready("member", "set-role", "ward@example.org", "viewer").refused()
    assert refused == "An institution must have at least one admin. Nothing was changed."
    for role in ("admin", "admin", "viewer"):
        done = ready("member", "set-role", " DESK@example.org", role)
        assert (done.status, done.out) == (0, f"The role of desk@example.org is now {role}.\n")
        assert roles(ready)["desk@example.org"] == role
    done = ready("member", "remove", "Desk@example.org")
    assert (done.status, done.out) == (0, "Removed the member desk@example.org.\n")
    assert set(roles(ready)) == {"ward@example.org"}


@pytest.mark.parametrize("email", ["nobody@example.org", "", "\udcff"])
def test_an_unknown_member_is_an_error(ready: Run, email: str) -> None:
    for command in (
        ("remove", email),
        ("set-role", email, "viewer"),
        ("reset-password", email, "--password-stdin"),
    ):
        refused = ready("member", *command, stdin=LONG).refused()
        assert refused == f"There is no member {email!r}."


@pytest.mark.parametrize("name", ["nobody", "general hospital", "\udcff"])
def test_what_belongs_to_no_institution_is_refused(ready: Run, name: str) -> None:
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
    ready(*MEMBER, "--password-stdin", stdin=LONG)
    ready("institution", "create", "Owner's")

    first = ready("institution", "set-sign-in", "Owner's", "--domain", "example.org")
    again = ready("institution", "set-sign-in", "Owner's", "--domain", "Example.org")

    assert "has no members yet, so the proxy cannot sign anybody in" in first.err
    assert "ward@example.org remains a member of 'General Hospital'." in first.err
    assert len(first.out) == 49
    assert again.out == ""


def test_no_password_is_reset_where_passwords_are_off(ready: Run) -> None:
    refused = ready(
        *("member", "reset-password", "ward@example.org", "--password-stdin"),
        stdin=LONG,
        passwords="off",
        sign_in_header="X-Forwarded-Email",
    )

    assert refused.refused() == "members do not sign in with passwords: EVREF_PASSWORDS is off"


def test_a_password_is_reset(ready: Run) -> None:
    ready(*MEMBER, "--password-stdin", stdin=LONG)

    command = ("member", "reset-password", " WARD@example.org", "--password-stdin")
    done = ready(*command, stdin=b"another long one")

    assert done.out == "Reset the password of ward@example.org.\n"


def test_without_the_option_the_password_is_asked_for_twice(ready: Run) -> None:
    asked = CliRunner().invoke(
        cli, MEMBER, input="correct horse battery\nhorse\ncorrect horse battery\n" * 2
    )

    assert asked.exit_code == 0
    assert "do not match" in asked.stderr
    assert "horse" not in asked.output
    assert asked.stdout == "Created the member ward@example.org of 'General Hospital'.\n"


def test_without_a_terminal_the_command_stops(ready: Run, folder: Path) -> None:
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
        "evref: there is no terminal to prompt for the password; use --password-stdin\n"
    )
    assert ready("member", "list", "--json").json == []
