"""The structured answers of the tools: short, because an assistant pays for each word.

What the service says of a record stands once, and what it does not say is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from evref_mcp.records import (
    DiagnosesBody,
    Diagnosis,
    Effect,
    FoundIntervention,
    Group,
    Intervention,
    InterventionsBody,
    Match,
    Meta,
    Phase,
    Reference,
    SearchBody,
)

MOST_LISTED = 25
"""Diagnoses that are listed with their codes; without arguments, all are listed by name."""


def diagnoses(body: DiagnosesBody, *, only_names: bool) -> dict[str, Any]:
    """Return the structured answer of find_diagnoses."""
    listed = (
        [{"id": diagnosis.id, "name": diagnosis.name} for diagnosis in body.data]
        if only_names
        else [_diagnosis(diagnosis) for diagnosis in body.data[:MOST_LISTED]]
    )
    return _stated(
        {
            "count": len(body.data),
            "diagnoses": listed,
            "found": [hit.model_dump() for hit in body.meta.found],
            "matches": [_match(match) for match in body.meta.matches],
            "suggestions": body.meta.suggestions,
        }
    ) | _source(body.meta)


def interventions(body: InterventionsBody) -> dict[str, Any]:
    """Return the structured answer of list_interventions; interventions cite by number."""
    diagnosis = body.meta.diagnosis
    cited = works(body.data)
    return {
        "diagnosis": diagnosis.model_dump(
            include={"id", "name", "not_covered", "scope", "checked_on", "reviewed"}
        ),
        "interventions": [
            _intervention(intervention, cited) for intervention in in_card_order(body)
        ],
        "references": {
            str(number): f"{work.title}. {work.year}. {work.url}"
            for number, work in enumerate(cited, start=1)
        },
        **_source(body.meta),
    }


def works(interventions: Iterable[Intervention]) -> list[Reference]:
    """Return the works that the interventions cite, each once."""
    return list(
        dict.fromkeys(work for intervention in interventions for work in intervention.references)
    )


def in_card_order(body: InterventionsBody) -> list[Intervention]:
    """Return interventions in the order of the card on the service's page of the diagnosis."""
    places = {name: place for place, name in enumerate(body.meta.diagnosis.mainstays)}
    return sorted(
        body.data,
        key=lambda intervention: (
            get_args(Group).index(intervention.evidence.group),
            places.get(intervention.id, len(places)),
            get_args(Phase).index(intervention.phase),
        ),
    )


def found_interventions(body: SearchBody) -> dict[str, Any]:
    """Return the structured answer of find_interventions, without summaries."""
    shown = {
        "count": body.meta.count,
        "interventions": [_found(intervention) for intervention in body.data],
    }
    matches = [_match(match) for match in body.meta.matches]
    return shown | ({"matches": matches} if matches else {}) | _source(body.meta)


def _diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "id": diagnosis.id,
        "name": diagnosis.name,
        "icd10": diagnosis.icd10_codes,
        "icd11": diagnosis.icd11_codes,
        "modules": diagnosis.enabled_modules,
        "reviewed": diagnosis.model_dump()["reviewed"],
    }


def _match(match: Match) -> dict[str, Any]:
    relations = {fit.id: fit.relation for fit in match.diagnoses}
    return _stated({**match.model_dump(exclude={"diagnoses"}), "relations": relations})


def _intervention(intervention: Intervention, cited: Sequence[Reference]) -> dict[str, Any]:
    dose = intervention.fitt_vp
    return _stated(
        {
            "id": intervention.id,
            "title": intervention.title,
            **intervention.evidence.model_dump(),
            "module": intervention.module,
            "phase": intervention.phase,
            "summary": intervention.summary,
            "cautions": intervention.cautions,
            "dose": None if dose is None else dose.model_dump(exclude_none=True),
            "effects": [
                _effect(effect, cited.index(intervention.references[effect.reference]) + 1)
                for effect in intervention.effects
            ],
            "references": [cited.index(work) + 1 for work in intervention.references],
        }
    )


def _effect(effect: Effect, reference: int) -> dict[str, Any]:
    """Return the figures of an effect, and the place or number of the reference that has them."""
    graded = {"certainty"} if effect.certainty == "not_graded" else set()
    return {**effect.model_dump(exclude=graded, exclude_none=True), "reference": reference}


def _found(intervention: FoundIntervention) -> dict[str, Any]:
    return _stated(
        {
            "id": intervention.id,
            "title": intervention.title,
            "diagnosis": {"id": intervention.diagnosis.id, "name": intervention.diagnosis.name},
            **intervention.evidence.model_dump(),
            "module": intervention.module,
            "phase": intervention.phase,
            "cautions": intervention.cautions,
            "effects": [_effect(effect, effect.reference) for effect in intervention.effects],
            "references": [reference.url for reference in intervention.references],
        }
    )


def _source(meta: Meta) -> dict[str, str]:
    return {"catalogue_version": meta.catalogue_version, "disclaimer": meta.disclaimer}


def _stated(members: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is null or empty, but for the count and the list of diagnoses."""
    kept = {"count", "diagnoses"}
    return {name: value for name, value in members.items() if name in kept or value}
