"""The content of an entry as plain records: what its version depends on, and what is stored.

Each field is named here, so that renaming a field in Python changes neither versions nor stored
data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.effect import Effect
from evref.domain.catalogue.evidence import Reference
from evref.domain.catalogue.intervention import FittVp, Intervention

Record = dict[str, Any]
"""A JSON object: text, integers, None, lists and records by name."""


class NumberText(str):
    """A decimal number: text, which keeps its digits. A file has it without quotes."""

    __slots__ = ()


def of_diagnosis(diagnosis: Diagnosis) -> Record:
    reviewed = diagnosis.reviewed
    optional = {
        "terms": {language: list(terms) for language, terms in sorted(diagnosis.terms.items())},
        "broader_codes": list(diagnosis.broader_codes),
        "finer_codes": {
            code_list.value: {"includes": list(finer.includes), "excludes": list(finer.excludes)}
            for code_list, finer in sorted(diagnosis.finer_codes.items())
        },
        "reviewed": reviewed and {"by": reviewed.by, "on": reviewed.on.isoformat()},
        "scope": diagnosis.scope,
        "mainstays": list(diagnosis.mainstays),
    }
    return {
        "id": diagnosis.id,
        "name": diagnosis.name,
        "icd10": [code.text for code in diagnosis.icd10_codes],
        "icd11": [code.text for code in diagnosis.icd11_codes],
        "enabled_modules": [module.value for module in diagnosis.enabled_modules],
        "checked_on": diagnosis.checked_on.isoformat(),
        # Without empty ones, so that an entry that has none of them keeps its version.
        **{name: value for name, value in optional.items() if value},
    }


def of_intervention(intervention: Intervention, references: Iterable[object]) -> Record:
    """Return the record of an intervention, with its references in the given form.

    An effect has the index of its reference.
    """
    dose = intervention.fitt_vp
    effects = [*map(_of_effect, intervention.effects)]
    return {
        "id": intervention.id,
        "module": intervention.module.value,
        "phase": intervention.phase.value,
        "title": intervention.title,
        "summary": intervention.summary,
        **({} if intervention.cautions is None else {"cautions": intervention.cautions}),
        **({} if dose is None else {"fitt_vp": _of_fitt_vp(dose)}),
        "evidence": {
            "certainty": intervention.evidence.certainty.value,
            "recommendation": intervention.evidence.recommendation.value,
            "direction": intervention.evidence.direction.value,
            "source_grade": intervention.evidence.source_grade,
        },
        # Left out if empty, so that an entry without effects keeps its version.
        **({"effects": effects} if effects else {}),
        "references": list(references),
    }


def _of_effect(effect: Effect) -> Record:
    interval, per_1000 = effect.interval, effect.per_1000
    return {
        "outcome": effect.outcome,
        "comparison": effect.comparison,
        "measure": effect.measure.value,
        "estimate": NumberText(effect.estimate.text),
        "interval": interval and [NumberText(interval.low.text), NumberText(interval.high.text)],
        "unit": effect.unit,
        "better": effect.better.value,
        "per_1000": per_1000
        and {
            "comparison": NumberText(per_1000.comparison.text),
            "intervention": NumberText(per_1000.intervention.text),
        },
        "studies": effect.studies,
        "participants": effect.participants,
        "certainty": effect.certainty.value,
        "reference": effect.reference,
    }


def _of_fitt_vp(dose: FittVp) -> Record:
    return {
        "frequency": dose.frequency,
        "intensity": dose.intensity,
        "time": dose.time,
        "type": dose.type,
        "volume": dose.volume,
        "progression": dose.progression,
    }


def of_reference(reference: Reference) -> Record:
    places = {"doi": reference.doi, "pmid": reference.pmid, "url": reference.given_url}
    return {
        "title": reference.title,
        "authors": reference.authors,
        "year": reference.year,
        "source": reference.source,
        "kind": reference.kind.value,
        **{name: place for name, place in places.items() if place is not None},
    }
