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


class Interactions:
    """Searches and reads the resources of a service at `base_url`.

    Their canonical URLs begin with `root`. `licence` is the address of the licence of catalogues
    other than the bundled one.
    """

    def __init__(self, base_url: str, root: str, licence: str | None) -> None:
        self._base_url = base_url
        self._root = root
        self._licence = licence
        self._definitions = definitions(root)

    def search(
        self,
        resource_type: str,
        served: Served,
        values: Mapping[str, Any],
        given: MultiDict[str, str],
        ignored: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Return the Bundle for these values; `given` are the parameters as sent, and `ignored` the
        names of ignored parameters.
        """
        resources = self._resources(served)
        found_by_codings = found_by_codes(values.get("context", ()), served)
        found = Found.joined(found_by_codings.values())
        selection = Selection(served, resource_type, resources, found_by_codings)
        selected = [*self._items(resource_type, served).values()]
        for name, parameter in SEARCH[resource_type].items():
            if parameter.select is not None:
                for alternatives in dict.fromkeys(values.get(name, ())):
                    selected = parameter.select(selection, selected, alternatives)
        for name, is_descending in reversed(values.get("_sort", ())):
            selected.sort(key=partial(_SORT_KEYS[name], served), reverse=is_descending)
        page, links = page_of(selected, values, given, resources.address(resource_type))

        def entry(kind: str, item: Any, search: dict[str, Any]) -> dict[str, Any]:
            return {
                "fullUrl": f"{resources.address(kind)}/{item.id}",
                "resource": subset(_rendered(item, resources), values),
                "search": search,
            }

        entries = [entry(resource_type, item, resources.search_of(item, found)) for item in page]
        if "_include" in values:
            activities = self._items(ACTIVITY_DEFINITION, served)
            entries += [
                entry(
                    ACTIVITY_DEFINITION, activities[fhir_id(intervention.id)], {"mode": "include"}
                )
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

    def read(self, resource_type: str, served: Served, resource_id: str) -> dict[str, Any]:
        item = self._items(resource_type, served).get(resource_id)
        if item is not None:
            return _rendered(item, self._resources(served))
        if resource_type == PLAN_DEFINITION and resource_id in served.removed:
            raise RemovedDiagnosisError(resource_id, served.removed[resource_id])
        if resource_type == ACTIVITY_DEFINITION:
            for name, day in served.removed_interventions.items():
                if fhir_id(name) == resource_id:
                    raise RemovedInterventionError(name, day)
        raise NotFoundError(resource_type, resource_id)

    def _items(self, resource_type: str, served: Served) -> Mapping[str, Any]:
        """Return the items or definitions of this type by id, in the order of ids."""
        defined = self._definitions.get(resource_type)
        return items_of(served.catalogue, resource_type) if defined is None else defined

    def _resources(self, served: Served) -> Resources:
        licence = served.licence(self._licence)
        return Resources(self._base_url, self._root, served.changed_at, licence)


def _rendered(item: Item | Definition, resources: Resources) -> dict[str, Any]:
    return item.resource if isinstance(item, Definition) else resources.rendered(item)
