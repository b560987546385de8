"""The FHIR resources of a catalogue, by id."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.rules import folded

PLAN_DEFINITION = "PlanDefinition"
ACTIVITY_DEFINITION = "ActivityDefinition"

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

    id: str
    title: str
    entry: Entry
    intervention: Intervention | None = None

    @property
    def catalogue_id(self) -> str:
        return self.entry.diagnosis.id if self.intervention is None else self.intervention.id

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


class Index:
    """The items of one version of the catalogue, by resource type and id, in the order of ids."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def by_id(self, resource_type: str) -> dict[str, Item]:
        return self._plans if resource_type == PLAN_DEFINITION else self._activities

    # Each is created on first use, because the second one reads every intervention.
    @cached_property
    def _plans(self) -> dict[str, Item]:
        return _by_id(
            Item(fhir_id(entry.diagnosis.id), entry.diagnosis.name, entry)
            for entry in self.catalogue.entries
        )

    @cached_property
    def _activities(self) -> dict[str, Item]:
        return _by_id(
            Item(fhir_id(intervention.id), intervention.title, entry, intervention)
            for entry in self.catalogue.entries
            for intervention in entry.visible_interventions()
        )


def _by_id(items: Iterable[Item]) -> dict[str, Item]:
    return {item.id: item for item in sorted(items, key=lambda item: item.id)}
