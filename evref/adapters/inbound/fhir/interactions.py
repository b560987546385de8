"""The interactions with resources: search and read (R4, http)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir.bundle import searchset, subset
from evref.adapters.inbound.fhir.definitions import Definition, definitions
from evref.adapters.inbound.fhir.filtering import criteria, matching
from evref.adapters.inbound.fhir.index import (
    ACTIVITY_DEFINITION,
    PLAN_DEFINITION,
    Index,
    Item,
    fhir_id,
)
from evref.adapters.inbound.fhir.resources import Issue, Resources
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.matching import best_relations
from evref.domain.catalogue.publication import removed_on
from evref.domain.catalogue.remarks import remarks
from evref.domain.errors import NotFoundError, RemovedDiagnosisError


class Interactions:
    """Searches and reads the resources of a service at `base_url`.

    Their canonical URLs begin with `root`. `licence_of` returns the address of a catalogue's
    licence.
    """

    def __init__(
        self, base_url: str, root: str, licence_of: Callable[[Catalogue], str | None]
    ) -> None:
        self._resources = Resources(base_url, root)
        self._definitions = definitions(root)
        self._licence_of = licence_of
        # The index of the served catalogue; two threads may both create it, which is not wrong.
        self._index_of = lru_cache(maxsize=1)(Index)

    def search(
        self,
        resource_type: str,
        catalogue: Catalogue,
        values: Mapping[str, Any],
        given: MultiDict[str, str],
    ) -> dict[str, Any]:
        """Return the Bundle for these values; `given` are the parameters as sent."""
        resources = self._resources
        matches = catalogue.matches(code for each in values.get("context", ()) for code in each)
        relations = best_relations(matches)

        def entry(kind: str, item: Any, search: dict[str, Any]) -> dict[str, Any]:
            return {
                "fullUrl": f"{resources.address(kind)}/{item.id}",
                "resource": subset(self._rendered(kind, item, catalogue)[0], values),
                "search": search,
            }

        def entries(page: Sequence[Any]) -> Iterator[dict[str, Any]]:
            for item in page:
                is_coded = isinstance(item, Item)
                relation = relations.get(item.entry.diagnosis.id) if is_coded else None
                yield entry(resource_type, item, resources.search_of(relation))
            if "_include" in values:
                activities = self._index_of(catalogue).of(ACTIVITY_DEFINITION)
                shown = (each for item in page for each in item.entry.visible_interventions())
                for item in (activities[fhir_id(each.id)] for each in shown):
                    yield entry(ACTIVITY_DEFINITION, item, {"mode": "include"})

        items = self._items(resource_type, catalogue).values()
        return searchset(
            matching(items, values, criteria(catalogue, resource_type, resources)),
            values,
            given,
            resources.address(resource_type),
            entries_of=entries,
            outcome=resources.outcome(remarks(matches, catalogue)),
        )

    def read(
        self, resource_type: str, catalogue: Catalogue, resource_id: str
    ) -> tuple[dict[str, Any], datetime | None]:
        """Return a resource, and when it last changed if it is of the catalogue.

        Raises:
            RemovedDiagnosisError: If it is of a diagnosis that was removed.
            NotFoundError: If there is none with this id.

        """
        item = self._items(resource_type, catalogue).get(resource_id)
        if item is not None:
            return self._rendered(resource_type, item, catalogue)
        day = removed_on(resource_id, catalogue.publications)
        if resource_type == PLAN_DEFINITION and day is not None:
            raise RemovedDiagnosisError(resource_id, day)
        raise NotFoundError(resource_type, resource_id)

    def _items(self, resource_type: str, catalogue: Catalogue) -> Mapping[str, Any]:
        """Return the items or definitions of this type by id, in the order of ids."""
        defined = self._definitions.get(resource_type)
        return self._index_of(catalogue).of(resource_type) if defined is None else defined

    def _rendered(
        self, resource_type: str, item: Item | Definition, catalogue: Catalogue
    ) -> tuple[dict[str, Any], datetime | None]:
        if isinstance(item, Definition):
            return item.resource, None
        issue = Issue(catalogue.changed_at(item.entry.diagnosis.id), self._licence_of(catalogue))
        return self._resources.rendered(resource_type, item, issue), issue.changed_at
