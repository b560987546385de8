"""`evref catalogue`: load, history, rollback, export, status and find."""

from __future__ import annotations

import os
import pty
import pwd
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evref.bootstrap.container import BUNDLED_CATALOGUE
from tests.cli.conftest import KNEE, Run


def test_a_load_says_what_was_added_changed_and_removed(ready: Run, files: Path) -> None:
    count = ready("catalogue", "status", "--json").json["diagnoses"]

    first = ready("catalogue", "load", "--allow-removals", str(files))
    (files / "asthma.yaml").unlink()
    shutil.copy(BUNDLED_CATALOGUE / "obesity.yaml", files)
    rename_knee(files)
    second = ready("catalogue", "load", "--allow-removals", str(files))

    assert first.out.splitlines()[1:3] == ["0 added", "0 changed"]
    assert first.out.splitlines()[3].startswith(f"{count - 3} removed: ")
    assert first.out.splitlines()[3].endswith(" …")
    assert second.out.splitlines()[0].startswith("Serving 3 diagnoses and ")
    assert second.out.splitlines()[1:] == [
        "1 added: obesity",
        "1 changed: knee-osteoarthritis",
        "1 removed: asthma",
    ]


def rename_knee(files: Path) -> None:
    knee = files / "knee-osteoarthritis.yaml"
    text = knee.read_text(encoding="utf-8")
    knee.write_text(text.replace("Knee osteo", "Osteo", 1), encoding="utf-8")


def served(run: Run) -> Any:
    return run("catalogue", "status", "--json").json


def test_a_dry_run_says_it_all_and_changes_nothing(ready: Run, files: Path) -> None:
    before, history = served(ready), ready("catalogue", "history", "--json").json

    planned = ready("catalogue", "load", "--dry-run", str(files))

    assert planned.status == 0
    assert planned.out.startswith("Would serve 3 diagnoses and ")
    assert f"{before['diagnoses'] - 3} removed: " in planned.out
    assert planned.err.count("would remove: ") == before["diagnoses"] - 3
    assert planned.err.splitlines()[-1] == (
        "warning: removals require confirmation at a terminal, or --allow-removals"
    )
    assert served(ready) == before
    assert ready("catalogue", "history", "--json").json == history


def test_a_load_that_would_remove_diagnoses_is_refused(ready: Run, files: Path) -> None:
    ready("catalogue", "load", "--allow-removals", str(files))
    before = served(ready)
    (files / "asthma.yaml").unlink()
    (files / "migraine.yaml").unlink()

    refused = ready("catalogue", "load", str(files))

    assert refused.status == 1
    assert refused.out == ""
    assert refused.err.splitlines() == [
        "would remove: asthma",
        "would remove: migraine",
        (
            "evref: 2 diagnoses would be removed. Nothing was changed. "
            "To remove them, use --allow-removals."
        ),
    ]
    assert served(ready) == before


@pytest.mark.parametrize(("answer", "is_loaded"), [(b"y\n", True), (b"\n", False)])
def test_a_person_at_a_terminal_is_asked(
    ready: Run, folder: Path, files: Path, answer: bytes, is_loaded: bool
) -> None:
    before = served(ready)
    person, terminal = pty.openpty()
    os.write(person, answer)

    asked = subprocess.run(
        [sys.executable, "-m", "evref", "catalogue", "load", str(files)],
        cwd=folder,
        stdin=terminal,
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(terminal)
    os.close(person)

    assert f"Remove {before['diagnoses'] - 3} diagnoses? [y/N]" in asked.stderr
    assert asked.returncode == (0 if is_loaded else 1)
    assert served(ready)["diagnoses"] == (3 if is_loaded else before["diagnoses"])


def test_the_history_says_what_was_published_when_and_by_whom(ready: Run, files: Path) -> None:
    """A rollback is a publication too; a load that changes nothing is not."""
    count = served(ready)["diagnoses"]
    ready("catalogue", "load", "--allow-removals", str(files))
    ready("catalogue", "load", str(files))
    ready("catalogue", "rollback")

    history = ready("catalogue", "history", "--json").json

    user = pwd.getpwuid(os.getuid()).pw_name
    assert [(row["added"], row["changed"], row["removed"]) for row in history] == [
        (count - 3, 0, 0),
        (0, 0, count - 3),
        (count, 0, 0),
    ]
    assert [row["is_bundled"] for row in history] == [False, False, True]
    assert {row["published_by"] for row in history} == {user}
    assert history[0]["version"] == history[2]["version"] == served(ready)["version"]
    shown = ready("catalogue", "history").out
    assert all(row["version"] in shown for row in history)
    assert user in shown


def test_a_rollback_to_what_is_not_kept_names_what_is(ready: Run, files: Path) -> None:
    version = served(ready)["version"]

    assert ready("catalogue", "rollback").refused() == (
        f"No earlier version of the catalogue is stored. Stored: {version}."
    )
    # A variable of the shell that is not set gives the empty one.
    for unknown in ("v1", ""):
        assert ready("catalogue", "rollback", unknown).refused() == (
            f"No version {unknown!r} of the catalogue is stored. Stored: {version}."
        )
    assert served(ready)["version"] == version


def test_an_export_has_a_file_for_each_diagnosis(ready: Run, folder: Path) -> None:
    """The name of the folder may be no text; messages escape it."""
    result = ready("catalogue", "export", "folder-\udcff")

    assert result.status == 0
    assert "folder-\ufffd" in result.out
    assert served(ready)["version"] in result.out
    names = {path.name for path in Path("folder-\udcff").iterdir()}
    assert len(names) == served(ready)["diagnoses"]
    assert KNEE.name in names


def test_status_says_what_is_served_and_since_when(ready: Run) -> None:
    status = ready("catalogue", "status", "--json").json

    shown = ready("catalogue", "status").out

    assert set(status) == {
        "version",
        "diagnoses",
        "interventions",
        "published_at",
        "published_by",
        "is_bundled",
        "oldest_check",
        "newest_check",
        "checked_by_month",
        "not_checked_for_a_year",
    }
    assert f"{status['diagnoses']} diagnoses and {status['interventions']:,} interventions" in shown
    assert status["version"] in shown
    published_at = status["published_at"].replace("T", " ").replace("Z", " UTC")
    assert f"since {published_at} by {status['published_by']}" in shown


def test_status_reports_how_many_entries_were_checked_when(ready: Run, files: Path) -> None:
    check(files / "asthma.yaml", "2019-05-02")
    check(files / "migraine.yaml", "2019-05-31")
    ready("catalogue", "load", "--allow-removals", str(files))

    status = served(ready)
    shown = ready("catalogue", "status")

    assert status["oldest_check"] == "2019-05-02"
    assert status["checked_by_month"]["2019-05"] == 2
    assert sum(status["checked_by_month"].values()) == 3
    assert status["not_checked_for_a_year"][:2] == ["asthma", "migraine"]
    assert "2 last checked in 2019-05" in shown.out.splitlines()
    assert shown.status == 0
    assert "not checked for over a year: asthma, migraine" in shown.err


def check(file: Path, day: str) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub('checked_on: ".*"', f'checked_on: "{day}"', text), encoding="utf-8")


def test_without_a_catalogue_there_is_nothing_to_show(ready: Run, folder: Path) -> None:
    """This is the state if `init` created the storage but could not load the catalogue."""
    database = sqlite3.connect(folder / "evref.sqlite")
    with database:
        database.execute("DELETE FROM catalogue_history")
        database.execute("UPDATE catalogue_publication SET version = NULL")
    database.close()

    for command in (
        ("status",),
        ("status", "--json"),
        ("history",),
        ("rollback",),
        ("export", "x"),
    ):
        assert ready("catalogue", *command).refused() == "No catalogue has been published."
    assert "Serving " in ready("init").err
