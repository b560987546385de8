"""`python -m tests.search`: measures the search, and writes the table of the page about it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.search.bundled import search
from tests.search.cases import Score, scores

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "how-the-search-works.md"
_TABLE = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end -->)", re.DOTALL)


def table() -> str:
    """Return the table of the page."""
    return "".join(f"| {' | '.join(row)} |\n" for row in _rows(scores(search())))


def with_table(page: str) -> str:
    """Return the page with the table of today."""
    return _TABLE.sub(lambda _: f"\n{table()}\n", page)


def _rows(by_kind: dict[str, Score]) -> Iterator[tuple[str, ...]]:
    yield "kind", "queries", "right", "right or suggested", "results for each"
    yield "---", "--:", "--:", "--:", "--:"
    for kind, score in by_kind.items():
        yield _row(kind, score)
    yield _row("all", sum(by_kind.values(), Score()))


def _row(kind: str, score: Score) -> tuple[str, ...]:
    results = f"{score.results / score.queries:.1f}" if kind != "interventions" else ""
    right, suggested = (
        f"{100 * part / score.queries:.0f} %" for part in (score.right, score.with_suggestions)
    )
    return kind, str(score.queries), right, suggested, results


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(table())
