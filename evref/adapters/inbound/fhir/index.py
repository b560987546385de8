"""The FHIR resources of a catalogue, by id."""

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.rules import folded

PLAN_DEFINITION = "PlanDefinition"
ACTIVITY_DEFINITION = "ActivityDefinition"
CODE_SYSTEM = "CodeSystem"
STRUCTURE_DEFINITION = "StructureDefinition"

LONGEST_ID = 64

_DIGEST_CHARACTERS = 32


def fhir_id(name: str) -> str:
    """Return the FHIR id for an id of the catalogue: the same if it is short enough.

    A longer id is shortened to its first 31 characters, followed by a dot and the first 32
    hexadecimal digits (128 bits) of its SHA-256. Ids of the catalogue have no dots, so a shortened
    id never equals the id of another record.

    >>> fhir_id("knee-osteoarthritis")
    'knee-osteoarthritis'
    >>> fhir_id("supervised-strengthening-exercise-for-knee-osteoarthritis-with-progression")
    'supervised-strengthening-exerci.995a49cc31b7793610f9a23e2c1303ab'
    """
    if len(name) <= LONGEST_ID:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST_CHARACTERS]
    return f"{name[: LONGEST_ID - _DIGEST_CHARACTERS - 1]}.{digest}"


@dataclass(frozen=True)
class Item:
    """The source of a resource: an intervention of the entry, or else its diagnosis."""

    entry: Entry
    intervention: Intervention | None = None

    @cached_property
    def id(self) -> str:
        return fhir_id(self.catalogue_id)

    @property
    def catalogue_id(self) -> str:
        return self.entry.diagnosis.id if self.intervention is None else self.intervention.id

    @property
    def title(self) -> str:
        return self.entry.diagnosis.name if self.intervention is None else self.intervention.title

    @property
    def name(self) -> str:
        """The computable name: letters, digits and underscores (R4, pdf-0)."""
        kind = "Diagnosis" if self.intervention is None else "Intervention"
        return f"{kind}_{self.catalogue_id.replace('-', '_')}"

    @property
    def version(self) -> str:
        return self.entry.version

    @property
    def topics(self) -> tuple[Module | Phase, ...]:
        if self.intervention is None:
            return self.entry.diagnosis.enabled_modules
        return (self.intervention.module, self.intervention.phase)

    @cached_property
    def folded_title(self) -> str:
        return folded(self.title)


# Of both types; two threads may both create them, which does no harm.
@lru_cache(maxsize=2)
def items_of(catalogue: Catalogue, resource_type: str) -> dict[str, Item]:
    """Return the items for this type by id, in the order of ids."""
    if resource_type == PLAN_DEFINITION:
        items = [Item(entry) for entry in catalogue.entries]
    else:
        items = [
            Item(entry, intervention)
            for entry in catalogue.entries
            for intervention in entry.visible_interventions()
        ]
    return {item.id: item for item in sorted(items, key=attrgetter("id"))}
