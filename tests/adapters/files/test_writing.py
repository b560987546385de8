"""Tests of writing catalogue files: reading back, layout, and failures."""

import fcntl
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module, Review
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import FittVp
from evref.ports.catalogue import FileFault, InvalidCatalogueError
from evref.testing.builders import (
    a_catalogue,
    a_diagnosis,
    a_reference,
    an_entry,
    an_intervention,
    interventions_of_every_kind,
)
from tests.adapters.files.strategies import NASTY, lines, texts
from tests.adapters.files.support import KNEE, read

# The prefix of the temporary folder of an export.
BESIDE = ".evref-export-"

KILLED_EXPORT = """
import os, signal, sys
from pathlib import Path
from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.testing.builders import a_catalogue
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
YamlCatalogueFiles().write(a_catalogue(), Path(sys.argv[1]))
"""


def write(catalogue: Catalogue, folder: Path) -> None:
    YamlCatalogueFiles().write(catalogue, folder)


def faults_of_writing(catalogue: Catalogue, folder: Path) -> tuple[FileFault, ...]:
    with pytest.raises(InvalidCatalogueError) as refused:
        write(catalogue, folder)
    return refused.value.faults


def written(catalogue: Catalogue, folder: Path) -> str:
    """Write a catalogue of one diagnosis; return the text of its file."""
    write(catalogue, folder)
    (path,) = folder.iterdir()
    return path.read_text(encoding="utf-8")


@contextmanager
def file_sizes_limited_to(size: int) -> Iterator[None]:
    """Simulate a full disk; Python ignores SIGXFSZ, so that a write raises an error."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@settings(max_examples=50)
@given(line=lines(5), summary=texts(80, 700), text=texts())
def test_any_text_in_any_field_reads_back_the_same(line: str, summary: str, text: str) -> None:
    work = replace(a_reference(title=text, authors=text), source=text)
    intervention = an_intervention(
        module=Module.FITT_VIP, title=line, summary=summary, references=[work]
    )
    evidence = replace(intervention.evidence, source_grade=text)
    entry = Entry(
        a_diagnosis(name=line, reviewed=Review(line, date(2026, 2, 2))),
        (replace(intervention, evidence=evidence, fitt_vp=FittVp(*[text] * 6)),),
    )
    with tempfile.TemporaryDirectory() as folder:
        write(Catalogue([entry]), Path(folder))
        again = read(Path(folder))

    assert again.entries == (entry,)


def shuffled(content: Any, random: Random) -> Any:
    """Return the content in another order, with other keys for the references."""
    references = list(content["references"].items())
    random.shuffle(references)
    names = {key: f"k{number}" for number, (key, _) in enumerate(references)}
    for intervention in content["interventions"]:
        intervention["references"] = [names[key] for key in intervention["references"]]
    random.shuffle(content["interventions"])
    random.shuffle(content["enabled_modules"])
    content["references"] = {names[key]: reference for key, reference in references}
    items = list(content.items())
    random.shuffle(items)
    return dict(items)


@settings(max_examples=25)
@given(st.randoms(use_true_random=False))
def test_no_order_in_files_changes_the_version(random: Random) -> None:
    """The keys of references and the names of files do not change it either."""
    catalogue = a_catalogue(an_entry(interventions=interventions_of_every_kind()), an_entry("a"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(catalogue, folder)
        for number, path in enumerate(sorted(folder.iterdir(), reverse=True)):
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
            path.unlink()
            (folder / f"{number}.yml").write_text(
                yaml.safe_dump(shuffled(content, random), sort_keys=False, width=40)
            )
        again = read(folder)

    assert again.version == catalogue.version


@pytest.mark.parametrize("text", NASTY)
def test_text_that_looks_like_other_yaml_is_kept(text: str, tmp_path: Path) -> None:
    """Titles are mostly written on one line, and summaries are folded."""
    summary = f"{text}\n{'A guideline describes exercise. ' * 4}{text}"
    references = [a_reference(title=text)]
    catalogue = a_catalogue(
        an_entry(interventions=[an_intervention(summary=summary, references=references)])
    )
    write(catalogue, tmp_path)

    assert read(tmp_path).entries == catalogue.entries


def test_a_file_is_written_so_that_people_can_read_it(tmp_path: Path) -> None:
    """Fields have the order of the format, long text is folded, short lists take one line."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "knee.yaml").write_text(KNEE)

    lines = written(read(tmp_path / "in"), tmp_path / "out").splitlines()

    assert lines[:12] == [
        "id: knee-osteoarthritis",
        "name: Knee osteoarthritis",
        "icd10: [M17]",
        "icd11: [FA01]",
        "enabled_modules: [fitt_vip, home]",
        'checked_on: "2026-11-21"',
        "interventions:",
        "- id: knee-osteoarthritis-strength",
        "  module: fitt_vip",
        "  phase: chronic",
        "  title: Strength training",
        "  summary: >-",
    ]
    assert "  references: [kolasinski-2020]" in lines


def test_text_that_other_readers_take_for_numbers_is_in_quotes(tmp_path: Path) -> None:
    """Readers of YAML 1.2 take more for numbers than PyYAML does."""
    intervention = an_intervention("null", diagnosis_id="1e3", references=[a_reference(pmid="319")])
    text = written(
        a_catalogue(an_entry("1e3", name="0o17", interventions=[intervention])), tmp_path
    )

    for line in ('id: "1e3"', 'name: "0o17"', "id: 'null'", 'pmid: "319"'):
        assert line in text


def test_equal_references_share_a_key(tmp_path: Path) -> None:
    """Two interventions may cite the same work."""
    interventions = [an_intervention(name, references=[a_reference()]) for name in ("a-1", "a-2")]
    text = written(a_catalogue(an_entry(interventions=interventions)), tmp_path)

    assert text.count("references: [kolasinski-2020]") == 2
    assert text.count("  kolasinski-2020:\n") == 1
    # The URL is not written, because it is derived from the DOI.
    assert "url" not in text


def test_catalogue_files_of_other_diagnoses_are_faults_and_are_kept(tmp_path: Path) -> None:
    """Hidden files and files of other kinds are not faults."""
    for name in ("b.yml", "a.yaml", "README.md", ".hidden.yaml", "knee-osteoarthritis.yaml"):
        (tmp_path / name).write_text("before")
    message = "is a catalogue file of another diagnosis; name an empty folder"

    assert faults_of_writing(a_catalogue(), tmp_path) == (
        FileFault(str(tmp_path / "a.yaml"), None, message),
        FileFault(str(tmp_path / "b.yml"), None, message),
    )
    assert {path.read_text() for path in tmp_path.iterdir()} == {"before"}
    assert len(list(tmp_path.iterdir())) == 5


def test_hidden_folders_are_not_changed(tmp_path: Path) -> None:
    """A hidden folder may belong to git, or to an export that another process is writing."""
    for name in (".github/workflows/ci.yml", f"{BESIDE}x1y2/asthma.yaml"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("before")

    writing = os.open(tmp_path / f"{BESIDE}x1y2", os.O_RDONLY)
    try:
        fcntl.flock(writing, fcntl.LOCK_EX)
        write(a_catalogue(), tmp_path)
    finally:
        os.close(writing)

    assert len(read(tmp_path).entries) == 1
    assert [path.read_text() for path in tmp_path.glob(".*/**/*.y*ml")] == ["before", "before"]


def test_an_export_removes_the_files_that_a_killed_export_left(tmp_path: Path) -> None:
    """The removal does not follow links."""
    kept, out, link = tmp_path / "kept", tmp_path / "out", tmp_path / "out" / f"{BESIDE}link"
    kept.mkdir()

    killed = subprocess.run([sys.executable, "-c", KILLED_EXPORT, out], check=False)
    left = [path.name.startswith(BESIDE) for path in out.iterdir()]
    link.symlink_to(kept)
    write(a_catalogue(), out)

    assert killed.returncode == -signal.SIGKILL
    assert left == [True]
    assert {path.name for path in out.iterdir()} == {"knee-osteoarthritis.yaml", link.name}
    assert kept.is_dir()


def test_a_file_that_cannot_be_replaced_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    """The export fails at a pipe after it has replaced other files, and restores these."""
    (tmp_path / "asthma.yaml").write_text("before")
    (tmp_path / "copd.yaml").symlink_to("elsewhere")
    os.mkfifo(tmp_path / "migraine.yaml")
    names = ("asthma", "copd", "knee-osteoarthritis", "migraine")

    (fault,) = faults_of_writing(a_catalogue(*map(an_entry, names)), tmp_path)

    assert "migraine.yaml` is a named pipe" in fault.message
    assert (tmp_path / "asthma.yaml").read_text() == "before"
    assert (tmp_path / "copd.yaml").readlink() == Path("elsewhere")
    assert {path.stem for path in tmp_path.iterdir()} == {"asthma", "copd", "migraine"}


def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    """The target of the link may belong to somebody else."""
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "knee-osteoarthritis.yaml").symlink_to("../elsewhere")
    write(a_catalogue(), tmp_path / "out")

    assert (tmp_path / "elsewhere").read_text() == "kept"
    assert len(read(tmp_path / "out").entries) == 1


def test_a_folder_that_cannot_be_made_is_a_fault(tmp_path: Path) -> None:
    """A file is in its place or in that of a parent folder, or its name is invalid."""
    (tmp_path / "file").write_text("kept")

    assert [
        (fault.file, fault.message)
        for folder in (tmp_path / "file", tmp_path / "file" / "below" / "it", Path("nul\0"))
        for fault in faults_of_writing(a_catalogue(), folder)
    ] == [
        (str(tmp_path / "file"), "cannot be written: File exists"),
        (str(tmp_path / "file" / "below" / "it"), "cannot be written: Not a directory"),
        (r"nul\x00", "cannot be written: its path has a null byte or cannot be encoded"),
    ]
    assert (tmp_path / "file").read_text() == "kept"


def test_a_file_too_large_to_be_read_back_is_not_written(tmp_path: Path) -> None:
    """Writing has the same limit as reading."""
    interventions = [an_intervention(f"a-{number}", summary="x" * 700) for number in range(1500)]
    catalogue = a_catalogue(an_entry(interventions=interventions))

    assert faults_of_writing(catalogue, tmp_path / "out") == (
        FileFault(
            str(tmp_path / "out" / "knee-osteoarthritis.yaml"),
            None,
            "would have more than 1048576 bytes",
        ),
    )
    assert not (tmp_path / "out").exists()


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """A failed export removes the files and folders that it has made."""
    catalogue = a_catalogue(*[
        an_entry(f"a-{number}", interventions=[
            an_intervention(f"a-{number}-{part}", diagnosis_id=f"a-{number}", summary="x" * 700)
            for part in range(number + 1)
        ])
        for number in range(8)
    ])  # fmt: skip
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "a-0.yaml").write_text("before")
    with file_sizes_limited_to(4096):
        faults = [
            *faults_of_writing(catalogue, tmp_path / "new" / "folder"),
            *faults_of_writing(catalogue, tmp_path / "old"),
        ]

    assert [str(fault) for fault in faults] == [
        f"{tmp_path / 'new' / 'folder'}: cannot be written: File too large",
        f"{tmp_path / 'old'}: cannot be written: File too large",
    ]
    assert [path.name for path in tmp_path.rglob("*")] == ["old", "a-0.yaml"]
    assert (tmp_path / "old" / "a-0.yaml").read_text() == "before"
