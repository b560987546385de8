"""The CapabilityStatement: what a FHIR client can do here (R4, capabilitystatement)."""

from __future__ import annotations

from typing import Any

import evref
from evref.adapters.inbound.fhir.index import ACTIVITY_DEFINITION, PLAN_DEFINITION
from evref.adapters.inbound.fhir.interface import FHIR, MEDIA_TYPE
from evref.adapters.inbound.fhir.mappings import CODE_SYSTEMS
from evref.adapters.inbound.fhir.search import MOST_COUNT
from evref.domain.catalogue.vocabulary import DISCLAIMER

_CHANGED_ON = "2026-11-22"
"""The day on which the content below was last changed."""

_SYSTEMS = ", ".join(f"{each.url} ({each.name})" for each in CODE_SYSTEMS)
_PARAMETERS = (
    ("_id", "token", "http://hl7.org/fhir/SearchParameter/Resource-id", "The ids of resources."),
    (
        "context",
        "token",
        "http://hl7.org/fhir/SearchParameter/{type}-context",
        (
            "Codes of the diagnosis, alone or as system|code, as written in records. A code also "
            f"finds the diagnoses with an ancestor of it. Code systems: {_SYSTEMS}."
        ),
    ),
    (
        "title",
        "string",
        "http://hl7.org/fhir/SearchParameter/{type}-title",
        "The beginning of the title, ignoring case and accents. Modifiers: :contains and :exact.",
    ),
)
_DOCUMENTATION = {
    PLAN_DEFINITION: "A diagnosis with its codes; each action is one of its interventions.",
    ACTIVITY_DEFINITION: "An intervention for a diagnosis, with its evidence and references.",
}


def capability_statement(base_url: str) -> dict[str, Any]:
    """Return the CapabilityStatement of a service at `base_url`."""
    return {
        "resourceType": "CapabilityStatement",
        "url": f"{base_url}{FHIR.root}/metadata",
        "version": evref.__version__,
        "name": "EvidenceReferenceService",
        "title": "Evidence Reference Service",
        "status": "active",
        "experimental": False,
        "date": _CHANGED_ON,
        "publisher": "Evidence Reference Service",
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
                f"support. _count is at most {MOST_COUNT} resources a page.",
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
    return {
        "type": resource_type,
        "documentation": documentation,
        "interaction": [{"code": "read"}, {"code": "search-type"}],
        "versioning": "no-version",
        "readHistory": False,
        "conditionalRead": "not-match",
        "searchParam": [
            {
                "name": name,
                "definition": definition.format(type=resource_type),
                "type": kind,
                "documentation": text,
            }
            for name, kind, definition, text in _PARAMETERS
        ],
    }
