"""Entries of the catalogue as JSON documents, the form in which they are stored.

Each field is named here, so that renaming one in the domain cannot change what is stored
unawares. Reading goes through the domain's own constructors: a document that breaks one of
their rules is refused.
"""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.evidence import (
    Certainty,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase

_ENTRY = ("diagnosis", "interventions")
_DIAGNOSIS = ("id", "name", "icd10_codes", "icd11_codes", "enabled_modules")
_INTERVENTION = (
    "id",
    "module",
    "phase",
    "title",
    "summary",
    "fitt_vp",
    "evidence",
    "references",
)
_FITT_VP = ("frequency", "intensity", "time", "type", "volume", "progression")
_EVIDENCE = ("certainty", "recommendation", "source_grade")
_REFERENCE = ("title", "authors", "year", "source", "kind", "doi", "pmid", "url")


def write(entry: Entry) -> str:
    """The entry as compact JSON."""
    document = {
        "diagnosis": _diagnosis_document(entry.diagnosis),
        "interventions": [_intervention_document(each) for each in entry.interventions],
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def read(text: str) -> Entry:
    """The entry in a document that `write` wrote.

    Raises:
        ValueError: when it is no such document: not JSON, a field missing, unknown or of another
            type, or a rule of the domain broken.

    """
    try:
        diagnosis_document, interventions = _values(json.loads(text), _ENTRY)
        diagnosis = _diagnosis(diagnosis_document)
        # What several interventions cite is made and held once.
        reference = cache(_reference)
        return Entry(
            diagnosis,
            tuple(_intervention(each, diagnosis.id, reference) for each in interventions),
        )
    except (TypeError, AttributeError) as error:
        # The domain trusts its callers' types, so a wrong one fails wherever it is first used.
        raise ValueError(f"a field is of another type: {error}") from error


def _values(document: Any, names: tuple[str, ...]) -> list[Any]:  # noqa: ANN401 - JSON is
    """The values of exactly these fields, in this order."""
    if not isinstance(document, dict) or document.keys() != set(names):
        raise ValueError(f"not an object with the fields {', '.join(names)}")
    return [document[name] for name in names]


def _diagnosis_document(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "id": diagnosis.id,
        "name": diagnosis.name,
        "icd10_codes": [code.text for code in diagnosis.icd10_codes],
        "icd11_codes": [code.text for code in diagnosis.icd11_codes],
        "enabled_modules": [module.value for module in diagnosis.enabled_modules],
    }


def _diagnosis(document: object) -> Diagnosis:
    diagnosis_id, name, icd10_codes, icd11_codes, enabled_modules = _values(document, _DIAGNOSIS)
    return Diagnosis(
        id=diagnosis_id,
        name=name,
        icd10_codes=tuple(map(Icd10Code, icd10_codes)),
        icd11_codes=tuple(map(Icd11Code, icd11_codes)),
        enabled_modules=tuple(map(Module, enabled_modules)),
    )


def _intervention_document(intervention: Intervention) -> dict[str, Any]:
    dose = intervention.fitt_vp
    return {
        "id": intervention.id,
        "module": intervention.module.value,
        "phase": intervention.phase.value,
        "title": intervention.title,
        "summary": intervention.summary,
        "fitt_vp": None if dose is None else _fitt_vp_document(dose),
        "evidence": _evidence_document(intervention.evidence),
        "references": [_reference_document(each) for each in intervention.references],
    }


def _intervention(
    document: object, diagnosis_id: str, reference: Callable[[tuple[Any, ...]], Reference]
) -> Intervention:
    intervention_id, module, phase, title, summary, dose, evidence, references = _values(
        document, _INTERVENTION
    )
    return Intervention(
        id=intervention_id,
        diagnosis_id=diagnosis_id,
        module=Module(module),
        phase=Phase(phase),
        title=title,
        summary=summary,
        fitt_vp=None if dose is None else FittVp(*_values(dose, _FITT_VP)),
        evidence=_evidence(evidence),
        references=tuple(reference(tuple(_values(each, _REFERENCE))) for each in references),
    )


def _fitt_vp_document(dose: FittVp) -> dict[str, Any]:
    return {
        "frequency": dose.frequency,
        "intensity": dose.intensity,
        "time": dose.time,
        "type": dose.type,
        "volume": dose.volume,
        "progression": dose.progression,
    }


def _evidence_document(evidence: Evidence) -> dict[str, Any]:
    return {
        "certainty": evidence.certainty.value,
        "recommendation": evidence.recommendation.value,
        "source_grade": evidence.source_grade,
    }


def _evidence(document: object) -> Evidence:
    certainty, recommendation, source_grade = _values(document, _EVIDENCE)
    return Evidence(Certainty(certainty), Recommendation(recommendation), source_grade)


def _reference_document(reference: Reference) -> dict[str, Any]:
    return {
        "title": reference.title,
        "authors": reference.authors,
        "year": reference.year,
        "source": reference.source,
        "kind": reference.kind.value,
        "doi": reference.doi,
        "pmid": reference.pmid,
        "url": reference.given_url,
    }


def _reference(values: tuple[Any, ...]) -> Reference:
    title, authors, year, source, kind, doi, pmid, url = values
    return Reference(
        title=title,
        authors=authors,
        year=year,
        source=source,
        kind=ReferenceKind(kind),
        doi=doi,
        pmid=pmid,
        given_url=url,
    )
