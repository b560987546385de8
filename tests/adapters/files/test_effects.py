"""Tests of effects in catalogue files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.files.support import KNEE, faults_in_text, read

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
