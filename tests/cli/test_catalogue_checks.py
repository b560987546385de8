"""What `evref catalogue check` and `load` report about files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from evref.bootstrap.container import BUNDLED_CATALOGUE
from tests.cli.conftest import KNEE, Run


def spoil(file: Path) -> None:
    """Add two errors to a file."""
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace("phase: chronic", "phase: late", 1).replace("name:", "nmae:", 1),
        encoding="utf-8",
    )


def test_the_bundled_catalogue_has_no_fault(run: Run) -> None:
    """Checking needs no storage."""
    result = run("catalogue", "check", str(BUNDLED_CATALOGUE))

    assert result.status == 0
    assert result.out.startswith("No errors in ")
    assert re.findall("^ignored: .*/(.*)$", result.err, re.MULTILINE) == [
        *("EDITORIAL.md", "FORMAT.md", "LICENSE.md", "README.md")
    ]


@pytest.mark.parametrize("command", ["check", "load"])
def test_what_is_in_a_folder_and_not_read_is_named(ready: Run, files: Path, command: str) -> None:
    (files / "notes.txt").write_text("To whom it may concern")
    (files / ".git").mkdir()

    options = ["--allow-removals"] if command == "load" else []
    result = ready("catalogue", command, *options, str(files))

    assert result.status == 0
    assert result.err.splitlines() == [
        f"ignored: {files / '.git'}",
        f"ignored: {files / 'notes.txt'}",
    ]


def test_what_the_bundled_catalogue_has_too_is_not_warned_of(ready: Run, folder: Path) -> None:
    mine = folder / "mine"
    ready("catalogue", "export", str(mine))
    loaded = ("catalogue", "load", "--dry-run", str(mine))
    bundled = ready(*loaded, canonical_root="")
    text = (mine / "stress-urinary-incontinence.yaml").read_text(encoding="utf-8")
    text = text.replace("stress-urinary-incontinence", "my-urinary-incontinence")
    (mine / "my-urinary-incontinence.yaml").write_text(text, encoding="utf-8")
    terms = [term for terms in yaml.safe_load(text)["terms"].values() for term in terms]

    checked = ready("catalogue", "check", str(mine))

    assert (bundled.status, bundled.err) == (0, "")
    assert len(checked.err.splitlines()) == len(terms)
    assert checked.err.count("(de) is shared by several diagnoses: my-urinary-incontinence, ") > 1
    assert ready(*loaded).err == checked.err
    assert "warning: the term 'Apoplex'" in ready("catalogue", "check", str(BUNDLED_CATALOGUE)).err


def test_at_most_a_hundred_faults_are_printed(run: Run, folder: Path) -> None:
    (folder / "many.yaml").write_text("".join(f"field-{number}: x\n" for number in range(2000)))

    lines = run("catalogue", "check", str(folder / "many.yaml")).err.splitlines()

    assert len(lines) == 102
    assert lines[100:] == ["and 1908 more", "evref: 2008 errors in the catalogue files."]


@pytest.mark.parametrize("command", ["check", "load"])
def test_every_fault_has_its_file_its_line_and_what_is_allowed(
    ready: Run, files: Path, command: str
) -> None:
    spoil(files / "asthma.yaml")
    (files / "migraine.yaml").write_text("id: [\n")

    result = ready("catalogue", command, str(files))

    lines = result.err.splitlines()
    assert result.status == 1
    assert result.out == ""
    assert lines[-1] == f"evref: {len(lines) - 1} errors in the catalogue files."
    assert len(lines) >= 4
    for line in lines[:-1]:
        path, number, _ = line.split(":", 2)
        assert Path(path).name in {"asthma.yaml", "migraine.yaml"}
        assert int(number) >= 1
    assert "acute, subacute, chronic" in result.err
    assert "nmae" in result.err


def test_a_catalogue_without_canonical_urls_of_its_own_is_warned_of(run: Run, files: Path) -> None:
    run("init")

    errors = run("catalogue", "load", str(files), "--dry-run", canonical_root="").err

    assert "warning: EVREF_CANONICAL_ROOT is not set" in errors
    assert "EVREF_CANONICAL_ROOT" not in run("catalogue", "load", str(files), "--dry-run").err


def test_strict_makes_a_warning_a_failure(run: Run, folder: Path) -> None:
    document = yaml.safe_load(KNEE.read_text(encoding="utf-8"))
    document["interventions"][0]["title"] = "Avoid running"
    file = folder / "knee-osteoarthritis.yaml"
    file.write_text(yaml.safe_dump(document))

    checked = run("catalogue", "check", str(file))
    assert checked.status == 0
    assert checked.err.startswith("warning: knee-osteoarthritis-")
    strictly = run("catalogue", "check", str(file), "--strict")
    assert strictly.status == 1
    assert strictly.err.splitlines()[-1] == "evref: Warnings: 1."
