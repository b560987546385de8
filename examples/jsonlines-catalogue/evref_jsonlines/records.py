"""A diagnosis with its interventions as one line of JSON."""

import json
from dataclasses import asdict
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

Record = dict[str, Any]


def write(entry: Entry) -> str:
    """The line, without a line break."""
    return json.dumps(asdict(entry), ensure_ascii=False)


def read(line: str) -> Entry:
    """Return the entry in a line that `write` wrote.

    Raises:
        LookupError, TypeError, ValueError: The line is not a valid entry. The domain's
            constructors reject values that break a rule.

    """
    record = json.loads(line)
    return Entry(
        _diagnosis(record["diagnosis"]), tuple(map(_intervention, record["interventions"]))
    )


def _diagnosis(record: Record) -> Diagnosis:
    return Diagnosis(
        **record
        | {
            "icd10_codes": tuple(Icd10Code(**code) for code in record["icd10_codes"]),
            "icd11_codes": tuple(Icd11Code(**code) for code in record["icd11_codes"]),
            "enabled_modules": tuple(map(Module, record["enabled_modules"])),
        }
    )


def _intervention(record: Record) -> Intervention:
    dose = record["fitt_vp"]
    return Intervention(
        **record
        | {
            "module": Module(record["module"]),
            "phase": Phase(record["phase"]),
            "fitt_vp": None if dose is None else FittVp(**dose),
            "evidence": _evidence(record["evidence"]),
            "references": tuple(map(_reference, record["references"])),
        }
    )


def _evidence(record: Record) -> Evidence:
    return Evidence(
        certainty=Certainty(record["certainty"]),
        recommendation=Recommendation(record["recommendation"]),
        source_grade=record["source_grade"],
    )


def _reference(record: Record) -> Reference:
    return Reference(**record | {"kind": ReferenceKind(record["kind"])})
