"""What goes out: the records as JSON, which the OpenAPI document describes from here."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from apiflask import Schema, fields
from marshmallow import EXCLUDE

from evref.domain.diagnosis import Diagnosis, Module
from evref.domain.evidence import Certainty, Recommendation, ReferenceKind
from evref.domain.intervention import Intervention, Phase

DISCLAIMER = (
    "Educational reference data. It gives no clinical decisions and no treatment prescriptions; "
    "the physician, health professional or user always makes the final decision."
)

_SLUG = "^[a-z0-9]+(-[a-z0-9]+)*$"


def _slug(longest: int, description: str) -> fields.String:
    return _text(description, pattern=_SLUG, minLength=1, maxLength=longest)


def _text(description: str, *, nullable: bool = False, **keywords: Any) -> fields.String:
    return fields.String(
        required=True, allow_none=nullable, metadata={"description": description, **keywords}
    )


def _one_of(kind: type[StrEnum], description: str, *, nullable: bool = False) -> fields.Enum[Any]:
    return fields.Enum(
        kind,
        by_value=True,
        required=True,
        allow_none=nullable,
        metadata={"type": "string", "description": description},
    )


class Record(Schema):
    """A record that may gain members in a later version, so the document leaves it open."""

    class Meta:
        unknown = EXCLUDE


class DiagnosisSchema(Record):
    """A diagnosis with its codes and enabled modules."""

    id = _slug(Diagnosis.LONGEST_ID, "Identifies the diagnosis; stable for ever.")
    name = _text("Display name in English.", minLength=1, maxLength=Diagnosis.LONGEST_NAME)
    icd10_codes = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "Codes of WHO ICD-10 (2019).", "minItems": 1},
    )
    icd11_codes = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "Codes of ICD-11 MMS: stem codes, or clusters with & and /.",
            "minItems": 1,
        },
    )
    enabled_modules = fields.List(
        fields.Enum(Module, by_value=True, metadata={"type": "string"}),
        required=True,
        metadata={
            "description": "The modules that are shown for this diagnosis, in their fixed order.",
            "uniqueItems": True,
        },
    )


class FittVpSchema(Record):
    """A dose of exercise by the FITT-VP elements; null where the source does not state one."""

    frequency = _text("How often.", nullable=True)
    intensity = _text("How hard.", nullable=True)
    time = _text("How long each time.", nullable=True)
    type = _text("Which kind of exercise.", nullable=True)
    volume = _text("How much in all.", nullable=True)
    progression = _text("How it increases.", nullable=True)


class EvidenceSchema(Record):
    """How certain the evidence is and what its source recommends."""

    certainty = _one_of(Certainty, "GRADE certainty; not_graded where the source gives none.")
    recommendation = _one_of(
        Recommendation, "Direction and strength; not_stated where the source gives none."
    )
    source_grade = _text("The grade as the source words it.", nullable=True)


class ReferenceSchema(Record):
    """A published work that the intervention rests on."""

    title = _text("The published title.")
    authors = _text("The authors, shortened with “et al.” where there are many.")
    year = fields.Integer(required=True, metadata={"description": "Year of publication."})
    source = _text("The journal, or the issuing body.")
    kind = _one_of(ReferenceKind, "What kind of work it is.")
    doi = _text("The DOI, without a resolver before it.", nullable=True)
    pmid = _text("The PubMed number.", nullable=True)
    url = _text("Where to find it; from the DOI, else the PubMed number.", format="uri")


class InterventionSchema(Record):
    """What a module holds for a diagnosis in one phase, with its evidence."""

    id = _slug(Intervention.LONGEST_ID, "Identifies the intervention; unique in the catalogue.")
    diagnosis_id = _slug(Diagnosis.LONGEST_ID, "The diagnosis that it belongs to.")
    module = _one_of(Module, "The module that it belongs to.")
    phase = _one_of(Phase, "The phase that it belongs to.")
    title = _text("What it is, in short.", minLength=5, maxLength=120)
    summary = _text("What the sources say, in plain text.", minLength=80, maxLength=700)
    fitt_vp = fields.Nested(
        FittVpSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The dose, for module fitt_vip; null for the others."},
    )
    evidence = fields.Nested(EvidenceSchema, required=True)
    references = fields.List(
        fields.Nested(ReferenceSchema), required=True, metadata={"minItems": 1}
    )


class MetaSchema(Record):
    """What every answer says about itself."""

    catalogue_version = _text(
        "Changes when, and only when, the content of the served catalogue does.",
        examples=["0123456789abcdef"],
    )
    disclaimer = _text("What this data is not.", examples=[DISCLAIMER])


class ListMetaSchema(MetaSchema):
    """What an answer with a list says about itself."""

    count = fields.Integer(
        required=True, metadata={"description": "How many records data has.", "minimum": 0}
    )


class FiltersSchema(Record):
    """The filters that were asked for; null where none was."""

    module = _one_of(Module, "The module asked for.", nullable=True)
    phase = _one_of(Phase, "The phase asked for.", nullable=True)


class InterventionListMetaSchema(ListMetaSchema):
    """What a list of interventions says about itself."""

    diagnosis = fields.Nested(DiagnosisSchema, required=True)
    filters = fields.Nested(FiltersSchema, required=True)


class DiagnosisListSchema(Record):
    """Diagnoses, ordered by name, then id."""

    data = fields.List(fields.Nested(DiagnosisSchema), required=True)
    meta = fields.Nested(ListMetaSchema, required=True)


class DiagnosisAnswerSchema(Record):
    """One diagnosis."""

    data = fields.Nested(DiagnosisSchema, required=True)
    meta = fields.Nested(MetaSchema, required=True)


class InterventionListSchema(Record):
    """Interventions, ordered by module, phase (in their fixed order), title, then id."""

    data = fields.List(fields.Nested(InterventionSchema), required=True)
    meta = fields.Nested(InterventionListMetaSchema, required=True)


class ProblemSchema(Record):
    """Problem details (RFC 9457)."""

    type = _text("Identifies the kind of problem; a page that explains it.", format="uri")
    title = _text("The kind of problem, in short.")
    status = fields.Integer(required=True, metadata={"description": "The HTTP status."})
    detail = _text("This occurrence, in a sentence.")
    instance = _text("The request's path.")
    request_id = _text("Names this request in the service's log; also in X-Request-ID.")


class ParameterFaultSchema(Record):
    """One thing wrong with a query parameter."""

    parameter = _text("The parameter's name.")
    message = _text("What is wrong with it.")
    allowed = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The allowed values, or what is allowed in words."},
    )


class InvalidParameterProblemSchema(ProblemSchema):
    """A problem with query parameters: every fault is listed."""

    errors = fields.List(
        fields.Nested(ParameterFaultSchema), required=True, metadata={"minItems": 1}
    )


class QuotaExceededProblemSchema(ProblemSchema):
    """The quota-exceeded problem type of draft-ietf-httpapi-ratelimit-headers."""

    violated_policies = fields.List(
        fields.String(),
        required=True,
        data_key="violated-policies",
        metadata={"description": "The names of the quota policies that the request violated."},
    )
