"""The definitions that the resources use; they do not depend on the catalogue.

They are code systems, and extensions as StructureDefinition (R4, defining-extensions).
`extensions.json` has the elements that differ between extensions; in it, ROOT stands for the
beginning of canonical URLs.
"""

import json
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import evref
from evref.adapters.inbound.fhir.mappings import DEFINED_ON, PUBLISHER
from evref.adapters.inbound.fhir.resources import narrative
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import CardGroup, Direction
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.vocabulary import MEANINGS, NAMES, description

CODE_SYSTEM = "CodeSystem"
STRUCTURE_DEFINITION = "StructureDefinition"

_CODE_SYSTEMS: dict[str, type[StrEnum]] = {
    "direction": Direction,
    "group": CardGroup,
    "module": Module,
    "phase": Phase,
}

_OF_EVERY_EXTENSION = {
    "fhirVersion": "4.0.1",
    "kind": "complex-type",
    "abstract": False,
    "type": "Extension",
    "baseDefinition": "http://hl7.org/fhir/StructureDefinition/Extension",
    "derivation": "constraint",
}


class Definition(NamedTuple):
    """A code system or an extension."""

    id: str
    name: str
    version: str
    resource: dict[str, Any]


@cache
def definitions(root: str) -> dict[str, dict[str, Definition]]:
    """Return the definitions by resource type and id; `root` begins their canonical URLs."""
    text = resources.files(__package__).joinpath("extensions.json").read_text(encoding="utf-8")
    extensions = json.loads(text.replace("ROOT", root))
    return {
        CODE_SYSTEM: _by_id(_code_system(root, *system) for system in _CODE_SYSTEMS.items()),
        STRUCTURE_DEFINITION: _by_id(
            {**_head(root, STRUCTURE_DEFINITION, extension), **extension, **_OF_EVERY_EXTENSION}
            for extension in extensions
        ),
    }


def _by_id(resources: Iterable[dict[str, Any]]) -> dict[str, Definition]:
    return {
        resource["id"]: Definition(resource["id"], resource["name"], resource["version"], resource)
        for resource in resources
    }


def _code_system(root: str, name: str, kind: type[StrEnum]) -> dict[str, Any]:
    particular = {
        "id": name,
        "name": name.capitalize(),
        "title": f"{name.capitalize()} of an intervention",
        "description": description(kind),
    }
    return {
        **_head(root, CODE_SYSTEM, particular),
        **particular,
        "caseSensitive": True,
        "content": "complete",
        "count": len(kind),
        "concept": [
            {"code": value.value, "display": NAMES[value], "definition": MEANINGS[value]}
            for value in kind
        ],
    }


def _head(root: str, resource_type: str, particular: dict[str, Any]) -> dict[str, Any]:
    return {
        "resourceType": resource_type,
        "meta": {"lastUpdated": f"{DEFINED_ON}T00:00:00Z"},
        "text": narrative(particular["title"], [particular["description"]]),
        "url": f"{root}/{resource_type}/{particular['id']}",
        "version": evref.__version__,
        "status": "active",
        "experimental": False,
        "date": DEFINED_ON,
        "publisher": PUBLISHER,
    }
