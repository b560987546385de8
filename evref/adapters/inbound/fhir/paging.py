"""A page of search results, and the parts of its resources that are asked for (R4, http, paging).

The results are ordered by id, and a link to the next page contains the last id. So a client that
follows the links gets each resource once, even if another catalogue is published in between. If
they are sorted by another element and the resource in the link has been removed, the client has to
search again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.mappings import KEPT_ELEMENTS, SUMMARY_ELEMENTS
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.redaction import without_keys

DEFAULT_COUNT = 20
MOST_COUNT = 30
MOST_WITH_INCLUDED = 10

_PAGING = ("_count", "_after", "_before")
_SUBSETTED = {
    "system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue",
    "code": "SUBSETTED",
}


def page_of(
    items: Sequence[Any], values: Mapping[str, Any], sent: MultiDict[str, str], address: str
) -> tuple[Sequence[Any], list[dict[str, str]]]:
    """Return the page of items that the values of the search select, and its links.

    `sent` has the parameters as sent, for the links; `address` is the URL of the resource type.
    """
    count = 0 if values.get("_summary") == "count" else values.get("_count", DEFAULT_COUNT)
    if "_include" in values:
        count = min(count, MOST_WITH_INCLUDED)
    criteria: list[tuple[str, str]] = [
        (name, text) for name, text in sent.items(multi=True) if name not in _PAGING
    ]

    def link(relation: str, **anchor: str) -> dict[str, str]:
        query = urlencode([*criteria, ("_count", count), *anchor.items()])
        return {"relation": relation, "url": without_keys(f"{address}?{query}")}

    anchor = {name: values[name] for name in ("_after", "_before") if name in values}
    links = [link("self", **anchor)]
    page = _page(items, count, anchor, is_by_id="_sort" not in values)
    if page:
        if page[0] is not items[0]:
            links.append(link("previous", _before=page[0].id))
        if page[-1] is not items[-1]:
            links.append(link("next", _after=page[-1].id))
    return page, links


def subset(resource: dict[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the elements of a resource that `_summary` or `_elements` select, tagged SUBSETTED."""
    kind = resource["resourceType"]
    summary, elements = values.get("_summary"), values.get("_elements")
    if summary in {None, "false"} and elements is None:
        return resource
    wanted: Iterable[str] = SUMMARY_ELEMENTS[kind] if elements is None else chain(*elements)
    if summary == "data":
        wanted = resource.keys() - {"text"}
    elif summary == "text":
        wanted = ("text",)
    names = {*wanted, *KEPT_ELEMENTS[kind]}
    kept = {name: value for name, value in resource.items() if name in names}
    return {**kept, "meta": {**kept.get("meta", {}), "tag": [_SUBSETTED]}}


def _page(
    items: Sequence[Any], count: int, anchor: Mapping[str, str], *, is_by_id: bool
) -> Sequence[Any]:
    for name, item_id in anchor.items():
        if is_by_id:
            start = bisect_left(items, item_id, key=attrgetter("id"))
            end = bisect_right(items, item_id, key=attrgetter("id"))
        else:
            start = next((index for index, item in enumerate(items) if item.id == item_id), -1)
            if start < 0:
                fault = ParameterFault(name, "is not among the results", ("a new search",))
                raise InvalidParametersError(fault)
            end = start + 1
        return items[max(0, start - count) : start] if name == "_before" else items[end:][:count]
    return items[:count]
