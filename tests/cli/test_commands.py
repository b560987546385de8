"""The command line as a whole: help, exit statuses, storage and settings."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import evref
from evref.bootstrap.container import Container
from evref.bootstrap.demo import demo_of
from evref.bootstrap.settings import Settings, StorageKind
from evref.cli.main import cli
from evref.domain.access.key import KeyToken
from evref.testing.builders import OPERATOR
from tests.cli.conftest import Run

REPOSITORY = Path(__file__).parents[2]
SERVE = ("serve",)
ON_STORAGE = [
    ("institution", "create", "x"),
    ("institution", "list"),
    ("member", "create", "a@example.org", "--institution", "x", "--password-stdin"),
    ("member", "list"),
    ("member", "reset-password", "a@example.org", "--password-stdin"),
    ("key", "create", "--institution", "x", "--name", "y"),
    ("key", "list"),
    ("key", "set-limit", "x", "1"),
    ("key", "revoke", "x"),
    ("key", "usage", "x"),
    ("catalogue", "load", "x"),
    ("catalogue", "export", "x"),
    ("catalogue", "status"),
]


def commands(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the path of this command and of each command below it."""
    yield path
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, *path, name)


@pytest.mark.parametrize("command", [*commands(cli)])
def test_every_command_has_help(run: Run, command: tuple[str, ...]) -> None:
    """Help needs no storage and no valid settings."""
    result = run(*command, "--help", storage="nonsense")

    assert result.status == 0
    assert result.out.startswith(f"Usage: {' '.join(('evref', *command))} ")
    assert result.err == ""


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert run("--version").out == f"evref, version {evref.__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nothing",),
        ("key",),
        ("key", "create"),
        ("key", "create", "--institution", "x", "--name", "y", "--permission", "write"),
        ("key", "set-limit", "x"),
        ("key", "rotate", "x", "--keep-old-for=-1"),
        ("key", "rotate", "x", "--keep-old-for", "169"),
        ("member", "set-role", "x", "owner"),
        ("catalogue", "check"),
        ("catalogue", "load"),
        ("member", "create", "a@example.org"),
        ("init", "x"),
        ("serve", "--workers", "0"),
        ("serve", "--bind", "8000"),
        ("serve", "--bind", "localhost:0"),
        ("serve", "--bind", "localhost:65536"),
        ("serve", "--bind", "localhost:²"),
        ("serve", "--bind", "::1:8123"),
        ("catalogue", "check", ""),
        ("catalogue", "load", ""),
        ("catalogue", "export", ""),
    ],
)
def test_wrong_usage_ends_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)

    assert result.status == 2
    assert result.out == ""
    assert "Usage: evref" in result.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("{}",),
        ("key", "{}"),
        ("key", "revoke", "{}"),
        ("key", "create", "--institution", "{}", "--name", "x"),
        ("key", "create", "--institution", "x", "--name", "y", "--limit", "{}"),
        ("catalogue", "check", "{}"),
        ("catalogue", "rollback", "{}"),
        ("serve", "--bind", "{}"),
    ],
)
def test_no_error_repeats_a_key(ready: Run, arguments: tuple[str, ...]) -> None:
    key = KeyToken.make(0x5EED << 200).text

    result = ready(*(argument.format(key) for argument in arguments))

    assert result.status in {1, 2}
    assert "…" in result.err
    assert key[6:20] not in result.out + result.err


def test_an_argument_that_is_not_text_is_an_error_in_one_line(ready: Run) -> None:
    """Only paths may be such arguments."""
    for arguments in (("catalogue", "rollback"), ("key", "revoke"), ("institution", "create")):
        assert ready(*arguments, "\udcff").refused()


def test_init_makes_the_storage_and_loads_the_bundled_catalogue(run: Run, folder: Path) -> None:
    """By default, the database is a file that no other user can read."""
    result = run("init")

    assert result.status == 0
    assert result.out == "The storage is ready.\n"
    assert {stat.filemode(file.stat().st_mode) for file in folder.iterdir()} == {"-rw-------"}
    assert run("catalogue", "status", "--json").json["diagnoses"] >= 40


def test_init_can_be_repeated(ready: Run) -> None:
    before = ready("institution", "list", "--json").json, ready("catalogue", "status").out

    again = ready("init")

    assert again.status == 0
    assert again.out == "The storage is ready.\n"
    assert again.err == ""
    after = ready("institution", "list", "--json").json, ready("catalogue", "status").out
    assert after == before


@pytest.mark.parametrize("command", [*ON_STORAGE, SERVE])
def test_a_command_before_init_says_so(run: Run, folder: Path, command: tuple[str, ...]) -> None:
    """It neither asks for a password nor creates an empty database."""
    assert run(*command, stdin=b"").refused() == "There is no database yet; run: evref init"
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("command", [*ON_STORAGE, ("init",)])
def test_a_command_on_the_memory_of_another_process_is_refused(
    run: Run, command: tuple[str, ...]
) -> None:
    """It could not reach that memory."""
    assert "EVREF_STORAGE=memory" in run(*command, storage="memory").refused()


@pytest.mark.parametrize("command", [*ON_STORAGE, ("init",), ("demo",)])
def test_a_file_that_is_not_a_database_is_an_error_in_one_line(
    run: Run, folder: Path, command: tuple[str, ...]
) -> None:
    file = folder / "evref.sqlite"
    file.write_bytes(b"This is no database. " * 500)

    refused = run(*command).refused()

    assert refused.startswith("Storage cannot be reached. (")
    assert "not a database" in refused
    assert file.read_bytes() == b"This is no database. " * 500


def test_a_database_in_a_missing_folder_is_an_error_in_one_line(run: Run) -> None:
    """The folder is not created, because its name is probably a typing error."""
    refused = run("init", database_url="sqlite:///nowhere/evref.sqlite").refused()

    assert "unable to open database file" in refused


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"storage": "disk"}, "EVREF_STORAGE must be one of sql, memory, "),
        ({"base_url": "here\nthere"}, "EVREF_BASE_URL must be an address"),
        ({"database_url": "sqlite:///x?timeout=soon"}, "EVREF_DATABASE_URL must be the URL"),
        ({"quota_url": "redis://127.0.0.1/first"}, "EVREF_QUOTA_URL must be the URL"),
        ({"database_url": "sqlite:///\udcff"}, "EVREF_DATABASE_URL must be of the form"),
    ],
)
@pytest.mark.parametrize("command", [("init",), ("key", "list"), SERVE])
def test_a_wrong_setting_stops_a_command_with_one_line(
    run: Run, command: tuple[str, ...], settings: dict[str, str], message: str
) -> None:
    assert message in run(*command, **settings).refused()


def test_a_terminal_that_cannot_show_a_character_gets_another(ready: Run, folder: Path) -> None:
    """JSON has an escape instead, so that programs lose nothing."""
    environ = {**os.environ, "PYTHONIOENCODING": "iso-8859-1", "PYTHONPATH": str(REPOSITORY)}

    def run(*arguments: str) -> bytes:
        command = [sys.executable, "-m", "evref", *arguments]
        return subprocess.run(command, env=environ, capture_output=True, check=True).stdout

    name = "Klinik “Łódź”"
    assert "?ód?".encode("iso-8859-1") in run("institution", "create", name)
    assert name in [record["name"] for record in json.loads(run("institution", "list", "--json"))]


def test_without_a_folder_for_temporary_files_a_server_does_not_start(folder: Path) -> None:
    """A process that may write to no file has none."""
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 0; exec {sys.executable} -m evref serve"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, "EVREF_STORAGE": "memory"},
    )

    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("evref: No usable temporary directory found in")


def test_an_unknown_setting_is_reported_and_ignored(run: Run) -> None:
    """Its name is probably a typing error."""
    result = run("init", databse_url="sqlite:///x")

    assert result.status == 0
    assert "evref: unknown setting EVREF_DATABSE_URL is ignored\n" in result.err


def test_a_reader_that_has_enough_ends_a_command_quietly(ready: Run, folder: Path) -> None:
    """`evref key list | head` is an example."""
    for number in range(3):
        ready("key", "create", "--institution", "General Hospital", "--name", f"key {number}")

    for form in ((), ("--json",)):
        with subprocess.Popen(
            [sys.executable, "-m", "evref", "key", "list", *form],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
        ) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            process.stdout.close()
            errors = process.stderr.read()
            assert process.wait() == 1
        assert errors == b""


def test_output_that_cannot_be_written_is_an_error_in_one_line(ready: Run, folder: Path) -> None:
    """A full disk has the same effect as the read-only file of this test."""
    with (folder / "evref.sqlite").open("rb") as unwritable:
        done = subprocess.run(
            [sys.executable, "-m", "evref", "key", "list"],
            stdout=unwritable,
            stderr=subprocess.PIPE,
            cwd=folder,
            check=False,
        )

    assert done.returncode == 1
    assert done.stderr == b"evref: Bad file descriptor\n"


def test_the_key_of_a_demo_expires_only_where_an_earlier_one_is_valid() -> None:
    container = Container(settings=Settings(storage=StorageKind.MEMORY))

    assert "expires" not in demo_of(container)
    assert "expires tomorrow" in demo_of(container)
    for listed in container.manage_keys().list_all(OPERATOR):
        container.manage_keys().revoke(OPERATOR, listed.key.id)
    assert "expires" not in demo_of(container)
