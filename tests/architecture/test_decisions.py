"""The records of decisions are numbered, of one form, on one screen, and all in the list."""

import re
from pathlib import Path

import pytest

from tests.architecture.checker import ROOT

FOLDER = ROOT / "docs" / "decisions"
RECORDS = sorted(FOLDER.glob("[0-9]*.md"))


def title_of(record: Path) -> tuple[int, str]:
    first = record.read_text().splitlines()[0]
    match = re.fullmatch(r"# ([0-9]+)\. (.+)", first)
    assert match is not None, f"{record.name} has to begin with its number and title"
    return int(match[1]), match[2]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.stem)
def test_a_record_has_the_number_of_its_file_and_four_parts(record: Path) -> None:
    parts = re.findall(r"(?m)^## (.+)$", record.read_text())

    assert title_of(record)[0] == int(record.name[:4])
    assert parts == ["Context", "Options", "Outcome", "Consequences"]
    assert len(record.read_text().splitlines()) <= 50, "a record fits on one screen"


def test_the_list_has_every_record_by_its_title() -> None:
    rows = [
        f"| {number} | [{title}]({record.name}) |"
        for record in RECORDS
        for number, title in [title_of(record)]
    ]
    listed = (FOLDER / "README.md").read_text().splitlines()

    assert [line for line in listed if re.match(r"\| [0-9]", line)] == rows
