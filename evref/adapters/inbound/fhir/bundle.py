"""A page of search results as a Bundle (R4, bundle, searchset; R4, http, paging).

The results are ordered by id, and a link to the next page contains the last id. So a client that
follows the links gets each resource once, even if another catalogue is published in between. If
they are sorted by another element and the resource in the link has been removed, the client has to
search again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.mappings import KEPT_ELEMENTS, SUMMARY_ELEMENTS
from evref.adapters.inbound.fhir.search import DEFAULT_COUNT, MOST_WITH_INCLUDED, Summary
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.redaction import without_keys

_PAGING = ("_count", "_after", "_before")
_SUBSETTED = {
    "system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue",
    "code": "SUBSETTED",
}


def searchset(
    resources: Sequence[Any],
    values: Mapping[str, Any],
    given: MultiDict[str, str],
    address: str,
    *,
    entries_of: Callable[[Sequence[Any]], Iterable[dict[str, Any]]],
    outcome: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Return the page of items that the values of the search select.

    `given` has the parameters as sent, for the links; `address` is the URL of the resource type;
    `entries_of` returns the entries of a page; `outcome` has entries about the search itself, for
    the first page.
    """
    count = values.get("_count", DEFAULT_COUNT)
    if values.get("_summary") == Summary.COUNT:
        count = 0
    if "_include" in values:
        count = min(count, MOST_WITH_INCLUDED)
    criteria: list[tuple[str, str]] = [
        (name, text) for name, text in given.items(multi=True) if name not in _PAGING
    ]

    def link(relation: str, **place: str) -> dict[str, str]:
        query = urlencode([*criteria, ("_count", count), *place.items()])
        return {"relation": relation, "url": without_keys(f"{address}?{query}")}

    place = {name: values[name] for name in ("_after", "_before") if name in values}
    links = [link("self", **place)]
    page = _page(resources, count, place, is_by_id="_sort" not in values)
    if page:
        if page[0] is not resources[0]:
            links.append(link("previous", _before=page[0].id))
        if page[-1] is not resources[-1]:
            links.append(link("next", _after=page[-1].id))
    bundle: dict[str, Any] = {
        "resourceType": "Bundle",
        "type": "searchset",
        "total": len(resources),
        "link": links,
    }
    entries = [*entries_of(page)]
    if not place:
        entries += outcome
    if entries:  # FHIR has no empty lists
        bundle["entry"] = entries
    return bundle


def subset(resource: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the elements of a resource that `_summary` or `_elements` select, tagged SUBSETTED."""
    kind = resource["resourceType"]
    summary, elements = values.get("_summary"), values.get("_elements")
    if summary in {None, Summary.FALSE} and elements is None:
        return resource
    wanted: Iterable[str] = SUMMARY_ELEMENTS[kind] if elements is None else chain(*elements)
    if summary == Summary.DATA:
        wanted = resource.keys() - {"text"}
    elif summary == Summary.TEXT:
        wanted = ("text",)
    names = {*wanted, *KEPT_ELEMENTS[kind]}
    kept = {name: value for name, value in resource.items() if name in names}
    return {**kept, "meta": {**kept.get("meta", {}), "tag": [_SUBSETTED]}}


def _page(
    resources: Sequence[Any], count: int, place: Mapping[str, str], *, is_by_id: bool
) -> Sequence[Any]:
    for name, resource_id in place.items():
        if is_by_id:
            start = bisect_left(resources, resource_id, key=attrgetter("id"))
            end = bisect_right(resources, resource_id, key=attrgetter("id"))
        else:
            start = next((at for at, item in enumerate(resources) if item.id == resource_id), -1)
            if start < 0:
                fault = ParameterFault(name, "is not among the results", ("a new search",))
                raise InvalidParametersError(fault)
            end = start + 1
        return (
            resources[max(0, start - count) : start]
            if name == "_before"
            else resources[end:][:count]
        )
    return resources[:count]
