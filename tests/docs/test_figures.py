"""Both pages and the plot show the figures of `performance.json`."""

from __future__ import annotations

import json
import re

import pytest

from benchmarks.report import PAGES, made

RESULT = json.loads((PAGES / "performance.json").read_text())


@pytest.mark.parametrize("name", made(RESULT))
def test_a_file_has_the_figures_that_were_measured(name: str) -> None:
    """`make bench` writes all files."""
    assert made(RESULT)[name] == (PAGES / name).read_text()


def test_each_table_has_a_place_on_its_page() -> None:
    marks = {
        name: re.findall(r"<!-- (\w+): begin -->", (PAGES / name).read_text())
        for name in ("performance.md", "scaling.md")
    }

    assert sorted(marks["performance.md"]) == sorted(RESULT)
    assert marks["scaling.md"] == ["costs", "bottlenecks", "loads"]
