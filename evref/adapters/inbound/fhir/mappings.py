"""The tables that map the catalogue's terms to FHIR's terms.

A test compares them with the tables in the documentation.
"""

from dataclasses import dataclass

from evref.domain.catalogue.evidence import Certainty, Recommendation

PUBLISHER = "Evidence Reference Service"

DEFINED_ON = "2026-11-27"
"""The day of the last change to the CapabilityStatement or a definition."""


@dataclass(frozen=True, slots=True)
class Coding:
    """A code of a code system of HL7, with its display name."""

    system: str
    code: str
    display: str


STRENGTH_OF_RECOMMENDATION = "http://hl7.org/fhir/StructureDefinition/cqf-strengthOfRecommendation"
QUALITY_OF_EVIDENCE = "http://hl7.org/fhir/StructureDefinition/cqf-qualityOfEvidence"

_STRENGTH = "http://terminology.hl7.org/CodeSystem/recommendation-strength"
_DIRECTED_STRENGTH = (
    "https://www.netzwerk-universitaetsmedizin.de/fhir/cpg-on-ebm-on-fhir/CodeSystem/"
    "ceosys-cs-recommendation-strength"
)
_QUALITY = "http://terminology.hl7.org/CodeSystem/evidence-quality"
_STRONG = Coding(_STRENGTH, "strong", "Strong")
_WEAK = Coding(_STRENGTH, "weak", "Weak")

STRENGTHS: dict[Recommendation, tuple[Coding, ...]] = {
    Recommendation.STRONG_FOR: (
        _STRONG,
        Coding(_DIRECTED_STRENGTH, "strong-for", "Strong for an intervention"),
    ),
    Recommendation.CONDITIONAL_FOR: (
        _WEAK,
        Coding(_DIRECTED_STRENGTH, "weak-for", "Weak for an intervention"),
    ),
    Recommendation.CONDITIONAL_AGAINST: (
        _WEAK,
        Coding(_DIRECTED_STRENGTH, "weak-against", "Weak against an intervention"),
    ),
    Recommendation.STRONG_AGAINST: (
        _STRONG,
        Coding(_DIRECTED_STRENGTH, "strong-against", "Strong against an intervention"),
    ),
    Recommendation.NOT_STATED: (),
}
"""HL7's coding, which has no direction, and that of CPG-on-EBMonFHIR, which keeps it.

None: the resource has no extension, because the sources state no strength.
"""

QUALITIES: dict[Certainty, tuple[Coding, ...]] = {
    Certainty.HIGH: (Coding(_QUALITY, "high", "High quality"),),
    Certainty.MODERATE: (Coding(_QUALITY, "moderate", "Moderate quality"),),
    Certainty.LOW: (Coding(_QUALITY, "low", "Low quality"),),
    Certainty.VERY_LOW: (Coding(_QUALITY, "very-low", "Very low quality"),),
    Certainty.NOT_GRADED: (),
}
"""None: the resource has no extension, because the sources state no certainty."""

_ELEMENTS_OF_ALL = (
    *("id", "meta", "implicitRules", "language", "text", "contained", "extension"),
    *("modifierExtension", "url", "identifier", "version", "name", "title", "status"),
    *("experimental", "date", "publisher", "contact", "description", "useContext", "jurisdiction"),
    *("purpose", "copyright"),
)
_ELEMENTS_OF_CATALOGUE = (
    *_ELEMENTS_OF_ALL,
    *("subtitle", "subject", "usage", "approvalDate", "lastReviewDate", "effectivePeriod"),
    *("topic", "author", "editor", "reviewer", "endorser", "relatedArtifact", "library"),
)

ELEMENTS: dict[str, tuple[str, ...]] = {
    "PlanDefinition": (*_ELEMENTS_OF_CATALOGUE, "type", "goal", "action"),
    "ActivityDefinition": (
        *_ELEMENTS_OF_CATALOGUE,
        *("kind", "profile", "code", "intent", "priority", "doNotPerform", "timing", "location"),
        *("participant", "product", "quantity", "dosage", "bodySite", "specimenRequirement"),
        *("observationRequirement", "observationResultRequirement", "transform", "dynamicValue"),
    ),
    "CodeSystem": (
        *_ELEMENTS_OF_ALL,
        *("caseSensitive", "valueSet", "hierarchyMeaning", "compositional", "versionNeeded"),
        *("content", "supplements", "count", "filter", "property", "concept"),
    ),
    "StructureDefinition": (
        *_ELEMENTS_OF_ALL,
        *("keyword", "fhirVersion", "mapping", "kind", "abstract", "context", "contextInvariant"),
        *("type", "baseDefinition", "derivation", "snapshot", "differential"),
    ),
}
"""The elements that R4 defines for each resource type."""

_SUMMARY_OF_ALL = ("meta", "url", "version", "name", "title", "status", "experimental", "date")
_SUMMARY_OF_CATALOGUE = (
    *_SUMMARY_OF_ALL,
    *("identifier", "publisher", "description", "useContext"),
)

SUMMARY_ELEMENTS: dict[str, tuple[str, ...]] = {
    "PlanDefinition": _SUMMARY_OF_CATALOGUE,
    "ActivityDefinition": (*_SUMMARY_OF_CATALOGUE, "doNotPerform"),
    "CodeSystem": (*_SUMMARY_OF_ALL, "publisher", "caseSensitive", "content", "count"),
    "StructureDefinition": (
        *_SUMMARY_OF_ALL,
        *("publisher", "fhirVersion", "kind", "abstract", "context", "type", "baseDefinition"),
        "derivation",
    ),
}
"""The elements that `_summary=true` keeps: R4 marks them for a summary."""

KEPT_ELEMENTS: dict[str, tuple[str, ...]] = {
    "PlanDefinition": ("resourceType", "id", "meta", "status"),
    "ActivityDefinition": ("resourceType", "id", "meta", "status", "doNotPerform"),
    "CodeSystem": ("resourceType", "id", "meta", "status", "content"),
    "StructureDefinition": (
        *("resourceType", "id", "meta", "status", "url", "name", "kind", "abstract", "type"),
    ),
}
"""Elements that are never left out: they are required, or change the meaning."""

ISSUE_TYPES: dict[str, str] = {
    "missing-credentials": "login",
    "invalid-api-key": "unknown",
    "insufficient-permission": "forbidden",
    "not-found": "not-found",
    "removed-diagnosis": "deleted",
    "removed-intervention": "deleted",
    "not-acceptable": "not-supported",
    "method-not-allowed": "not-supported",
    "invalid-parameter": "invalid",
    "quota-exceeded": "throttled",
    "service-unavailable": "transient",
    "internal-error": "exception",
}
"""The issue type of each problem (http://hl7.org/fhir/issue-type); of any other, `processing`."""
