"""Tests that the pages on catalogue files agree with the code."""

import re
from pathlib import Path
from textwrap import indent

import pytest

import evref
from evref.adapters.outbound.files.folders import LARGEST_FILE
from evref.adapters.outbound.files.nodes import DEEPEST_NESTING, MOST_NODES
from evref.domain.catalogue.evidence import Recommendation
from evref.domain.catalogue.icd import CodeList, FinerCodes
from tests.adapters.files.support import faults_in, read

DOCS = Path(evref.__file__).parents[1] / "docs"
REFERENCE = (DOCS / "reference" / "catalogue-format.md").read_text(encoding="utf-8")
POLICY = (DOCS / "explanation" / "editorial-policy.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", REFERENCE, re.DOTALL | re.MULTILINE)


def test_the_example_is_a_catalogue_file(tmp_path: Path) -> None:
    """The example stays valid with the page's effects and finer codes inserted."""
    example, finer_codes, effects = blocks("yaml")
    evidence = "    evidence:\n"
    with_effects = example.replace(evidence, indent(effects, " " * 4) + evidence)
    for text in (with_effects, example.replace('icd10: ["M17"]\n', finer_codes)):
        (tmp_path / "example.yaml").write_text(text, encoding="utf-8")
        (entry,) = read(tmp_path).entries

        assert entry.diagnosis.id == "knee-osteoarthritis"
        assert len(entry.interventions) == 1
    assert entry.diagnosis.finer_codes == {CodeList.ICD_10_CM: FinerCodes(("S83.51",), ("S83.52",))}


def test_the_faults_on_the_page_are_reported_in_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "knee.yaml").write_text(
        "id: knee\nname: yes\nicd10: [M17, M17]\nicd11: [FA01]\n"
        "enabled_modules: [fitt_vip, hme]\nchecked_on: 2026-11-21\ninterventions:\n"
        "  - id: knee-exercise\n    module: fitt_vip\n    phase: chronic\n"
        "    summary: Twelve chars\n    evidence:\n      certainty: sure\n"
        "      recommendation: strong_for\n      direction: for\n      source_grade: null\n"
        "    references: [nice-2022, who-2020]\n"
        "references:\n  nice-2022:\n"
    )
    monkeypatch.chdir(tmp_path)
    (shown,) = blocks("text")

    assert [str(fault) for fault in faults_in(Path("knee.yaml"))] == shown.splitlines()


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    assert f"deeper than {DEEPEST_NESTING} levels" in REFERENCE
    assert f"more than {MOST_NODES:,} keys and values" in REFERENCE
    assert f"at most {LARGEST_FILE} bytes (1 MiB)" in REFERENCE


def test_the_table_of_grades_has_every_recommendation_that_is_stated() -> None:
    stated = [value for value in Recommendation if value is not Recommendation.NOT_STATED]

    assert re.findall(r"\| `(\w+)` \|$", POLICY, re.MULTILINE) == stated
