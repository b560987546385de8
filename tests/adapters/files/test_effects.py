"""Tests of invalid effects in catalogue files, with the reader and the JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from tests.adapters.files.support import KNEE, faults_in_text, read
from tests.docs.catalogue_format import SCHEMA

VALIDATOR = jsonschema_rs.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
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
PER_1000 = "per_1000: {comparison: 162, intervention: 114}"
BY_SCHEMA = [
    ("outcome: Pain", "outcome: ab", "outcome: must have 3 to 80 characters, has 2"),
    ("[0.55, 0.89]", "[0.55]", "interval: must be a list of two numbers, the lower end first"),
    ("unit: null", "unit: points", "unit: must be null for a risk_ratio"),
    (
        "risk_ratio\n        estimate: 0.70\n        interval: [0.55, 0.89]",
        "mean_difference\n        estimate: -0.70\n        interval: null",
        "unit: is required for a mean_difference",
    ),
    ("participants: 350", "participants: 1.5", "participants: must be a whole number"),
    (
        PER_1000,
        "per_1000:\n          comparison: 1001\n          intervention: 114",
        "comparison: must be a number from 0 to 1000",
    ),
    ("        unit: null\n", "", "unit: is missing; required are outcome, comparison"),
]
BY_DOMAIN = [
    ("estimate: 0.70", "estimate: 0.90", "estimate: must be within the interval"),
    (
        "reference: kolasinski-2020",
        "reference: nice-2022",
        "reference: must be one of the intervention's references, kolasinski-2020",
    ),
]


@pytest.mark.parametrize(
    ("old", "new", "message", "by_schema"),
    [
        *((*case, True) for case in BY_SCHEMA),
        *((*case, False) for case in BY_DOMAIN),
        (
            "estimate: 0.70\n        interval: [0.55, 0.89]\n",
            "estimate: 0\n        interval: null\n",
            "estimate: must be above 0, as every ratio is",
            True,
        ),
    ],
)
def test_a_fault_of_an_effect_is_reported_once_at_its_line(
    old: str, new: str, message: str, by_schema: bool, tmp_path: Path
) -> None:
    """The JSON Schema, which editors use, rejects the file too if it can express the rule."""
    text = KNEE_WITH_EFFECTS.replace(old, new, 1)
    lines = text.splitlines()
    name = message.partition(":")[0]

    ((line, reported),) = faults_in_text(tmp_path, text)

    assert reported.startswith(message)
    # A missing field is reported where its record begins.
    assert line is not None
    start = "      - outcome" if "is missing" in message else f"{name}:"
    assert start in lines[line - 1]
    assert line > text[: text.index("effects:")].count("\n")
    assert schema_accepts(text) is not by_schema


def schema_accepts(text: str) -> bool:
    return VALIDATOR.is_valid(yaml.safe_load(text))


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


def test_every_effect_of_an_intervention_is_checked(tmp_path: Path) -> None:
    """Other faults, such as an undefined reference, do not stop the check of the effects."""
    effect = EFFECTS.partition("\n")[2]
    text = KNEE_WITH_EFFECTS.replace(effect, effect * 4, 1).replace(
        "    references: [kolasinski-2020]", "    references: [who-2020, kolasinski-2020]", 1
    )
    first, *others = text.split("estimate: 0.70")
    text = "estimate: 0.95".join([first + "estimate: 0.70" + others[0], *others[1:]])
    text = text.replace("phase: chronic\n", "phase: chronic\n    note: x\n", 1)

    reported = [message.partition(";")[0] for _, message in faults_in_text(tmp_path, text)]

    assert [message.partition(", which")[0] for message in reported] == [
        "note: is not a field",
        *["estimate: must be within the interval"] * 3,
        "references: who-2020 is not defined",
    ]
