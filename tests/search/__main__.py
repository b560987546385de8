"""`make search-report`: measures the search, and writes the tables of its page."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.search.bundled import search
from tests.search.cases import QUESTIONS, Score, answered, scores

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "how-the-search-works.md"
_TABLES = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end -->)", re.DOTALL)


def tables() -> str:
    """Return the tables of the page."""
    several = (_of_queries(scores(search())), _of_questions())
    return "\n".join("".join(f"| {' | '.join(row)} |\n" for row in rows) for rows in several)


def with_tables(page: str) -> str:
    """Return the page with new tables."""
    return _TABLES.sub(lambda _: f"\n{tables()}\n", page)


def missed() -> str:
    """Return a line for each kind of query and each file of questions with what it misses."""
    by_kind = scores(search()) | {name: answered(search(), name) for name in QUESTIONS}
    return "".join(
        f"{kind}: {'; '.join(score.missed)}\n" for kind, score in by_kind.items() if score.missed
    )


def _of_queries(by_kind: dict[str, Score]) -> Iterator[tuple[str, ...]]:
    yield "kind", "queries", "right", "right or suggested", "results for each"
    yield "---", "--:", "--:", "--:", "--:"
    for kind, score in by_kind.items():
        yield _row(kind, score)
    yield _row("all", sum(by_kind.values(), Score()))


def _of_questions() -> Iterator[tuple[str, ...]]:
    yield "questions", "asked", "among the first three", "first"
    yield "---", "--:", "--:", "--:"
    for name in QUESTIONS:
        score = answered(search(), name)
        yield (
            f"`{name}`",
            str(score.questions),
            _percent(score.among_three, score.questions),
            _percent(score.first, score.questions),
        )


def _row(kind: str, score: Score) -> tuple[str, ...]:
    results = f"{score.results / score.queries:.1f}" if kind != "interventions" else ""
    right, suggested = (
        _percent(part, score.queries) for part in (score.right, score.with_suggestions)
    )
    return kind, str(score.queries), right, suggested, results


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{tables()}\nMissed:\n{missed()}")
