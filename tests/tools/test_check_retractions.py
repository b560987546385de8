"""Tests of the script that compares a catalogue with the list of Retraction Watch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.adapters.files.support import KNEE

SCRIPT = Path(__file__).parents[2] / "tools" / "check_retractions.py"
HEADER = "Record ID,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,RetractionDate"
UNKNOWN = "0,unavailable,0,Retraction,1/1/2020 0:00"
CITES = "cites Kolasinski 2020 (https://doi.org/10.1002/art.41142)"


def check(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Compare a file of one diagnosis with a list of this text."""
    (folder / "list.csv").write_text(text, encoding="utf-8")
    (folder / "knee.yaml").write_text(KNEE, encoding="utf-8")
    return subprocess.run(
        [sys.executable, SCRIPT, folder / "list.csv", folder / "knee.yaml"],
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("row", "notice"),
    [
        ("1,10.1002/ART.41142,0,Retraction,9/30/2021 0:00", "retraction on 2021-09-30"),
        ("1,https://doi.org/10.1002/art.41142,0,Retraction,soon", "retraction on soon"),
        (
            "1,10.1002/art.41142,31908163,Expression of concern,1/2/2022 0:00",
            "expression of concern on 2022-01-02",
        ),
        ("1,unavailable,31908163,Retraction,1/2/2022 0:00", "retraction on 2022-01-02"),
    ],
    ids=["DOI in another case", "DOI with a resolver", "both", "PubMed id"],
)
def test_each_citation_of_a_work_in_the_list_is_printed(
    row: str, notice: str, tmp_path: Path
) -> None:
    done = check(tmp_path, f"\ufeff{HEADER}\n{UNKNOWN}\n{row}\n")

    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"knee-osteoarthritis: knee-osteoarthritis-{name} {CITES}: {notice}"
        for name in ("strength", "home")
    ]


def test_a_correction_leaves_a_work_valid(tmp_path: Path) -> None:
    done = check(tmp_path, f"{HEADER}\n{UNKNOWN}\n1,10.1002/art.41142,,Correction,1/2/2022\n")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n", "has no column OriginalPaperDOI, OriginalPaperPubMedID, RetractionNature"),
        (f"{HEADER}\n{'x' * 200_000}\n", "is not CSV: field larger than field limit"),
    ],
    ids=["another table", "not a table"],
)
def test_another_file_is_refused_with_the_reason(text: str, reason: str, tmp_path: Path) -> None:
    done = check(tmp_path, text)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"list.csv: {reason}" in done.stderr
