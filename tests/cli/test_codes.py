"""`evref codes`: load, status and remove."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.fixture
def table(folder: Path) -> Path:
    file = folder / "map.csv"
    file.write_text("snomed;icd10\n101;M17.9\n102;Z99.9\n", encoding="utf-8")
    return file


def load(run: Run, file: Path, *more: str) -> str:
    result = run("codes", "load", str(file), "--system", "snomed-ct", *more)
    assert result.status == 0, result.err
    return result.out


def test_a_map_is_loaded_shown_and_removed(ready: Run, table: Path) -> None:
    size = "2 codes of SNOMED CT, 1 of which lead to a diagnosis"
    assert load(ready, table, "--dry-run") == f"Would read {size}.\n"
    assert ready("codes", "status").refused() == "No map of SNOMED CT is loaded."

    assert load(ready, table) == f"Reading {size}.\n"

    shown = ready("codes", "status")
    assert shown.out.startswith(f"Reading {size}, since ")
    record = ready("codes", "status", "--json").json
    assert (record["codes"], record["leading_to_a_diagnosis"]) == (2, 1)
    assert ready("codes", "remove").out == "Removed the map of SNOMED CT.\n"
    assert ready("codes", "remove").refused() == "No map of SNOMED CT is loaded."


def test_rows_that_are_left_out_are_counted(ready: Run, folder: Path) -> None:
    names = (
        "id effectiveTime active moduleId refsetId referencedComponentId mapGroup mapPriority "
        "mapRule mapAdvice mapTarget"
    )
    file = folder / "map.txt"
    rows = [f"{n} 20260701 1 1 {n} 10{n} 1 1 TRUE ALWAYS M17.9" for n in (7, 8)]
    file.write_text("\n".join([names, *rows]).replace(" ", "\t"), encoding="utf-8")

    said = load(ready, file, "--refset", "8").splitlines()

    assert said[1:] == ["Left out 1 row of the reference set 7."]


def test_a_row_that_cannot_be_read_changes_nothing(ready: Run, table: Path, folder: Path) -> None:
    load(ready, table)
    wrong = folder / "wrong.csv"
    wrong.write_text("101;M17\n102;M1\n", encoding="utf-8")

    result = ready("codes", "load", str(wrong), "--system", "snomed-ct")

    assert result.status == 1
    assert [line.partition(":")[2][:2] for line in result.err.splitlines()] == ["2:", " 1"]
    assert ready("codes", "status", "--json").json["codes"] == 2


def test_a_damaged_map_is_replaced_by_loading_it_again(
    ready: Run, table: Path, folder: Path
) -> None:
    load(ready, table)
    with closing(sqlite3.connect(folder / "evref.sqlite")) as database, database:
        database.execute("UPDATE code_map SET document = x'00'")
    assert "load it again" in ready("codes", "status").refused()

    load(ready, table)

    assert ready("codes", "status").status == 0


def test_the_code_system_must_be_named(ready: Run, table: Path) -> None:
    assert ready("codes", "load", str(table)).status == 2
    assert ready("codes", "load", str(table), "--system", "icd-9").status == 2
