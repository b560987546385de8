"""`evref catalogue`: check, load, history, rollback, export and status."""

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
import yaml

from evref.bootstrap.container import BUNDLED_CATALOGUE
from tests.cli.conftest import Run

KNEE = BUNDLED_CATALOGUE / "knee-osteoarthritis.yaml"


@pytest.fixture
def files(folder: Path) -> Path:
    """A folder with three files of the bundled catalogue."""
    some = folder / "some"
    some.mkdir()
    for name in ("knee-osteoarthritis", "asthma", "migraine"):
        shutil.copy(BUNDLED_CATALOGUE / f"{name}.yaml", some)
    return some


def spoil(file: Path) -> None:
    """Put two faults into a file."""
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


def test_progress_is_shown_on_a_terminal_alone(
    run: Run, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On standard error, where it is in no program's way."""
    piped = run("catalogue", "check", str(files))
    monkeypatch.setenv("TTY_COMPATIBLE", "1")

    shown = run("catalogue", "check", str(files))

    assert piped.err == ""
    assert "Checking" in shown.err
    assert "3/3" in shown.err
    assert shown.out == piped.out


@pytest.mark.parametrize("command", ["check", "load"])
def test_what_is_in_a_folder_and_not_read_is_named(ready: Run, files: Path, command: str) -> None:
    """On standard error, and it is not a failure."""
    (files / "notes.txt").write_text("To whom it may concern")
    (files / ".git").mkdir()

    options = ["--allow-removals"] if command == "load" else []
    result = ready("catalogue", command, *options, str(files))

    assert result.status == 0
    assert result.err.splitlines() == [
        f"ignored: {files / '.git'}",
        f"ignored: {files / 'notes.txt'}",
    ]


def test_a_title_that_names_a_direction_is_warned_of(run: Run, files: Path) -> None:
    """It would read as a double negative beside the direction of its evidence."""
    text = KNEE.read_text(encoding="utf-8")
    title = text[text.index("    title: ") : text.index("    summary:")]
    file = files / "knee-osteoarthritis.yaml"
    file.write_text(
        text.replace(title, "    title: Advice against oral opioids\n", 1), encoding="utf-8"
    )

    result = run("catalogue", "check", str(file))

    assert result.status == 0
    assert result.err.startswith("warning: knee-osteoarthritis-")
    assert "'Advice against oral opioids' names a direction" in result.err


def test_what_the_bundled_catalogue_has_too_is_not_warned_of(ready: Run, folder: Path) -> None:
    """Unless one checks the bundled catalogue itself. What a file adds to a warning is new."""
    mine = folder / "mine"
    ready("catalogue", "export", str(mine))
    loaded = ("catalogue", "load", "--dry-run", str(mine))
    bundled = ready(*loaded, canonical_root="")
    text = (mine / "stress-urinary-incontinence.yaml").read_text(encoding="utf-8")
    text = text.replace("stress-urinary-incontinence", "my-urinary-incontinence")
    (mine / "my-urinary-incontinence.yaml").write_text(text, encoding="utf-8")
    terms = [term for terms in yaml.safe_load(text)["terms"].values() for term in terms]

    checked = ready("catalogue", "check", str(mine))

    assert bundled.status == 0
    assert bundled.err == ""
    assert checked.status == 0
    assert len(checked.err.splitlines()) == len(terms)
    assert checked.err.count("(de) is shared by several diagnoses: my-urinary-incontinence, ") > 1
    assert ready(*loaded).err == checked.err
    assert "warning: the term 'Apoplex'" in ready("catalogue", "check", str(BUNDLED_CATALOGUE)).err


def test_what_a_reader_may_not_see_or_expect_is_warned_of(run: Run, files: Path) -> None:
    """A character that turns the direction of text, and a term that means two diagnoses."""
    for name, term in (("asthma", "Wheeze\u202e"), ("migraine", "wheeze\u202e")):
        file = files / f"{name}.yaml"
        text = file.read_text(encoding="utf-8").replace("terms:\n", f"terms:\n  nl: [{term}]\n")
        file.write_text(text, encoding="utf-8")

    result = run("catalogue", "check", str(files))

    assert result.status == 0
    assert result.err.splitlines() == [
        "warning: asthma: has invisible or bidirectional characters: U+202E",
        "warning: migraine: has invisible or bidirectional characters: U+202E",
        "warning: the term 'Wheeze\\u202e' (nl) is shared by several diagnoses: asthma, migraine",
    ]


def test_an_intervention_of_a_disabled_module_is_loaded_but_hidden(
    ready: Run, folder: Path
) -> None:
    """With a warning; so enabling the module again brings it back, and an export has it."""
    text = KNEE.read_text(encoding="utf-8")
    file = folder / "knee-osteoarthritis.yaml"
    text = re.sub(r"(?m)^mainstays: .*\n", "", text)
    file.write_text(re.sub(r"(?m)^enabled_modules: .*", "enabled_modules: [home]", text))
    loaded = ("catalogue", "load", "--allow-removals", str(file))

    results = [ready("catalogue", "check", str(file)), ready(*loaded, "--dry-run"), ready(*loaded)]

    for result in results:
        assert result.status == 0
        assert result.err.splitlines()
        assert all(
            re.fullmatch(
                r"warning: knee-osteoarthritis-[a-z-]+: (?!home)\w+ is not in enabled_modules, "
                "so the intervention is hidden",
                line,
            )
            for line in result.err.splitlines()
        )
    assert ready("catalogue", "export", str(folder / "copy")).status == 0
    exported = yaml.safe_load((folder / "copy" / file.name).read_text(encoding="utf-8"))
    assert {each["id"] for each in exported["interventions"]} == {
        each["id"] for each in yaml.safe_load(text)["interventions"]
    }


def test_at_most_a_hundred_faults_are_printed(run: Run, folder: Path) -> None:
    """Then how many more there are."""
    (folder / "many.yaml").write_text("".join(f"field-{number}: x\n" for number in range(200)))

    lines = run("catalogue", "check", str(folder / "many.yaml")).err.splitlines()

    assert len(lines) == 102
    assert lines[100:] == ["and 108 more", "evref: 208 errors in the catalogue files."]


@pytest.mark.parametrize("command", ["check", "load"])
def test_every_fault_has_its_file_its_line_and_what_is_allowed(
    ready: Run, files: Path, command: str
) -> None:
    """One a line on standard error, and a last one that counts them."""
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


def test_a_load_says_what_was_added_changed_and_removed(ready: Run, files: Path) -> None:
    """And replaces the whole."""
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
    """Also where diagnoses would be removed."""
    before, history = served(ready), ready("catalogue", "history", "--json").json

    planned = ready("catalogue", "load", "--dry-run", str(files))

    assert planned.status == 0
    assert planned.out.startswith("Would serve 3 diagnoses and ")
    assert f"{before['diagnoses'] - 3} removed: " in planned.out
    assert planned.err.count("would remove: ") == before["diagnoses"] - 3
    assert planned.err.splitlines()[-1] == (
        "warning: removals need a confirmation at a terminal, or --allow-removals"
    )
    assert served(ready) == before
    assert ready("catalogue", "history", "--json").json == history


def test_a_load_that_would_remove_diagnoses_is_refused(ready: Run, files: Path) -> None:
    """It names each one, and nothing is changed."""
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
            "evref: 2 published diagnoses would be removed. Nothing was changed. "
            "To remove them, use --allow-removals."
        ),
    ]
    assert served(ready) == before


@pytest.mark.parametrize(("answer", "is_loaded"), [(b"y\n", True), (b"\n", False)])
def test_a_person_at_a_terminal_is_asked(
    ready: Run, folder: Path, files: Path, answer: bytes, is_loaded: bool
) -> None:
    """Who says nothing has not said yes."""
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
    """Newest first; a rollback is a publication too, a load that changes nothing is none."""
    count = served(ready)["diagnoses"]
    ready("catalogue", "load", "--allow-removals", str(files))
    ready("catalogue", "load", str(files))
    ready("catalogue", "rollback")

    history = ready("catalogue", "history", "--json").json

    user = pwd.getpwuid(os.getuid()).pw_name
    assert [(each["added"], each["changed"], each["removed"]) for each in history] == [
        (count - 3, 0, 0),
        (0, 0, count - 3),
        (count, 0, 0),
    ]
    assert [each["is_bundled"] for each in history] == [False, False, True]
    assert {each["published_by"] for each in history} == {user}
    assert history[0]["version"] == history[2]["version"] == served(ready)["version"]
    shown = ready("catalogue", "history").out
    assert all(each["version"] in shown for each in history)
    assert user in shown


def test_a_rollback_to_what_is_not_kept_names_what_is(ready: Run, files: Path) -> None:
    """And changes nothing."""
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


def test_what_is_exported_loads_to_the_same_version(ready: Run, folder: Path) -> None:
    """One file a diagnosis, named by its id; the folder is made."""
    status = ready("catalogue", "status", "--json").json
    target = folder / "new" / "folder"

    exported = ready("catalogue", "export", str(target))
    ready("catalogue", "load", "--allow-removals", str(KNEE))
    loaded = ready("catalogue", "load", str(target))

    assert exported.status == 0
    assert str(target) in exported.out
    assert len(list(target.glob("*.yaml"))) == len(list(target.iterdir())) == status["diagnoses"]
    assert (target / "knee-osteoarthritis.yaml").exists()
    assert status["version"] in exported.out
    assert status["version"] in loaded.out
    assert ready("catalogue", "status", "--json").json["version"] == status["version"]


def test_an_export_goes_to_a_folder_whose_name_is_not_text(ready: Run, folder: Path) -> None:
    """File names are bytes; what cannot be shown of them is marked."""
    result = ready("catalogue", "export", "folder-\udcff")

    assert result.status == 0
    assert "folder-\ufffd" in result.out


def test_status_says_what_is_served_and_since_when(ready: Run) -> None:
    """To people and to programs."""
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
    assert f"{status['diagnoses']} diagnoses and {status['interventions']} interventions" in shown
    assert status["version"] in shown
    published_at = status["published_at"].replace("T", " ").replace("Z", " UTC")
    assert f"since {published_at} by {status['published_by']}" in shown


def test_status_reports_how_many_entries_were_checked_when(ready: Run, files: Path) -> None:
    """And warns about those that were not checked for more than a year."""
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
    """As when storage was made, and loading failed."""
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


def test_find_shows_what_the_search_finds_and_why(ready: Run) -> None:
    found = ready("catalogue", "find", "heart", "attack")
    record = ready("catalogue", "find", "hart failure", "--json").json
    nothing = ready("catalogue", "find", "can't eat gluten")

    assert found.out.splitlines()[0] == ("coronary-heart-disease: is the term “heart attack” (en)")
    assert record["found"][0]["diagnosis_id"] == "heart-failure"
    assert record["found"][0]["spelling_corrected"]
    assert nothing.status == 0
    assert nothing.out.startswith("No diagnosis.\nSuggested: coeliac-disease, near")


def test_find_says_how_each_word_of_a_question_was_read(ready: Run) -> None:
    """As a diagnosis, as a synonym or a kind, or not at all."""
    asked = ready("catalogue", "find", "ibuprofen helmet knee osteoarthritis").out
    synonym = ready("catalogue", "find", "CPAP").out
    read = ready("catalogue", "find", "ibuprofen knee osteoarthritis", "--json").json

    assert "Read as a diagnosis: “knee osteoarthritis”, knee-osteoarthritis" in asked
    assert "Ignored: helmet" in asked
    assert "”, wider than “ibuprofen”" in asked
    assert "“Positive airway pressure”, a synonym of “cpap”" in synonym
    assert read["diagnosis_words"] == ["knee", "osteoarthritis"]
    assert read["interventions"][0]["readings"][0]["likeness"] == "wider"


def test_a_catalogue_without_canonical_urls_of_its_own_is_warned_of(run: Run, files: Path) -> None:
    run("init")

    errors = run("catalogue", "load", str(files), "--dry-run", canonical_root="").err

    assert "warning: EVREF_CANONICAL_ROOT is not set" in errors
    assert "EVREF_CANONICAL_ROOT" not in run("catalogue", "load", str(files), "--dry-run").err


def test_retracted_references_are_warnings_and_strict_makes_them_a_failure(
    run: Run, folder: Path
) -> None:
    """By DOI in any case, or by PubMed id; a correction is not one, and a list has columns."""
    document = yaml.safe_load(KNEE.read_text(encoding="utf-8"))
    doi = next(each["doi"] for each in document["references"].values() if "doi" in each)
    pmid = next(each["pmid"] for each in document["references"].values() if "pmid" in each)
    header = "Record ID,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,RetractionDate"
    lists = {
        "by-doi": f"1,{doi.upper()},0,Retraction,9/30/2021 0:00",
        "by-pmid": f"1,unavailable,{pmid},Expression of concern,1/2/2022 0:00",
        "corrected": f"1,{doi},{pmid},Correction,1/2/2022 0:00",
    }
    found = {}
    for name, row in lists.items():
        file = folder / f"{name}.csv"
        file.write_text(f"\ufeff{header}\n0,unavailable,0,Retraction,1/1/2020 0:00\n{row}\n")
        arguments = ("catalogue", "check", str(KNEE), "--retractions", str(file))
        lines = re.findall(
            "^warning: (knee-osteoarthritis: .* cites .*)$", run(*arguments).err, re.MULTILINE
        )
        assert run(*arguments).status == 0
        found[name] = (
            {line.rpartition(": ")[2] for line in lines},
            run(*arguments, "--strict").status,
        )

    assert found == {
        "by-doi": ({"retraction on 2021-09-30"}, 1),
        "by-pmid": ({"expression of concern on 2022-01-02"}, 1),
        "corrected": (set(), 0),
    }
    (folder / "other.csv").write_text("a,b\n")
    other = run("catalogue", "check", str(KNEE), "--retractions", str(folder / "other.csv"))
    assert other.status == 1
    assert "other.csv: has no column OriginalPaperDOI" in other.err
    assert other.err.splitlines()[-1] == "evref: 1 error in the list."
    document["interventions"][0]["title"] = "Avoidance of running"
    (folder / "knee-osteoarthritis.yaml").write_text(yaml.safe_dump(document))
    strictly = ("catalogue", "check", str(folder / "knee-osteoarthritis.yaml"), "--strict")
    assert run(*strictly).status == 1
    assert run(*strictly, "--retractions", str(folder / "corrected.csv")).status == 0
