"""The CapabilityStatement: what a FHIR client can do here (R4, capabilitystatement)."""

from typing import Any

import evref
from evref.adapters.inbound.fhir.definitions import CODE_SYSTEM, STRUCTURE_DEFINITION
from evref.adapters.inbound.fhir.index import ACTIVITY_DEFINITION, PLAN_DEFINITION
from evref.adapters.inbound.fhir.mappings import DEFINED_ON, PUBLISHER
from evref.adapters.inbound.fhir.outcome import MEDIA_TYPE, ROOT
from evref.adapters.inbound.fhir.paging import MOST_COUNT
from evref.adapters.inbound.fhir.resources import narrative
from evref.adapters.inbound.fhir.search import INCLUDED, SEARCH
from evref.domain.catalogue.vocabulary import DISCLAIMER

_DOCUMENTATION = {
    PLAN_DEFINITION: "A diagnosis with its codes; each action is one of its interventions.",
    ACTIVITY_DEFINITION: "An intervention for a diagnosis, with its evidence and references.",
    CODE_SYSTEM: "The codes of module, phase, direction and group.",
    STRUCTURE_DEFINITION: "The extensions that the resources and Bundles use.",
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
                "documentation": parameter.text,
            }
            for name, parameter in SEARCH[resource_type].items()
            if parameter.text
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
