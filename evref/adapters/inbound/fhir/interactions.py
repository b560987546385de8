"""The interactions with resources: search and read (R4, http; R4, bundle, searchset)."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.definitions import Definition, definitions
from evref.adapters.inbound.fhir.filtering import Selection
from evref.adapters.inbound.fhir.index import (
    ACTIVITY_DEFINITION,
    PLAN_DEFINITION,
    Item,
    fhir_id,
    items_of,
)
from evref.adapters.inbound.fhir.paging import page_of, subset
from evref.adapters.inbound.fhir.resources import Resources
from evref.adapters.inbound.fhir.search import SEARCH, found_by_codes
from evref.domain.catalogue.search.found import Found
from evref.domain.catalogue.served import Served
from evref.domain.errors import NotFoundError, RemovedDiagnosisError, RemovedInterventionError
from evref.domain.redaction import without_keys

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
    page, links = page_of(selected, values, sent, resources.address(resource_type))

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
    if not {"_after", "_before"} & values.keys():
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
