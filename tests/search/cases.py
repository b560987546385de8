"""What people type, what it must find, and a score of what the search finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evref.domain.catalogue.search.index import SearchIndex
from tests.search.bundled import search

KINDS = {
    "abbreviation": "abbreviations",
    "clinical-en": "clinical names",
    "lay-en": "lay names",
    "phrase": "phrases",
    "misspelt": "misspellings",
    "de": "other languages",
    "fr": "other languages",
    "es": "other languages",
    "it": "other languages",
    "intervention": "interventions",
    "negative": "what the catalogue lacks",
}
"""The kinds of queries in the file, in the words of the table."""

_MOST_RESULTS = 3
"""A result counts if it is among so many first ones."""


@dataclass(frozen=True, slots=True)
class Case:
    """A query, and the ids of the diagnoses that it must find, best first."""

    kind: str
    query: str
    expected: tuple[str, ...]


@dataclass(slots=True)
class Score:
    """The number of queries of a kind, and how many are right, with and without suggestions."""

    queries: int = 0
    right: int = 0
    with_suggestions: int = 0
    results: int = 0
    missed: list[str] = field(default_factory=list)

    def __add__(self, other: Score) -> Score:
        return Score(
            self.queries + other.queries,
            self.right + other.right,
            self.with_suggestions + other.with_suggestions,
            self.results + other.results,
            self.missed + other.missed,
        )


@dataclass(slots=True)
class Answered:
    """How many questions have an answer first, and among the first three."""

    questions: int = 0
    among_three: int = 0
    first: int = 0
    missed: list[str] = field(default_factory=list)


QUESTIONS = ("answers.tsv", "fresh-answers.tsv")
"""Files of questions, each with the ids of interventions of which one answers it."""


def answered(search: SearchIndex, name: str) -> Answered:
    """Return how well the questions of a file are answered."""
    score = Answered()
    for line in _lines(name)[1:]:
        question, ids = line.split("\t")
        interventions = search.interventions(question).interventions[:_MOST_RESULTS]
        is_right = [intervention.id in ids.split(",") for intervention in interventions]
        score.questions += 1
        score.among_three += any(is_right)
        score.first += is_right[:1] == [True]
        if not any(is_right):
            score.missed.append(question)
    return score


def _lines(name: str) -> list[str]:
    return Path(__file__).with_name(name).read_text("utf-8").splitlines()


def cases() -> Iterator[Case]:
    for line in _lines("queries.tsv"):
        kind, query, expected, _ = line.split("\t")
        yield Case(KINDS[kind], query, tuple(expected.split(",")) if expected != "-" else ())


def found_by_query(*, in_a_record: bool = False) -> dict[str, list[str]]:
    """Return the ids of the diagnoses that each query finds, best first, and a name of SNOMED."""
    index = search()
    queries = [*(case.query for case in cases()), "Pneumonia"]
    return {
        query: [
            hit.diagnosis_id
            for hit in (
                index.diagnoses_of_record(query) if in_a_record else index.diagnoses(query).hits
            )
        ]
        for query in queries
    }


def scores(search: SearchIndex) -> dict[str, Score]:
    """Return the score of each kind of query.

    A diagnosis is right among the first three. An intervention is right if all diagnoses have one.
    """
    by_kind = {kind: Score() for kind in KINDS.values()}
    for case in cases():
        score = by_kind[case.kind]
        score.queries += 1
        suggested: set[str] = set()
        if case.kind == KINDS["intervention"]:
            interventions = search.interventions(case.query).interventions
            diagnosis_ids = {intervention.diagnosis_id for intervention in interventions}
            is_right = diagnosis_ids.issuperset(case.expected)
        else:
            named = search.diagnoses(case.query)
            hits = [hit.diagnosis_id for hit in named.hits]
            score.results += len(hits)
            is_right = case.expected[0] in hits[:_MOST_RESULTS] if case.expected else not hits
            suggested = {suggestion.diagnosis_id for suggestion in named.suggestions}
        score.right += is_right
        if not is_right:
            score.missed.append(case.query)
        score.with_suggestions += is_right or not suggested.isdisjoint(case.expected[:1])
    return by_kind
