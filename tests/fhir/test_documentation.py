"""The how-to has the mapping tables of the code."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from evref.adapters.inbound.fhir.interactions import MOST_WITH_INCLUDED
from evref.adapters.inbound.fhir.mappings import (
    ISSUE_TYPES,
    QUALITIES,
    STRENGTHS,
    Coding,
)
from evref.adapters.inbound.fhir.search import DEFAULT_COUNT, MOST_COUNT, SEARCH
from evref.adapters.inbound.web.code_systems import CODE_SYSTEMS
from evref.adapters.inbound.web.problems import DOCUMENTED
from tests.docs.pages import DOCS

PAGE = DOCS / "how-to" / "read-as-fhir.md"
TABLES = [
    [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    for table in re.findall(r"(?m)(?:^\|.*\n)+", PAGE.read_text(encoding="utf-8"))
]
ROWS = [row for table in TABLES for row in table]


def codes(codings: Iterable[Coding]) -> list[str]:
    return [f"`{coding.code}`" for coding in codings]


@pytest.mark.parametrize(
    "table",
    [
        [
            [system.name, ", ".join(f"`{url}`" for url in system.urls), f"`{system.oid}`"]
            for system in CODE_SYSTEMS
        ],
        [
            [f"`{recommendation}`", *(codes(codings) or ["absent"] * 2)]
            for recommendation, codings in STRENGTHS.items()
        ],
        [
            [f"`{certainty}`", *(codes(codings) or ["absent"])]
            for certainty, codings in QUALITIES.items()
        ],
        [
            [f"`{slug}`", str(DOCUMENTED[slug].status.value).replace("422", "400"), f"`{issue}`"]
            for slug, issue in ISSUE_TYPES.items()
        ],
    ],
    ids=["systems", "strengths", "qualities", "problems"],
)
def test_the_page_has_each_table_of_the_code(table: list[list[str]]) -> None:
    """The rows are equal, without the headings."""
    assert table in TABLES


def test_every_problem_that_can_occur_has_an_issue_type() -> None:
    """FHIR treats an unknown diagnosis as a resource that is not found."""
    assert set(ISSUE_TYPES) == set(DOCUMENTED) - {"unknown-diagnosis", "unknown-intervention"}


def test_the_page_has_every_parameter() -> None:
    """It leaves out the parameters that only the links of a Bundle have."""
    parameters = set().union(*SEARCH.values())
    named = {name for row in ROWS for name in re.findall("`([^`]+)`", row[0])}

    assert parameters - named == {"_after"}
    (count,) = (row[1] for row in ROWS if row[0] == "`_count`")
    assert f"{DEFAULT_COUNT} by default" in count
    assert f"at most {MOST_COUNT};" in count
    (included,) = (row[1] for row in ROWS if row[0] == "`_include`")
    assert f"at most {MOST_WITH_INCLUDED}" in included
