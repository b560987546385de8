"""Where resources come from: those of the catalogue, and the definitions that they use."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from werkzeug.datastructures import MultiDict

from evref.adapters.inbound.fhir import filtering
from evref.adapters.inbound.fhir.bundle import searchset, subset
from evref.adapters.inbound.fhir.definitions import Definition
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

Values: TypeAlias = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class CatalogueSource:
    """Diagnoses or interventions. `licence_of` returns the address of a catalogue's licence."""

    resource_type: str
    resources: Resources
    index_of: Callable[[Catalogue], Index]
    licence_of: Callable[[Catalogue], str | None]

    def search(
        self, catalogue: Catalogue, values: Values, given: MultiDict[str, str]
    ) -> dict[str, Any]:
        """Return the Bundle for these values; `given` are the parameters as sent."""
        index, resources = self.index_of(catalogue), self.resources
        matches = catalogue.matches(code for each in values.get("context", ()) for code in each)
        relations = best_relations(matches)

        def rendered(resource_type: str, item: Item) -> dict[str, Any]:
            issue = self._issue(catalogue, item)
            return subset(resources.rendered(resource_type, item, issue), values)

        def entry(item: Item) -> dict[str, Any]:
            relation = relations.get(item.entry.diagnosis.id)
            resource = rendered(self.resource_type, item)
            return {"resource": resource, "search": resources.search_of(relation)}

        def include(page: Sequence[Item]) -> Iterator[dict[str, Any]]:
            activities = index.of(ACTIVITY_DEFINITION)
            shown = (each for item in page for each in item.entry.visible_interventions())
            for item in (activities[fhir_id(each.id)] for each in shown):
                yield {
                    "fullUrl": f"{resources.address(ACTIVITY_DEFINITION)}/{item.id}",
                    "resource": rendered(ACTIVITY_DEFINITION, item),
                    "search": {"mode": "include"},
                }

        criteria = filtering.of_catalogue(
            catalogue,
            self.resource_type,
            resources,
            lambda item: catalogue.changed_at(item.entry.diagnosis.id),
        )
        return searchset(
            filtering.matching(index.of(self.resource_type).values(), values, criteria),
            values,
            given,
            resources.address(self.resource_type),
            entry,
            include=include if "_include" in values else None,
            outcome=resources.outcome(remarks(matches, catalogue)),
        )

    def read(
        self, catalogue: Catalogue, resource_id: str
    ) -> tuple[dict[str, Any], datetime | None]:
        """Return a resource, and when it last changed.

        Raises:
            RemovedDiagnosisError: If it is of a diagnosis that was removed.
            NotFoundError: If there is none with this id.

        """
        item = self.index_of(catalogue).of(self.resource_type).get(resource_id)
        if item is None:
            day = removed_on(resource_id, catalogue.publications)
            if self.resource_type == PLAN_DEFINITION and day is not None:
                raise RemovedDiagnosisError(resource_id, day)
            raise NotFoundError(self.resource_type, resource_id)
        issue = self._issue(catalogue, item)
        return self.resources.rendered(self.resource_type, item, issue), issue.changed_at

    def _issue(self, catalogue: Catalogue, item: Item) -> Issue:
        changed_at = catalogue.changed_at(item.entry.diagnosis.id)
        return Issue(changed_at, self.licence_of(catalogue))


@dataclass(frozen=True, slots=True)
class DefinitionSource:
    """Code systems or extensions, which do not depend on the catalogue."""

    resource_type: str
    resources: Resources
    definitions: Mapping[str, Definition]

    def search(
        self,
        catalogue: Catalogue,  # noqa: ARG002
        values: Values,
        given: MultiDict[str, str],
    ) -> dict[str, Any]:
        criteria = filtering.by_url(lambda definition: definition.url)

        def entry(definition: Definition) -> dict[str, Any]:
            resource = subset(definition.resource, values)
            return {"resource": resource, "search": self.resources.search_of(None)}

        return searchset(
            filtering.matching(self.definitions.values(), values, criteria),
            values,
            given,
            self.resources.address(self.resource_type),
            entry,
        )

    def read(
        self,
        catalogue: Catalogue,  # noqa: ARG002
        resource_id: str,
    ) -> tuple[dict[str, Any], datetime | None]:
        if resource_id not in self.definitions:
            raise NotFoundError(self.resource_type, resource_id)
        return self.definitions[resource_id].resource, None


Source: TypeAlias = CatalogueSource | DefinitionSource
"""The resources of a type."""
