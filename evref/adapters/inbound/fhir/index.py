"""The FHIR resources of a catalogue, by id."""

from __future__ import annotations

from dataclasses import dataclass

from evref.adapters.inbound.fhir.ids import fhir_id
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.intervention import Intervention

PLAN_DEFINITION = "PlanDefinition"
ACTIVITY_DEFINITION = "ActivityDefinition"


@dataclass(frozen=True, slots=True)
class Item:
    """A record that becomes a resource: an intervention, or else the diagnosis of the entry."""

    id: str
    title: str
    entry: Entry
    intervention: Intervention | None = None


class Index:
    """The items of one version of the catalogue, by resource type and id, in the order of ids."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        plans = {
            fhir_id(entry.diagnosis.id): Item(
                fhir_id(entry.diagnosis.id), entry.diagnosis.name, entry
            )
            for entry in catalogue.entries
        }
        activities = {
            fhir_id(each.id): Item(fhir_id(each.id), each.title, entry, each)
            for entry in catalogue.entries
            for each in entry.visible_interventions()
        }
        self.items = {
            PLAN_DEFINITION: dict(sorted(plans.items())),
            ACTIVITY_DEFINITION: dict(sorted(activities.items())),
        }


class Indexes:
    """Holds the index of the served catalogue."""

    def __init__(self) -> None:
        self._held: Index | None = None

    def of(self, catalogue: Catalogue) -> Index:
        """Return the index of this catalogue."""
        held = self._held
        if held is None or held.catalogue is not catalogue:
            # Two threads may both create it, which costs time but is not wrong.
            self._held = held = Index(catalogue)
        return held
