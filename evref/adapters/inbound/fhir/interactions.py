"""The interactions with resources: search and read (R4, http; R4, bundle, searchset).

The results are ordered by id, and a link to the next page contains the last id. So a client that
follows the links gets each resource once, even if another catalogue is published in between. If
they are sorted by another element and the resource in the link has been removed, the client has to
search again.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any
from urllib.parse import urlencode

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.conformance import Definition, definitions
from evref.adapters.inbound.fhir.filtering import Selection
from evref.adapters.inbound.fhir.index import (
    ACTIVITY_DEFINITION,
    PLAN_DEFINITION,
    Item,
    fhir_id,
    items_of,
)
from evref.adapters.inbound.fhir.mappings import KEPT_ELEMENTS, SUMMARY_ELEMENTS
from evref.adapters.inbound.fhir.resources import Resources
from evref.adapters.inbound.fhir.search import DEFAULT_COUNT, SEARCH, found_by_codes
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.catalogue.search.found import Found
from evref.domain.catalogue.served import Served
from evref.domain.errors import NotFoundError, RemovedDiagnosisError, RemovedInterventionError
from evref.domain.redaction import without_keys

MOST_WITH_INCLUDED = 10

_PAGING = ("_count", "_after")
_SUBSETTED = {
    "system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue",
    "code": "SUBSETTED",
}

_NEVER = datetime.min.replace(tzinfo=UTC)
_SORT_KEYS: dict[str, Callable[[Served, Item], Any]] = {
    "_id": lambda _, item: item.id,
    "title": lambda _, item: (item.folded_title, item.title),
    "_lastUpdated": lambda served, item: served.changed_at(item.entry.diagnosis.id) or _NEVER,
}


def search(
    resources: Resources,
    resource_type: str,
    served: Served,
    values: Mapping[str, Any],
    sent: MultiDict[str, str],
    *,
    ignored: Sequence[str],
) -> dict[str, Any]:
    """Return the Bundle for these values; `sent` has the parameters as sent, for the links."""
    found_by_codings = found_by_codes(values.get("context", ()), served)
    found = Found.joined(found_by_codings.values())
    selection = Selection(served, resource_type, resources, found_by_codings)
    selected = [*_items(resources, resource_type, served).values()]
    for name, parameter in SEARCH[resource_type].items():
        if parameter.select is not None:
            for alternatives in dict.fromkeys(values.get(name, ())):
                selected = parameter.select(selection, selected, alternatives)
    for name, is_descending in reversed(values.get("_sort", ())):
        selected.sort(key=partial(_SORT_KEYS[name], served), reverse=is_descending)
    page, links = _page_of(selected, values, sent, resources.address(resource_type))

    def entry(kind: str, item: Any, search: dict[str, Any]) -> dict[str, Any]:
        return {
            "fullUrl": f"{resources.address(kind)}/{item.id}",
            "resource": subset(_rendered(item, resources), values),
            "search": search,
        }

    entries = [entry(resource_type, item, resources.search_of(item, found)) for item in page]
    if "_include" in values:
        activities = _items(resources, ACTIVITY_DEFINITION, served)
        entries += [
            entry(ACTIVITY_DEFINITION, activities[fhir_id(intervention.id)], {"mode": "include"})
            for item in page
            for intervention in item.entry.visible_interventions()
        ]
    if "_after" not in values:
        unknown = (
            f"The parameter {without_keys(name)} is unknown and was ignored" for name in ignored
        )
        entries += resources.outcome([*found.remarks, *unknown])
    return {
        "resourceType": "Bundle",
        "type": "searchset",
        "total": len(selected),
        "link": links,
        # FHIR has no empty lists.
        **({"entry": entries} if entries else {}),
    }


def read(
    resources: Resources, resource_type: str, served: Served, resource_id: str
) -> dict[str, Any]:
    item = _items(resources, resource_type, served).get(resource_id)
    if item is not None:
        return _rendered(item, resources)
    if resource_type == PLAN_DEFINITION and resource_id in served.removed:
        raise RemovedDiagnosisError(resource_id, served.removed[resource_id])
    if resource_type == ACTIVITY_DEFINITION:
        for name, day in served.removed_interventions.items():
            if fhir_id(name) == resource_id:
                raise RemovedInterventionError(name, day)
    raise NotFoundError(resource_type, resource_id)


def _items(resources: Resources, resource_type: str, served: Served) -> Mapping[str, Any]:
    """Return the items or definitions of this type by id, in the order of ids."""
    defined = definitions(resources.root).get(resource_type)
    return items_of(served.catalogue, resource_type) if defined is None else defined


def _rendered(item: Item | Definition, resources: Resources) -> dict[str, Any]:
    return item.resource if isinstance(item, Definition) else resources.rendered(item)


def _page_of(
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

    def link(relation: str, after: str | None) -> dict[str, str]:
        anchor = [] if after is None else [("_after", after)]
        query = urlencode([*criteria, ("_count", count), *anchor])
        return {"relation": relation, "url": without_keys(f"{address}?{query}")}

    after = values.get("_after")
    start = 0 if after is None else _index_after(items, after, is_by_id="_sort" not in values)
    page = items[start : start + count]
    links = [link("self", after)]
    if page and start > 0:
        links.append(link("previous", items[start - count - 1].id if start > count else None))
    if page and page[-1] is not items[-1]:
        links.append(link("next", page[-1].id))
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


def _index_after(items: Sequence[Any], item_id: str, *, is_by_id: bool) -> int:
    if is_by_id:
        return bisect_right(items, item_id, key=attrgetter("id"))
    for index, item in enumerate(items):
        if item.id == item_id:
            return index + 1
    fault = ParameterFault("_after", "is not among the results", ("a new search",))
    raise InvalidParametersError(fault)
