"""Selects resources: parameters are combined with AND, and the values of a parameter with OR.

`search` parses the values; a repeated parameter has a tuple of values for each occurrence.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from evref.adapters.inbound.fhir.index import PLAN_DEFINITION, Item
from evref.adapters.inbound.fhir.period import Period
from evref.adapters.inbound.fhir.resources import Resources
from evref.adapters.inbound.fhir.search import Codings, Token
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.question import Question
from evref.domain.catalogue.search.folding import words_of
from evref.domain.catalogue.search.found import MatchedBy
from evref.domain.catalogue.served import Served
from evref.domain.rules import folded

STATUS = ("http://hl7.org/fhir/publication-status", "active")
"""The status of every resource."""


class Selection:
    """Selects items of a resource type, with a method for each parameter. Any value may match."""

    def __init__(self, served: Served, resource_type: str, resources: Resources) -> None:
        self._served = served
        self._type = resource_type
        self._resources = resources

    def select(self, items: Iterable[Any], values: Mapping[str, Any]) -> list[Any]:
        """Return the items that meet every parameter, in their order."""
        selected = list(items)
        for name, select in _METHODS.items():
            for alternatives in dict.fromkeys(values.get(name, ())):
                selected = select(self, selected, alternatives)
        return selected

    def by_id(self, items: Sequence[Any], ids: Collection[str]) -> list[Any]:
        return [item for item in items if item.id in ids]

    def by_url(self, items: Sequence[Any], urls: Iterable[tuple[str, str | None]]) -> list[Any]:
        wanted = set(urls)
        selected = []
        for item in items:
            url = self._resources.canonical(self._type, item.id)
            if (url, None) in wanted or (url, item.version) in wanted:
                selected.append(item)
        return selected

    def by_version(self, items: Sequence[Any], versions: Sequence[Token]) -> list[Any]:
        wanted = set(versions)
        return [item for item in items if _is_among(wanted, "", item.version)]

    def by_status(self, items: Sequence[Any], statuses: Sequence[Token]) -> list[Any]:
        return [*items] if _is_among(set(statuses), *STATUS) else []

    def by_name(self, items: Sequence[Any], names: Iterable[str]) -> list[Any]:
        beginnings = tuple(folded(name) for name in names)
        return [item for item in items if item.name.lower().startswith(beginnings)]

    def by_identifier(self, items: Sequence[Item], tokens: Sequence[Token]) -> list[Item]:
        wanted = set(tokens)
        system = self._resources.identifier_system(self._type)
        return [item for item in items if _is_among(wanted, system, item.catalogue_id)]

    def by_context(self, items: Sequence[Item], codings: Codings) -> list[Item]:
        if codings.has_any:
            return [*items]
        entries = self._served.find(Question(codes=codings.codes)).entries
        ids = {entry.diagnosis.id for entry in entries}
        return [item for item in items if item.entry.diagnosis.id in ids]

    def by_words(self, items: Sequence[Item], texts: Collection[str]) -> list[Item]:
        served = self._served
        asked = (Question(words=text) for text in texts)
        if self._type == PLAN_DEFINITION:
            ids = {
                hit.diagnosis_id
                for question in asked
                for hit in served.find(question).hits
                if hit.by is not MatchedBy.UMBRELLA
            }
            wanted = [words for text in texts if (words := words_of(text))]
            for item in items:
                title = words_of(item.title)
                if any(all(_begins(word, title) for word in words) for words in wanted):
                    ids.add(item.catalogue_id)
        else:
            ids = {name for question in asked for name in served.answers(question).in_title}
        return [item for item in items if item.catalogue_id in ids]

    def by_part_of_title(self, items: Sequence[Item], texts: Iterable[str]) -> list[Item]:
        parts = [folded(text) for text in texts]
        return [item for item in items if any(part in item.folded_title for part in parts)]

    def by_title(self, items: Sequence[Item], titles: Collection[str]) -> list[Item]:
        return [item for item in items if item.title in titles]

    def by_topic(self, items: Sequence[Item], tokens: Sequence[Token]) -> list[Item]:
        wanted = set(tokens)
        topics = {
            topic
            for topic in (*Module, *Phase)
            if _is_among(wanted, self._resources.code_system(topic), topic.value)
        }
        return [item for item in items if not topics.isdisjoint(item.topics)]

    def by_last_update(self, items: Sequence[Item], periods: Sequence[Period]) -> list[Item]:
        times = [self._served.changed_at(item.entry.diagnosis.id) for item in items]
        admitted = {
            time
            for time in set(times)
            if time is not None and any(period.admits(time) for period in periods)
        }
        return [item for item, time in zip(items, times, strict=True) if time in admitted]


_METHODS: dict[str, Callable[[Selection, Any, Any], list[Any]]] = {
    "_id": Selection.by_id,
    "url": Selection.by_url,
    "version": Selection.by_version,
    "status": Selection.by_status,
    "name": Selection.by_name,
    "identifier": Selection.by_identifier,
    "context": Selection.by_context,
    "title": Selection.by_words,
    "title:contains": Selection.by_part_of_title,
    "title:exact": Selection.by_title,
    "topic": Selection.by_topic,
    "_lastUpdated": Selection.by_last_update,
}


def _begins(beginning: str, words: Iterable[str]) -> bool:
    return any(word.startswith(beginning) for word in words)


def _is_among(tokens: set[Token], system: str, code: str) -> bool:
    """Return whether any token matches; a token may have no system or no code."""
    return not tokens.isdisjoint(((system, code), (None, code), (system, None)))
