"""Tests that each fault in a catalogue file is reported with its line and message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from evref.domain.catalogue.evidence import Reference
from evref.domain.catalogue.intervention import Intervention
from evref.domain.declaration import declared
from tests.adapters.files.support import KNEE, faults_in, faults_in_text, knee_with, read


def names(record: type) -> str:
    return ", ".join(field.name for field in declared(record) if field.name)


DIAGNOSIS = "id, name, icd10, icd11, enabled_modules, checked_on, interventions, references"
INTERVENTION = names(Intervention)
REFERENCE = names(Reference)
ICD10 = (
    "must be a WHO ICD-10 code: a letter and two digits, optionally with a dot and one or two"
    " digits, such as M17 or M17.1"
)
URL = "    url: https://www.nice.org.uk/guidance/ng226"
# Each case replaces the first text by the second in the valid file of support.py. The fault is at
# the line with ‸, which is removed before the file is read.
CASES = {
    "id missing": (
        "id: knee-osteoarthritis\nname:",
        "‸name:",
        f"id: is missing; required are {DIAGNOSIS}",
    ),
    "name empty": ("name: Knee osteoarthritis", "‸name:", "name: must be text, but is empty"),
    "name a truth value": (
        "name: Knee osteoarthritis",
        "‸name: yes",
        'name: must be text, put it in quotes: "yes"',
    ),
    "icd10 malformed": (
        'icd10: ["M17"]',
        "icd10:\n  - M17\n‸  - M17.123",
        f'icd10: {ICD10}, not "M17.123"',
    ),
    "checked_on without quotes": (
        'checked_on: "2026-11-21"',
        "‸checked_on: 2026-11-21",
        'checked_on: must be text, put it in quotes: "2026-11-21"',
    ),
    "intervention field unknown": (
        "    phase: chronic\n",
        "    phase: chronic\n‸    note: x\n",
        f"note: is not a field; the fields are {INTERVENTION}",
    ),
    "intervention field missing": (
        (
            "  - id: knee-osteoarthritis-strength\n    module: fitt_vip\n    phase: chronic\n"
            "    title: Strength training\n"
        ),
        "‸  - id: knee-osteoarthritis-strength\n    module: fitt_vip\n    phase: chronic\n",
        ("title: is missing; required are id, module, phase, title, summary, evidence, references"),
    ),
    "fitt_vp in another module": (
        "    module: fitt_vip",
        "    module: home",
        "fitt_vp: must be omitted for other modules than fitt_vip",
    ),
    "reference key undefined": (
        "references: [kolasinski-2020]",
        "references:\n      - kolasinski-2020\n‸      - who-2020",
        "references: who-2020 is not defined; the references are kolasinski-2020, nice-2022",
    ),
    "reference key repeated": (
        "references: [kolasinski-2020]",
        "references:\n      - kolasinski-2020\n‸      - kolasinski-2020",
        "references: must not repeat kolasinski-2020",
    ),
    "the same reference under two keys": (
        KNEE[KNEE.index("  nice-2022:") :],
        KNEE[KNEE.index("  kolasinski-2020:") : KNEE.index("  nice-2022:")].replace(
            "kolasinski-2020", "nice-2022"
        ),
        "references: must not repeat Kolasinski 2020",
    ),
    "reference not cited": (
        "[nice-2022, kolasinski-2020]",
        "[kolasinski-2020]",
        "nice-2022: is not cited by any intervention, remove it",
    ),
    "reference not a mapping": (
        KNEE[KNEE.index("  nice-2022:") :],
        "‸  nice-2022: NICE\n",
        f'nice-2022: must be a mapping with the fields {REFERENCE}, not "NICE"',
    ),
    "neither doi nor pmid nor url": (
        f"{URL}\n",
        "",
        "url: is required if there is neither a doi nor a pmid",
    ),
}
# For a fault outside the replaced text: a part of the line that has the fault.
ELSEWHERE = {
    "fitt_vp in another module": "fitt_vp:",
    "the same reference under two keys": "references: [nice-2022, kol",
    "reference not cited": "  nice-2022:",
    "neither doi nor pmid nor url": "  nice-2022:",
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_reported_once_at_its_line(name: str, tmp_path: Path) -> None:
    old, new, message = CASES[name]
    marked = knee_with(old, new)
    text = marked.replace("‸", "")
    place = text.index(ELSEWHERE[name]) if name in ELSEWHERE else marked.index("‸")

    assert faults_in_text(tmp_path, text) == [(text.count("\n", 0, place) + 1, message)]


@pytest.mark.parametrize("other", ["", "year: 1020"])
@pytest.mark.parametrize(
    ("mainstay", "modules", "reason"),
    [
        ("knee", "fitt_vip", "there is no knee"),
        (
            "knee-osteoarthritis-strength",
            "home",
            "knee-osteoarthritis-strength is hidden because fitt_vip is not in enabled_modules",
        ),
    ],
)
def test_a_mainstay_is_checked_whatever_else_is_wrong(
    mainstay: str, modules: str, reason: str, other: str, tmp_path: Path
) -> None:
    text = knee_with(
        "enabled_modules: [fitt_vip, home]",
        f"mainstays:\n  - {mainstay}\nenabled_modules: [{modules}]",
    ).replace("year: 2020", other or "year: 2020")

    line, message = faults_in_text(tmp_path, text)[0]

    assert message == (
        f"mainstays: must be visible interventions of the diagnosis with strong_for; {reason}"
    )
    assert line == text[: text.index(f"  - {mainstay}\n")].count("\n") + 1


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("module: fitt_vip", "module: Fitt_vip"),
        ("[fitt_vip, home]", "[Fitt_vip, home]"),
        ("recommendation: strong_for", "recommendation: Strong_for"),
    ],
)
def test_a_wrong_value_is_not_reported_as_a_fault_of_a_mainstay(
    right: str, wrong: str, tmp_path: Path
) -> None:
    text = KNEE.replace(
        "enabled_modules:", "mainstays: [knee-osteoarthritis-strength]\nenabled_modules:"
    )

    reported = faults_in_text(tmp_path, text.replace(right, wrong, 1))

    assert [message.partition(":")[0] for _, message in reported] == [
        right.partition(":")[0] if ":" in right else "enabled_modules"
    ]


def test_invalid_references_are_not_reported_as_repeated(tmp_path: Path) -> None:
    text = KNEE.replace("year: 2020", "year: 1020").replace("year: 2022", "year: 1022")

    assert [message.partition(":")[0] for _, message in faults_in_text(tmp_path, text)] == [
        "year",
        "year",
    ]


def test_all_faults_are_reported_at_once(tmp_path: Path) -> None:
    text = (
        KNEE.replace("name: Knee", "nme: Knee")
        .replace("phase: chronic", "phase: late")
        .replace("direction: unclear", "direction: maybe")
        .replace("year: 2022", "year: 1022")
    )

    assert [message.partition(":")[0] for _, message in faults_in_text(tmp_path, text)] == [
        "name",
        "nme",
        "phase",
        "direction",
        "year",
    ]


def test_ids_are_unique_over_all_files(tmp_path: Path) -> None:
    """Ids of diagnoses and interventions are compared even if the files have other faults."""
    (tmp_path / "1.yaml").write_text(KNEE.replace("year: 2020", "year: 1020"))
    (tmp_path / "2.yaml").write_text(KNEE)

    repeated = [fault for fault in faults_in(tmp_path) if fault.file.endswith("2.yaml")]

    assert [(fault.line, fault.message) for fault in repeated] == [
        (line, f'id: must be unique, "{name}" is also the id in {tmp_path / "1.yaml"}:{line}')
        for line, name in (
            (1, "knee-osteoarthritis"),
            (8, "knee-osteoarthritis-strength"),
            (28, "knee-osteoarthritis-home"),
        )
    ]


def test_a_long_list_is_reported_in_part(tmp_path: Path) -> None:
    more = "".join(f"  key-{number}: {{}}\n" for number in range(500))
    text = knee_with("references:\n  kol", f"references:\n{more}  kol").replace(
        "references: [kolasinski-2020]", "references: [x]"
    )

    assert max(len(message) for _, message in faults_in_text(tmp_path, text)) < 600


@pytest.mark.parametrize(
    "content",
    [
        knee_with("summary: >-", "summary: >").replace(
            "name: Knee osteoarthritis", 'name: " Knee osteoarthritis\\n"'
        ),
        json.dumps(yaml.safe_load(KNEE)),
        "\ufeff" + KNEE.replace("\n", "\r\n"),
    ],
    ids=["outer white space", "JSON", "a byte order mark and line ends of Windows"],
)
def test_another_form_of_a_file_is_valid_and_has_the_same_version(
    tmp_path: Path, content: str
) -> None:
    """Editors add white space and byte order marks, and programs write JSON, which is YAML."""
    (tmp_path / "knee.txt").write_text(KNEE)
    (tmp_path / "other.txt").write_bytes(content.encode())

    assert read(tmp_path / "other.txt").version == read(tmp_path / "knee.txt").version


@pytest.mark.parametrize(
    ("value", "found"), [('"true"', "true"), ("yes", "yes"), ("1", "1"), ("True", "True")]
)
def test_only_true_and_false_are_flags(tmp_path: Path, value: str, found: str) -> None:
    """Other YAML parsers read `yes` as text, and some read it as true."""
    text = knee_with("source_grade: null\n", f"source_grade: null\n      superseded: {value}\n")
    message = f'superseded: must be true or false, without quotes, not "{found}"'

    assert [fault[1] for fault in faults_in_text(tmp_path, text)] == [message]


EFFECTS = """\
    effects:
      - outcome: Pain
        comparison: no exercise
        measure: risk_ratio
        estimate: 0.70
        interval: [0.55, 0.89]
        unit: null
        better: lower
        per_1000: {comparison: 162, intervention: 114}
        studies: 4
        participants: 350
        certainty: high
        reference: kolasinski-2020
"""


KNEE_WITH_EFFECTS = KNEE.replace(
    "    references: [kolasinski-2020]", f"{EFFECTS}    references: [kolasinski-2020]", 1
)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("unit: null", "unit: points", "unit:", "unit: must be null for a risk_ratio"),
        ("unit: null\n        ", "", "- outcome:", "unit: is missing; required are outcome, comp"),
        (
            "reference: kolasinski-2020",
            "reference: nice-2022",
            "reference:",
            "reference: must be one of the intervention's references, kolasinski-2020",
        ),
    ],
)
def test_a_fault_of_an_effect_is_reported_at_its_line(
    old: str, new: str, line: str, message: str, tmp_path: Path
) -> None:
    """A missing field is reported where its record begins."""
    text = KNEE_WITH_EFFECTS.replace(old, new, 1)

    ((number, reported),) = faults_in_text(tmp_path, text)

    assert reported.startswith(message)
    assert text.splitlines()[(number or 0) - 1].strip().startswith(line)


@pytest.mark.parametrize(
    "text", ["1e3", ".nan", "NaN", ".5", "5.", "+1", "01", "1_0", "²", '"0.70"', "0.1234567891"]
)
def test_a_number_is_written_in_digits(text: str, tmp_path: Path) -> None:
    faulty = KNEE_WITH_EFFECTS.replace("estimate: 0.70", f"estimate: {text}", 1)

    ((_, message),) = faults_in_text(tmp_path, faulty)

    assert message.startswith("estimate: must be a number without quotes, such as -0.49, not")


@pytest.mark.parametrize(
    ("old", "new"), [("0.70", "0.7"), ("0.70", "0.700"), ("162", "162.0"), ("0.55", "0.550")]
)
def test_final_zeros_change_no_version(old: str, new: str, tmp_path: Path) -> None:
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    one.write_text(KNEE_WITH_EFFECTS)
    other.write_text(KNEE_WITH_EFFECTS.replace(old, new, 1))

    assert read(one).version == read(other).version
