"""Selects resources: parameters are combined with AND, and the values of a parameter with OR."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from evref.adapters.inbound.fhir.index import PLAN_DEFINITION, Item
from evref.adapters.inbound.fhir.resources import Resources
from evref.adapters.inbound.fhir.values import Codings, Period, Token
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.search.folding import words_of
from evref.domain.catalogue.search.found import Found, MatchedBy
from evref.domain.catalogue.served import Question, Served
from evref.domain.rules import folded

STATUS = ("http://hl7.org/fhir/publication-status", "active")
"""The status of every resource."""


@dataclass(frozen=True)
class Selection:
    """Selects items of a resource type, with a method for each parameter. Any value may match.

    `found` says what each value of `context` finds.
    """

    served: Served
    resource_type: str
    resources: Resources
    found: Mapping[Codings, Found]

    def by_id(self, items: Sequence[Any], ids: frozenset[str]) -> list[Any]:
        return [item for item in items if item.id in ids]

    def by_url(self, items: Sequence[Any], urls: frozenset[Token]) -> list[Any]:
        canonical = partial(self.resources.canonical, self.resource_type)
        return [item for item in items if _is_among(urls, canonical(item.id), item.version)]

    def by_version(self, items: Sequence[Any], versions: frozenset[Token]) -> list[Any]:
        return [item for item in items if _is_among(versions, "", item.version)]

    def by_status(self, items: Sequence[Any], statuses: frozenset[Token]) -> list[Any]:
        return [*items] if _is_among(statuses, *STATUS) else []

    def by_name(self, items: Sequence[Any], names: frozenset[str]) -> list[Any]:
        beginnings = tuple(folded(name) for name in names)
        return [item for item in items if item.name.lower().startswith(beginnings)]

    def by_identifier(self, items: Sequence[Item], tokens: frozenset[Token]) -> list[Item]:
        system = self.resources.identifier_system(self.resource_type)
        return [item for item in items if _is_among(tokens, system, item.catalogue_id)]

    def by_context(self, items: Sequence[Item], codings: Codings) -> list[Item]:
        if codings.has_any:
            return [*items]
        ids = {entry.diagnosis.id for entry in self.found[codings].entries}
        return [item for item in items if item.entry.diagnosis.id in ids]

    def by_words(self, items: Sequence[Item], texts: frozenset[str]) -> list[Item]:
        questions = [Question(words=text) for text in texts]
        if self.resource_type == PLAN_DEFINITION:
            ids = {
                hit.diagnosis_id
                for question in questions
                for hit in self.served.find(question).hits
                if hit.by is not MatchedBy.UMBRELLA
            }
            wanted = [words for text in texts if (words := words_of(text))]
            for item in items:
                title = words_of(item.title)
                if any(all(_begins(word, title) for word in words) for words in wanted):
                    ids.add(item.catalogue_id)
        else:
            ids = {
                name for question in questions for name in self.served.answers(question).in_title
            }
        return [item for item in items if item.catalogue_id in ids]

    def by_part_of_title(self, items: Sequence[Item], texts: frozenset[str]) -> list[Item]:
        parts = [folded(text) for text in texts]
        return [item for item in items if any(part in item.folded_title for part in parts)]

    def by_title(self, items: Sequence[Item], titles: frozenset[str]) -> list[Item]:
        return [item for item in items if item.title in titles]

    def by_topic(self, items: Sequence[Item], tokens: frozenset[Token]) -> list[Item]:
        topics = {
            topic
            for topic in (*Module, *Phase)
            if _is_among(tokens, self.resources.code_system(topic), topic.value)
        }
        return [item for item in items if not topics.isdisjoint(item.topics)]

    def by_last_update(self, items: Sequence[Item], periods: frozenset[Period]) -> list[Item]:
        # Few publications changed many items, so each time is compared once.
        times = {self.served.changed_at(item.entry.diagnosis.id) for item in items}
        admitted = {
            time for time in times if time and any(period.admits(time) for period in periods)
        }
        return [
            item for item in items if self.served.changed_at(item.entry.diagnosis.id) in admitted
        ]


def _begins(beginning: str, words: Iterable[str]) -> bool:
    return any(word.startswith(beginning) for word in words)


def _is_among(tokens: frozenset[Token], system: str, code: str) -> bool:
    """Return whether any token matches; a token may have no system or no code."""
    return not tokens.isdisjoint(((system, code), (None, code), (system, None)))
