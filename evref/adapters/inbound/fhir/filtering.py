"""Which resources a search finds: the parameters combined with AND, the values of one with OR.

Each value is what `search` has read of a parameter; a repeated parameter has several.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeAlias

from evref.adapters.inbound.fhir.index import PLAN_DEFINITION, Item
from evref.adapters.inbound.fhir.resources import Resources
from evref.adapters.inbound.fhir.search import Period, Token
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.search.interventions import MatchedIn
from evref.domain.rules import folded

Criteria: TypeAlias = Mapping[str, Callable[[Any], Callable[[Any], bool]]]
"""For each parameter: from a value to the test of an item."""


def matching(items: Iterable[Any], values: Mapping[str, Any], by: Criteria) -> list[Any]:
    """Return the items that meet every value of every parameter, in their order."""
    found = list(items)
    for name, criterion in by.items():
        for value in values.get(name, ()):
            found = list(filter(criterion(value), found))
    return found


def criteria(catalogue: Catalogue, resource_type: str, resources: Resources) -> Criteria:
    """Return the criteria of a resource type. Definitions have the first two alone."""

    def context(codes: Any) -> Callable[[Item], bool]:
        ids = {fit.diagnosis_id for match in catalogue.matches(codes) for fit in match.fits}
        return lambda item: item.entry.diagnosis.id in ids

    def title(texts: Iterable[str]) -> Callable[[Item], bool]:
        ids = _ids_by_words(catalogue, resource_type, texts)
        return lambda item: item.name in ids

    def part_of_title(texts: Iterable[str]) -> Callable[[Item], bool]:
        wanted = [folded(text) for text in texts]
        return lambda item: any(text in folded(item.title) for text in wanted)

    def last_updated(periods: Iterable[Period]) -> Callable[[Item], bool]:
        def admits(item: Item) -> bool:
            time = catalogue.changed_at(item.entry.diagnosis.id)
            return time is not None and any(each.admits(time) for each in periods)

        return admits

    return {
        "_id": lambda ids: lambda item: item.id in ids,
        "url": lambda urls: lambda item: resources.canonical(resource_type, item.id) in urls,
        "identifier": lambda tokens: lambda item: _has_any(tokens, {resources.identifier(item)}),
        "context": context,
        "title": title,
        "title:contains": part_of_title,
        "title:exact": lambda texts: lambda item: item.title in texts,
        "topic": lambda tokens: lambda item: _has_any(tokens, resources.topics(item)),
        "_lastUpdated": last_updated,
    }


def _has_any(tokens: Iterable[Token], codings: Collection[tuple[str, str]]) -> bool:
    return any(token.fits(*coding) for token in tokens for coding in codings)


def _ids_by_words(catalogue: Catalogue, resource_type: str, texts: Iterable[str]) -> frozenset[str]:
    """Return the ids of the diagnoses or interventions that any of the texts finds."""
    if resource_type == PLAN_DEFINITION:
        return frozenset(hit.diagnosis_id for text in texts for hit in catalogue.named(text).hits)
    return frozenset(
        hit.intervention.id
        for text in texts
        for hit in catalogue.search.interventions.find(text)
        if hit.matched_in is MatchedIn.TITLE
    )
