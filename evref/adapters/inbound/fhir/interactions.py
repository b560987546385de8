"""The interactions with resources: search and read (R4, http)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.bundle import searchset, subset
from evref.adapters.inbound.fhir.definitions import Definition, definitions
from evref.adapters.inbound.fhir.filtering import Selection
from evref.adapters.inbound.fhir.index import (
    ACTIVITY_DEFINITION,
    PLAN_DEFINITION,
    Index,
    Item,
    fhir_id,
)
from evref.adapters.inbound.fhir.resources import Issue, Resources
from evref.adapters.inbound.fhir.search import found_by_codes
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
        self._resources = Resources(base_url, root)
        self._definitions = definitions(root)
        self._licence = licence
        # The index of the served catalogue; two threads may both create it, which does no harm.
        self._index_of = lru_cache(maxsize=1)(Index)

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
        resources = self._resources
        found = found_by_codes(values.get("context", ()), served)

        def entry(kind: str, item: Any, search: dict[str, Any]) -> dict[str, Any]:
            return {
                "fullUrl": f"{resources.address(kind)}/{item.id}",
                "resource": subset(self._rendered(item, served), values),
                "search": search,
            }

        def entries(page: Sequence[Any]) -> Iterator[dict[str, Any]]:
            for item in page:
                name = item.entry.diagnosis.id if isinstance(item, Item) else ""
                yield entry(resource_type, item, resources.search_of(name, found))
            if "_include" in values:
                activities = self._index_of(served.catalogue).by_id(ACTIVITY_DEFINITION)
                shown = (
                    intervention
                    for item in page
                    for intervention in item.entry.visible_interventions()
                )
                for item in (activities[fhir_id(intervention.id)] for intervention in shown):
                    yield entry(ACTIVITY_DEFINITION, item, {"mode": "include"})

        items = self._items(resource_type, served).values()
        selected = Selection(served, resource_type, resources).select(items, values)
        for name, is_descending in reversed(values.get("_sort", ())):
            selected.sort(key=partial(_SORT_KEYS[name], served), reverse=is_descending)
        unknown = (
            f"The parameter {without_keys(name)} is unknown and was ignored" for name in ignored
        )
        return searchset(
            selected,
            values,
            given,
            resources.address(resource_type),
            entries_of=entries,
            outcome=resources.outcome([*found.remarks, *unknown]),
        )

    def read(self, resource_type: str, served: Served, resource_id: str) -> dict[str, Any]:
        item = self._items(resource_type, served).get(resource_id)
        if item is not None:
            return self._rendered(item, served)
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
        return self._index_of(served.catalogue).by_id(resource_type) if defined is None else defined

    def _rendered(self, item: Item | Definition, served: Served) -> dict[str, Any]:
        if isinstance(item, Definition):
            return item.resource
        issue = Issue(served.changed_at(item.entry.diagnosis.id), served.licence(self._licence))
        return self._resources.rendered(item, issue)
