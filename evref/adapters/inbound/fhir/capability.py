"""The CapabilityStatement: what a FHIR client can do here (R4, capabilitystatement)."""

from typing import Any

import evref
from evref.adapters.inbound.fhir.definitions import CODE_SYSTEM, STRUCTURE_DEFINITION
from evref.adapters.inbound.fhir.index import ACTIVITY_DEFINITION, PLAN_DEFINITION
from evref.adapters.inbound.fhir.interface import FHIR, MEDIA_TYPE
from evref.adapters.inbound.fhir.mappings import CODE_SYSTEMS, DEFINED_ON, PUBLISHER
from evref.adapters.inbound.fhir.narrative import narrative
from evref.adapters.inbound.fhir.search import INCLUDED, MOST_COUNT, SEARCH
from evref.domain.catalogue.vocabulary import DISCLAIMER

_SYSTEMS = ", ".join(f"{each.url} ({each.name})" for each in CODE_SYSTEMS)
_OF_TYPE = "http://hl7.org/fhir/SearchParameter/{type}-{name}"
_OF_CONFORMANCE = "http://hl7.org/fhir/SearchParameter/conformance-{name}"
_PARAMETERS = {
    "_id": ("token", "http://hl7.org/fhir/SearchParameter/Resource-id", "The ids of resources."),
    "url": ("uri", None, "The canonical URLs of resources."),
    "identifier": ("token", _OF_TYPE, "The ids of the catalogue, alone or as system|id."),
    "context": (
        "token",
        _OF_TYPE,
        (
            "Codes of the diagnosis, alone or as system|code, as written in records. The system "
            f"says the edition. Code systems: {_SYSTEMS}."
        ),
    ),
    "title": (
        "string",
        _OF_TYPE,
        (
            "Words, as people type them: they find a diagnosis by its name and other names, and an "
            "intervention by its title. Modifiers: :contains and :exact."
        ),
    ),
    "topic": ("token", _OF_TYPE, "Modules and phases, alone or as system|code."),
    "_lastUpdated": (
        "date",
        "http://hl7.org/fhir/SearchParameter/Resource-lastUpdated",
        "The time of the publication that last changed the diagnosis or its interventions.",
    ),
}
_DOCUMENTATION = {
    PLAN_DEFINITION: "A diagnosis with its codes; each action is one of its interventions.",
    ACTIVITY_DEFINITION: "An intervention for a diagnosis, with its evidence and references.",
    CODE_SYSTEM: "The codes of module, phase and direction.",
    STRUCTURE_DEFINITION: "The extensions that the resources and Bundles use.",
}


def capability_statement(base_url: str) -> dict[str, Any]:
    """Return the CapabilityStatement of a service at `base_url`."""
    return {
        "resourceType": "CapabilityStatement",
        "text": narrative(PUBLISHER, [DISCLAIMER]),
        "url": f"{base_url}{FHIR.root}/metadata",
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
            "url": f"{base_url}{FHIR.root}",
        },
        "fhirVersion": "4.0.1",
        "format": ["json", MEDIA_TYPE],
        "rest": [
            {
                "mode": "server",
                "documentation": "Read-only. The service rejects a parameter that it does not "
                f"support. _count is at most {MOST_COUNT} resources a page. A search can also be "
                "sent as POST to _search.",
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
    taken = SEARCH[resource_type]
    resource = {
        "type": resource_type,
        "documentation": documentation,
        "interaction": [{"code": "read"}, {"code": "search-type"}],
        "versioning": "no-version",
        "readHistory": False,
        "conditionalRead": "not-match",
        "searchParam": [
            {
                "name": name,
                "definition": _definition(resource_type, name, definition),
                "type": kind,
                "documentation": text,
            }
            for name, (kind, definition, text) in _PARAMETERS.items()
            if name in taken
        ],
    }
    return resource | ({"searchInclude": [INCLUDED[0]]} if "_include" in taken else {})


def _definition(resource_type: str, name: str, definition: str | None) -> str:
    """Return the URL of the definition; R4 shares that of `url` between some types."""
    is_shared = resource_type in {CODE_SYSTEM, STRUCTURE_DEFINITION}
    definition = definition or (_OF_CONFORMANCE if is_shared else _OF_TYPE)
    return definition.format(type=resource_type, name=name)
