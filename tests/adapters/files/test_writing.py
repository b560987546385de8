"""Tests of writing catalogue files: reading back, layout, and failures."""

import re
import resource
import tempfile
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
from tests.adapters.files.support import KNEE, read

NASTY = [
    *("yes", "No", "ON", "y", "null", "Null", "~", "1e3", "1E+3", "12:30", "0x1F", "0o7", "1_0"),
    *("2020-01-01", ".5", ".inf", "-1", "=", "<<", "-", "- a", "? a", ": a", "a: b", "a:", "a #b"),
    *("#a", "a#", "a ##", "&a", "*a", "!a", "!!str a", "%a", "@a", "`a", "|", ">-", "[a]", "{a}"),
    *("'", "''", '"', '"a', "it's", 'a "b" c', "\\", "\\n", "a\\", "a, b", "---", "...", "--- a"),
    *("a\nb", "a\n\nb", "a\n\n\nb", "a\n b", "a \nb", "a\n- b", "a\n#b", "a  b", "a\n---\nb"),
    *("a\u2028b", "a\u2029b", "a\xa0b", "a\u3000b", "a\u200db", "a\ufeffb", "\ufeffa", "\ufffe"),
    *("\u202ea", "é", "e\u0301", "🦵", "👩‍⚕️", "\U0010ffff", "ß", "ﬁ", "²", "١٢", "a" * 119),
    *("word " * 23 + "word", "a" * 60 + " " + "b" * 59, "word " * 22 + "# word", "x" * 117 + " #"),
]

_characters = st.characters(exclude_categories=("Cc", "Cs")) | st.sampled_from("\n -:#'\"\\,&*")


def texts(shortest: int = 1, longest: int = 120) -> st.SearchStrategy[str]:
    """Return a strategy for trimmed text of `shortest` to `longest` characters."""

    def fitted(text: str) -> str:
        filled = text.strip() or "-"
        while len(filled) < shortest:
            filled = f"{filled} {filled} -"
        return filled[:longest].strip()

    return (
        (st.sampled_from(NASTY) | st.text(_characters, max_size=longest))
        .map(fitted)
        .filter(lambda text: shortest <= len(text) <= longest)
    )


def lines(shortest: int = 1) -> st.SearchStrategy[str]:
    return texts(shortest).map(lambda text: re.sub("[\n\u2028\u2029]", " ", text))


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


def test_a_file_is_written_so_that_people_can_read_it(tmp_path: Path) -> None:
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


def test_a_folder_that_cannot_be_made_is_a_fault(tmp_path: Path) -> None:
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


def test_a_full_disk_is_a_fault(tmp_path: Path) -> None:
    summaries = [an_intervention(f"a-{number}", summary="x" * 700) for number in range(9)]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Python ignores SIGXFSZ, so that a write raises an error.
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        (fault,) = faults_of_writing(a_catalogue(an_entry(interventions=summaries)), tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert str(fault) == f"{tmp_path}: cannot be written: File too large"
