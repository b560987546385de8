"""Renders diagnoses as PlanDefinition and interventions as ActivityDefinition.

Both are definitions to read, not to execute: they have neither `type`, `kind` nor `intent`, so no
client can derive an order for a patient from them.
"""

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

from evref.adapters.inbound.fhir.index import ACTIVITY_DEFINITION, PLAN_DEFINITION, Item, fhir_id
from evref.adapters.inbound.fhir.mappings import (
    PUBLISHER,
    QUALITIES,
    QUALITY_OF_EVIDENCE,
    STRENGTH_OF_RECOMMENDATION,
    STRENGTHS,
)
from evref.adapters.inbound.fhir.outcome import ROOT
from evref.adapters.inbound.web.code_systems import ICD_10, ICD_11
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.evidence import Direction, Evidence, Reference
from evref.domain.catalogue.in_words import plain, source, verdict
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase
from evref.domain.catalogue.matching import Doubt, Relation
from evref.domain.catalogue.search.found import Found
from evref.domain.catalogue.vocabulary import DISCLAIMER, MEANINGS, NAMES

_USAGE_CONTEXT = "http://terminology.hl7.org/CodeSystem/usage-context-type"
_XHTML = "http://www.w3.org/1999/xhtml"


def narrative(title: str, paragraphs: Iterable[str], items: Iterable[str] = ()) -> dict[str, str]:
    """Return a heading, paragraphs and a list of plain texts as escaped XHTML (R4, narrative).

    Some viewers show nothing else.
    """
    parts = [f"<p><b>{escape(title)}</b></p>"]
    parts += [f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs]
    listed = "".join(f"<li>{escape(item)}</li>" for item in items)
    if listed:
        parts.append(f"<ul>{listed}</ul>")
    return {"status": "generated", "div": f'<div xmlns="{_XHTML}">{"".join(parts)}</div>'}


@dataclass(frozen=True, slots=True)
class Resources:
    """Renders the resources of a service at `base_url`, as JSON objects without empty members.

    Their canonical URLs begin with `root`, and are the same on every service. `changed_at` returns
    the time of the last change of a diagnosis, and `licence` is the address of the licence.
    """

    base_url: str
    root: str
    changed_at: Callable[[str], datetime | None]
    licence: str | None

    def address(self, resource_type: str) -> str:
        return f"{self.base_url}{ROOT}/{resource_type}"

    def canonical(self, resource_type: str, resource_id: str) -> str:
        return f"{self.root}/{resource_type}/{resource_id}"

    def identifier_system(self, resource_type: str) -> str:
        kind = "diagnosis-id" if resource_type == PLAN_DEFINITION else "intervention-id"
        return f"{self.root}/NamingSystem/{kind}"

    def code_system(self, topic: Module | Phase) -> str:
        return f"{self.root}/CodeSystem/{'module' if isinstance(topic, Module) else 'phase'}"

    def rendered(self, item: Item) -> dict[str, Any]:
        """Return an intervention as ActivityDefinition, or a diagnosis as PlanDefinition, which has
        an action for each visible intervention, as on its card.
        """
        if item.intervention is not None:
            return self._activity_definition(item, item.intervention)
        diagnosis = item.entry.diagnosis
        shown = item.entry.in_card_order()
        references = dict.fromkeys(
            reference for intervention in shown for reference in intervention.references
        )
        description = (
            f"Interventions for {diagnosis.name_within_sentence}, each with its evidence. "
            f"They are not complete. {_reviewed(diagnosis)}"
        )
        not_covered = diagnosis.not_covered and f"Not covered: {diagnosis.not_covered}."
        scope = " ".join(filter(None, (not_covered, diagnosis.scope))) or None
        paragraphs = [scope, _facts(diagnosis), description, DISCLAIMER]
        text = narrative(diagnosis.name, filter(None, paragraphs), map(_line, shown))
        return _without_empty(
            {
                **self._head(PLAN_DEFINITION, item, text),
                "description": description,
                "purpose": scope,
                "relatedArtifact": [_citation(work) for work in references],
                "action": [self._action(intervention) for intervention in shown],
            }
        )

    def _activity_definition(self, item: Item, intervention: Intervention) -> dict[str, Any]:
        evidence = intervention.evidence
        diagnosis = item.entry.diagnosis
        paragraphs = (
            f"For {diagnosis.name_within_sentence}. {_line(intervention)}",
            intervention.summary,
            _reviewed(diagnosis),
            DISCLAIMER,
        )
        return _without_empty(
            {
                **self._head(ACTIVITY_DEFINITION, item, narrative(intervention.title, paragraphs)),
                "extension": [*self._said(evidence), *self._dose(intervention.fitt_vp)],
                "subtitle": _in_words(intervention),
                "description": _described(intervention),
                "relatedArtifact": [
                    *_justification(intervention),
                    *map(_citation, intervention.references),
                ],
                "doNotPerform": _do_not_perform(evidence),
            }
        )

    def search_of(self, item: object, found: Found) -> dict[str, Any]:
        """Return the `search` of an entry in a Bundle: how well a code fits the diagnosis."""
        if not isinstance(item, Item) or item.entry.diagnosis.id not in found.fits:
            return {"mode": "match"}
        relation = self._relation(found.fits[item.entry.diagnosis.id])
        return {"extension": [relation], "mode": "match"}

    def _relation(self, doubt: Doubt | None) -> dict[str, Any]:
        relation = Relation.APPROXIMATE if doubt else Relation.CERTAIN
        words = {"url": "text", "valueString": MEANINGS[doubt or relation]}
        code = {"url": "code", "valueCode": relation.value}
        return {"url": self._extension("relation"), "extension": [code, words]}

    def outcome(self, remarks: Iterable[str]) -> list[dict[str, Any]]:
        """Return the Bundle entry with remarks on the search (R4, search, warnings)."""
        issues = [
            {"severity": "warning", "code": "informational", "details": {"text": f"{remark}."}}
            for remark in remarks
        ]
        resource = {"resourceType": "OperationOutcome", "id": "context", "issue": issues}
        address = f"{self.address('OperationOutcome')}/context"
        entry = {"fullUrl": address, "resource": resource, "search": {"mode": "outcome"}}
        return [entry] if issues else []

    def _head(self, resource_type: str, item: Item, text: dict[str, str]) -> dict[str, Any]:
        diagnosis = item.entry.diagnosis
        time = self.changed_at(diagnosis.id)
        changed_at = time and f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
        reviewed_on = None if diagnosis.reviewed is None else diagnosis.reviewed.on.isoformat()
        return {
            "resourceType": resource_type,
            "id": item.id,
            "meta": changed_at and {"lastUpdated": changed_at},
            "text": text,
            "url": self.canonical(resource_type, item.id),
            "identifier": [
                {"system": self.identifier_system(resource_type), "value": item.catalogue_id}
            ],
            "version": item.entry.version,
            "name": item.name,
            "title": item.title,
            "status": "active",
            "experimental": reviewed_on is None,
            "date": changed_at,
            "publisher": PUBLISHER,
            "useContext": self._contexts(diagnosis),
            "topic": [self._concept(topic) for topic in item.topics],
            "usage": DISCLAIMER,
            "copyright": self.licence and f"Licensed under {self.licence}",
            "approvalDate": reviewed_on,
            "lastReviewDate": reviewed_on,
        }

    def _action(self, intervention: Intervention) -> dict[str, Any]:
        evidence = intervention.evidence
        do_not_perform = _do_not_perform(evidence)
        return _without_empty(
            {
                "extension": self._said(evidence),
                # Without this, the title and the code would read as advice for the intervention.
                "modifierExtension": do_not_perform
                and [{"url": self._extension("do-not-perform"), "valueBoolean": do_not_perform}],
                "title": intervention.title,
                # A client may show only the title and the description of an action.
                "description": _in_words(intervention) + _caution(intervention),
                "code": [self._concept(intervention.module), self._concept(intervention.phase)],
                "documentation": _justification(intervention),
                "definitionCanonical": self.canonical(
                    ACTIVITY_DEFINITION, fhir_id(intervention.id)
                ),
            }
        )

    def _concept(self, topic: Module | Phase) -> dict[str, Any]:
        return {
            "coding": [{"system": self.code_system(topic), "code": topic.value}],
            "text": NAMES[topic],
        }

    def _said(self, evidence: Evidence) -> list[dict[str, Any]]:
        """Return the extensions that say what the sources say about an intervention."""
        return [
            {"url": self._extension(name), "valueCode": code.value}
            for name, code in (("direction", evidence.direction), ("group", evidence.group))
        ]

    def _dose(self, dose: FittVp | None) -> list[dict[str, Any]]:
        stated = [
            {"url": name, "valueString": text}
            for name, text in ({} if dose is None else asdict(dose)).items()
            if text is not None
        ]
        return [{"url": self._extension("fitt-vp"), "extension": stated}] if stated else []

    def _contexts(self, diagnosis: Diagnosis) -> list[dict[str, Any]]:
        """Return a use context for each code: two codes of a diagnosis may differ in meaning."""
        of_systems = ((ICD_10, diagnosis.icd10_codes), (ICD_11, diagnosis.icd11_codes))
        broader = {"extension": [self._relation(Relation.APPROXIMATE)]}
        return [
            {
                "code": {"system": _USAGE_CONTEXT, "code": "focus"},
                "valueCodeableConcept": {
                    "coding": [
                        {
                            **(broader if code in diagnosis.broader_codes else {}),
                            "system": system.urls[0],
                            "code": code,
                        }
                    ],
                    "text": diagnosis.name,
                },
            }
            for system, codes in of_systems
            for code in codes
        ]

    def _extension(self, name: str) -> str:
        return f"{self.root}/StructureDefinition/{name}"


def _do_not_perform(evidence: Evidence) -> bool | None:
    """Return True if the sources are against an intervention; else the resource does not say it."""
    return evidence.direction is Direction.AGAINST or None


def _justification(intervention: Intervention) -> list[dict[str, Any]]:
    """Return the grades that the sources state as a related artifact, or nothing.

    R4 allows the extensions of strength and certainty on an attachment alone.
    """
    evidence = intervention.evidence
    strengths, qualities = STRENGTHS[evidence.recommendation], QUALITIES[evidence.certainty]
    grades = [
        {
            "url": url,
            "valueCodeableConcept": {"coding": [*map(asdict, codings)], "text": MEANINGS[value]},
        }
        for url, codings, value in (
            (STRENGTH_OF_RECOMMENDATION, strengths, evidence.recommendation),
            (QUALITY_OF_EVIDENCE, qualities, evidence.certainty),
        )
        if codings
    ]
    label = source(intervention) if evidence.source or evidence.superseded else None
    if not grades and label is None and evidence.source_grade is None:
        return []
    document = {"extension": grades, "title": "Grades of the evidence"} if grades else None
    return [
        _without_empty(
            {
                "type": "justification",
                "label": label,
                "display": evidence.source_grade,
                "document": document,
            }
        )
    ]


def _citation(reference: Reference) -> dict[str, Any]:
    sentences = (
        _sentence(reference.authors),
        _sentence(reference.title),
        f"{reference.source}, {reference.year}.",
        f"doi:{reference.doi}." if reference.doi else "",
        f"PMID: {reference.pmid}." if reference.pmid else "",
    )
    return {
        "type": "citation",
        "display": reference.kind.value.replace("_", " ").capitalize(),
        "citation": " ".join(filter(None, sentences)),
        "url": reference.url,
    }


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _in_words(intervention: Intervention) -> str:
    direction = intervention.evidence.direction
    return f"Direction of the evidence: {direction.value}. {verdict(intervention)}."


def _described(intervention: Intervention) -> str:
    """Return the summary, the effects in sentences, and the caution, in Markdown."""
    effects = [f"{plain(effect)}." for effect in intervention.effects]
    return "\n\n".join([intervention.summary, *effects]) + _caution(intervention)


def _facts(diagnosis: Diagnosis) -> str:
    codes = ", ".join(diagnosis.icd10_codes)
    codes_of_icd11 = ", ".join(diagnosis.icd11_codes)
    checked = f"Checked against its sources on {diagnosis.checked_on}."
    return f"ICD-10: {codes}. ICD-11: {codes_of_icd11}. {checked}"


def _reviewed(diagnosis: Diagnosis) -> str:
    if diagnosis.reviewed is None:
        return "No clinician has reviewed this entry."
    return f"Reviewed by {diagnosis.reviewed.by} on {diagnosis.reviewed.on}."


def _line(intervention: Intervention) -> str:
    """Return an intervention in a line of text, with its direction first."""
    parts = (
        f"{NAMES[intervention.evidence.direction]}: {intervention.title}",
        f"({NAMES[intervention.phase].lower()}): {source(intervention)}.",
        f"Caution: {intervention.cautions}" if intervention.cautions else "",
    )
    return " ".join(filter(None, parts))


def _caution(intervention: Intervention) -> str:
    """Return the caution in Markdown, to follow other text; R4 has no element for it."""
    return "" if intervention.cautions is None else f"\n\n**Caution:** {intervention.cautions}"


def _without_empty(members: dict[str, Any]) -> dict[str, Any]:
    """Remove what FHIR does not allow: members that are null or an empty list."""
    return {name: value for name, value in members.items() if value is not None and value != []}
