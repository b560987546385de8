"""What the service can do, and the definitions that its resources use (R4, conformance module).

The definitions do not depend on the catalogue. They are code systems, and extensions as
StructureDefinition (R4, defining-extensions). `extensions.json` has the elements that differ
between extensions; in it, ROOT stands for the beginning of canonical URLs.
"""

import json
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import evref
from evref.adapters.inbound.fhir.index import (
    ACTIVITY_DEFINITION,
    CODE_SYSTEM,
    PLAN_DEFINITION,
    STRUCTURE_DEFINITION,
)
from evref.adapters.inbound.fhir.mappings import DEFINED_ON, PUBLISHER
from evref.adapters.inbound.fhir.outcome import MEDIA_TYPE, ROOT
from evref.adapters.inbound.fhir.resources import narrative
from evref.adapters.inbound.fhir.search import INCLUDED, MOST_COUNT, SEARCH
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import CardGroup, Direction
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.vocabulary import DISCLAIMER, MEANINGS, NAMES, description

_DOCUMENTATION = {
    PLAN_DEFINITION: "A diagnosis with its codes; each action is one of its interventions.",
    ACTIVITY_DEFINITION: "An intervention for a diagnosis, with its evidence and references.",
    CODE_SYSTEM: "The codes of module, phase, direction and group.",
    STRUCTURE_DEFINITION: "The extensions that the resources and Bundles use.",
}

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


def capability_statement(base_url: str) -> dict[str, Any]:
    """Return the CapabilityStatement of a service at `base_url`."""
    return {
        "resourceType": "CapabilityStatement",
        "text": narrative(PUBLISHER, [DISCLAIMER]),
        "url": f"{base_url}{ROOT}/metadata",
        "version": evref.__version__,
        "name": "EvidenceReferenceService",
        "title": "Evidence Reference Service",
        "status": "active",
        "experimental": False,
        "date": DEFINED_ON,
        "publisher": PUBLISHER,
        "description": DISCLAIMER,
        "kind": "instance",
        "software": {"name": "evref", "version": evref.__version__},
        "implementation": {
            "description": "Evidence Reference Service",
            "url": f"{base_url}{ROOT}",
        },
        "fhirVersion": "4.0.1",
        "format": ["json", MEDIA_TYPE],
        "rest": [
            {
                "mode": "server",
                "documentation": "Read-only. The service rejects a parameter that it does not "
                "support, unless the client sends “Prefer: handling=lenient”. _sort sorts by _id, "
                "title and _lastUpdated. "
                f"_count is at most {MOST_COUNT} resources a page. A search can also be sent as "
                "POST to _search.",
                "security": {
                    "service": [{"text": "API key as bearer token"}],
                    "description": "Send the header “Authorization: Bearer <API key>”. Each key "
                    "has a daily request limit.",
                },
                "resource": [_resource(name, text) for name, text in _DOCUMENTATION.items()],
            }
        ],
    }


def _resource(resource_type: str, documentation: str) -> dict[str, Any]:
    resource = {
        "type": resource_type,
        "documentation": documentation,
        "interaction": [{"code": "read"}, {"code": "search-type"}],
        "versioning": "no-version",
        "readHistory": False,
        "conditionalRead": "full-support",
        "searchParam": [
            {
                "name": name,
                "definition": _definition(resource_type, name),
                "type": parameter.type,
                "documentation": "; ".join(parameter.allowed),
            }
            for name, parameter in SEARCH[resource_type].items()
            if parameter.type and ":" not in name
        ],
    }
    included = {"searchInclude": [INCLUDED[0]]} if resource_type == PLAN_DEFINITION else {}
    return resource | included


def _definition(resource_type: str, name: str) -> str:
    """Return the URL of the parameter's definition, which R4 shares between types in some cases."""
    defined_by = resource_type
    if name.startswith("_"):
        defined_by = "Resource"
    elif resource_type in {CODE_SYSTEM, STRUCTURE_DEFINITION}:
        defined_by = "conformance"
    return f"http://hl7.org/fhir/SearchParameter/{defined_by}-{name.lstrip('_')}"


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
