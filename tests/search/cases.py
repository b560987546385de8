"""What people type, what it must find, and how often the search is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.search import Search

_MOST_RESULTS = 3
"""A result counts if it is among so many first ones."""

LISTS = ("queries", "abbreviations", "misspelt", "ward", "absent", "absent-names", "everyday")
"""Files with lines of kind, query, expected ids (best first, - for none) and a note."""

QUESTIONS = ("answers", "fresh-answers")
"""Files of questions, each with the ids of interventions of which one answers it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A query, and the ids that it must find, best first; none stands for no result."""

    measure: str
    kind: str
    query: str
    expected: tuple[str, ...]

    def is_right(self, search: Search) -> bool:
        """Return whether the search finds what it must, and nothing where it must not."""
        if self.kind == "record":
            return not search.diagnoses_of_record(self.query).hits
        if self.kind in _OF_ANSWERS:
            answers = search.interventions(self.query).interventions
            return _OF_ANSWERS[self.kind](answers, {*self.expected})
        found = [hit.diagnosis_id for hit in search.diagnoses(self.query).hits]
        if not self.expected:
            return not found
        return self.expected[0] in found[: 1 if self.kind == "dfirst" else _MOST_RESULTS]


def _ids(answers: Sequence[Intervention], most: int) -> set[str]:
    return {one.id for one in answers[:most]}


_OF_ANSWERS: dict[str, Callable[[Sequence[Intervention], set[str]], bool]] = {
    "intervention": lambda answers, expected: expected <= {one.diagnosis_id for one in answers},
    "only": lambda answers, expected: (
        bool(answers) and {one.diagnosis_id for one in answers[:_MOST_RESULTS]} <= expected
    ),
    "three": lambda answers, expected: not expected.isdisjoint(_ids(answers, _MOST_RESULTS)),
    "first": lambda answers, expected: not expected.isdisjoint(_ids(answers, 1)),
    "none": lambda answers, _: not answers,
}
"""How the answers to a question of each kind are judged."""


def cases() -> Iterator[Case]:
    """Yield the cases of all lists; a condition that the catalogue lacks is also read in a record.

    A note says where it is not.
    """
    for name in LISTS:
        for kind, query, expected, note in _rows(name):
            ids = () if expected == "-" else tuple(expected.split(","))
            yield Case(name, kind, query, ids)
            if kind.startswith("absent") and "search" not in note:
                yield Case(f"{name} in a record", "record", query, ())
    for name in QUESTIONS:
        for query, expected in _rows(name):
            for kind in ("three", "first"):
                yield Case(f"{name} ({kind})", kind, query, tuple(expected.split(",")))


def measured(search: Search) -> dict[str, tuple[int, list[str]]]:
    """Return for each measure how many cases there are, and the queries that it gets wrong."""
    figures: dict[str, tuple[int, list[str]]] = {}
    for case in cases():
        number, wrong = figures.get(case.measure, (0, []))
        figures[case.measure] = number + 1, wrong + [case.query] * (not case.is_right(search))
    return figures


def _rows(name: str) -> Iterator[Sequence[str]]:
    lines = Path(__file__).with_name(f"{name}.tsv").read_text("utf-8").splitlines()
    for line in lines:
        row = line.split("\t")
        if row[0] not in {"kind", "query"}:
            yield row
