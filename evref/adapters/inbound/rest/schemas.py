"""What goes out: the records as JSON, which the OpenAPI document describes from here."""

from __future__ import annotations

from enum import StrEnum
from http import HTTPStatus
from typing import Any

from apiflask import Schema, fields
from marshmallow import EXCLUDE, RAISE, validate

from evref.domain.access.key import Permission
from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.evidence import Certainty, Direction, Recommendation, ReferenceKind
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.vocabulary import DISCLAIMER

_SLUG = "^[a-z0-9]+(-[a-z0-9]+)*$"


def _slug(longest: int, description: str, *, example: str) -> fields.String:
    return _text(description, pattern=_SLUG, minLength=1, maxLength=longest, examples=[example])


def _text(
    description: str, *, nullable: bool = False, attribute: str | None = None, **keywords: Any
) -> fields.String:
    return fields.String(
        required=True,
        allow_none=nullable,
        attribute=attribute,
        metadata={"description": description, **keywords},
    )


def _one_of(kind: type[StrEnum], description: str, *, nullable: bool = False) -> fields.Enum[Any]:
    return fields.Enum(
        kind,
        by_value=True,
        required=True,
        allow_none=nullable,
        metadata={"type": "string", "description": description},
    )


def _status(status: HTTPStatus) -> fields.Integer:
    return fields.Integer(
        required=True,
        validate=validate.Equal(int(status)),
        metadata={"description": "The HTTP status."},
    )


def _codes(
    code: type[Icd10Code | Icd11Code], description: str, example: list[str]
) -> fields.List[str]:
    return fields.List(
        fields.String(metadata={"pattern": f"^{code.PATTERN}$"}),
        required=True,
        metadata={"description": description, "minItems": 1, "examples": [example]},
    )


class Record(Schema):
    """A record that may gain members in a later version, so the document leaves it open.

    The docstrings of its subclasses are their descriptions in the document.
    """

    class Meta:
        unknown = EXCLUDE

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        description = " ".join((cls.__doc__ or "").split())
        cls.Meta = type("Meta", (cls.Meta,), {"description": description})  # type: ignore[assignment, misc]


class DiagnosisSchema(Record):
    """A diagnosis with its codes and enabled modules."""

    id = _slug(
        Diagnosis.LONGEST_ID,
        "Identifies the diagnosis; stable for ever.",
        example="knee-osteoarthritis",
    )
    name = _text(
        "Display name in English.",
        minLength=1,
        maxLength=Diagnosis.LONGEST_NAME,
        examples=["Knee osteoarthritis"],
    )
    icd10_codes = _codes(Icd10Code, "Codes of WHO ICD-10 (2019).", ["M17"])
    icd11_codes = _codes(
        Icd11Code, "Codes of ICD-11 MMS: stem codes, or clusters with & and /.", ["FA01"]
    )
    enabled_modules = fields.List(
        fields.Enum(Module, by_value=True, metadata={"type": "string"}),
        required=True,
        # No uniqueItems: generators take it for a set, and lose the order.
        metadata={
            "description": "The modules that are shown for this diagnosis, each once, in their "
            "fixed order. May be empty.",
        },
    )
    checked_on = fields.Date(
        required=True,
        metadata={
            "description": "The day on which the entry was last held against its sources.",
            "examples": ["2026-11-21"],
        },
    )
    version = _text(
        "Changes when, and only when, something served for this diagnosis changes: its record, or "
        "any of its interventions. Fetch again just those whose version changed.",
        pattern="^[0-9a-f]{16}$",
        examples=["0123456789abcdef"],
    )

    def get_attribute(self, obj: Entry, attr: str, default: object) -> Any:  # noqa: ARG002
        """The version is the entry's; every other field is the diagnosis's."""
        return obj.version if attr == "version" else getattr(obj.diagnosis, attr)


class FittVpSchema(Record):
    """A dose of exercise by the six FITT-VP elements, and no others. An element is null where the
    source does not state it.
    """

    class Meta:
        unknown = RAISE

    frequency = _text("How often.", nullable=True, examples=["2 to 3 sessions a week"])
    intensity = _text("How hard.", nullable=True)
    time = _text("How long each time.", nullable=True)
    type = _text("Which kind of exercise.", nullable=True, examples=["Exercise in water"])
    volume = _text("How much in all.", nullable=True)
    progression = _text("How it increases.", nullable=True)


class EvidenceSchema(Record):
    """How certain the evidence is, what its source recommends, and what the sources say in all."""

    certainty = _one_of(Certainty, "GRADE certainty; not_graded where the source gives none.")
    recommendation = _one_of(
        Recommendation,
        "What the source recommends, and how strongly; not_stated where it recommends nothing.",
    )
    direction = _one_of(
        Direction,
        "What the sources say about using the intervention, also where no recommendation is "
        "stated. A recommendation for it goes with for, one against it with against.",
    )
    source_grade = _text(
        "The grade as the source words it; null where it gives none.",
        nullable=True,
        examples=["ACR/AF 2019: strongly recommended"],
    )


class ReferenceSchema(Record):
    """A published work that the intervention rests on."""

    title = _text("The published title.")
    authors = _text("The authors, shortened with “et al.” where there are many.")
    year = fields.Integer(
        required=True, metadata={"description": "Year of publication.", "examples": [2020]}
    )
    source = _text("The journal, or the issuing body.")
    kind = _one_of(ReferenceKind, "What kind of work it is.")
    doi = _text(
        "The DOI, without a resolver before it; null where there is none.",
        nullable=True,
        examples=["10.1002/art.41142"],
    )
    pmid = _text(
        "The PubMed number; null where there is none.", nullable=True, examples=["31908163"]
    )
    url = _text(
        "Where to read it. Always present: where the catalogue gives no address it is derived "
        "from the DOI, else from the PubMed number.",
        format="uri",
        examples=["https://doi.org/10.1002/art.41142"],
    )


class InterventionSchema(Record):
    """What a module holds for a diagnosis in one phase, with its evidence."""

    id = _slug(
        Intervention.LONGEST_ID,
        "Identifies the intervention; unique in the catalogue.",
        example="knee-osteoarthritis-aquatic-exercise",
    )
    diagnosis_id = _slug(
        Diagnosis.LONGEST_ID, "The diagnosis that it belongs to.", example="knee-osteoarthritis"
    )
    module = _one_of(Module, "The module that it belongs to.")
    phase = _one_of(Phase, "The phase that it belongs to.")
    title = _text("What it is, in short.", minLength=5, maxLength=120)
    summary = _text("What the sources say, in plain text.", minLength=80, maxLength=700)
    fitt_vp = fields.Nested(
        FittVpSchema,
        required=True,
        allow_none=True,
        metadata={"description": "The dose, for module fitt_vip; null for every other module."},
    )
    evidence = fields.Nested(EvidenceSchema, required=True)
    references = fields.List(
        fields.Nested(ReferenceSchema),
        required=True,
        metadata={"description": "The works that it rests on; at least one.", "minItems": 1},
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


class MatchSchema(Record):
    """How a code that was asked for was read, and what it found."""

    parameter = _text("The parameter that the code was given in.", attribute="code.CLASSIFICATION")
    given = _text("The code as it was given.", attribute="code.given", examples=["s72001a"])
    read_as = _text("The code as it was read.", attribute="code.read_as", examples=["S72.001A"])
    diagnosis_ids = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The ids of the diagnoses in data that it found, in their order; "
            "empty where it found none, or none that meets the other parameters too.",
            "examples": [["hip-fracture"]],
        },
    )


class DiagnosisListMetaSchema(ListMetaSchema):
    """What a list of diagnoses says about itself."""

    matches = fields.List(
        fields.Nested(MatchSchema),
        metadata={
            "description": "With icd10 or icd11: every code that was asked for, in the order "
            "asked. Absent without them."
        },
    )


class FiltersSchema(Record):
    """The filters that were applied; null where none was asked for."""

    module = _one_of(Module, "The module asked for.", nullable=True)
    phase = _one_of(Phase, "The phase asked for.", nullable=True)


class InterventionListMetaSchema(ListMetaSchema):
    """What a list of interventions says about itself."""

    diagnosis = fields.Nested(DiagnosisSchema, required=True)
    filters = fields.Nested(FiltersSchema, required=True)


class DiagnosisListSchema(Record):
    """Diagnoses, ordered by name, then id."""

    data = fields.List(
        fields.Nested(DiagnosisSchema),
        required=True,
        metadata={"description": "All that meet the request; empty where none does."},
    )
    meta = fields.Nested(DiagnosisListMetaSchema, required=True)


class DiagnosisAnswerSchema(Record):
    """One diagnosis."""

    data = fields.Nested(DiagnosisSchema, required=True)
    meta = fields.Nested(MetaSchema, required=True)


class InterventionListSchema(Record):
    """Interventions, ordered by module, phase (in their fixed order), title, then id."""

    data = fields.List(
        fields.Nested(InterventionSchema),
        required=True,
        metadata={"description": "All that meet the request; empty where none does."},
    )
    meta = fields.Nested(InterventionListMetaSchema, required=True)


class CatalogueEntrySchema(Record):
    """A diagnosis with its interventions, ordered as listInterventions has them."""

    diagnosis = fields.Nested(DiagnosisSchema, required=True)
    interventions = fields.List(
        fields.Nested(InterventionSchema),
        required=True,
        metadata={"description": "Those of its enabled modules."},
    )


class CatalogueSchema(Record):
    """All diagnoses with their interventions, ordered by name, then id."""

    data = fields.List(
        fields.Nested(CatalogueEntrySchema),
        required=True,
        metadata={"description": "A record for each diagnosis."},
    )
    meta = fields.Nested(ListMetaSchema, required=True)


class LimitSchema(Record):
    """What a key may do, and its requests on the current UTC day."""

    limit = fields.Integer(
        required=True, metadata={"description": "The daily request limit.", "minimum": 0}
    )
    remaining = fields.Integer(
        required=True,
        metadata={"description": "How many more requests will be answered today.", "minimum": 0},
    )
    used = fields.Integer(
        required=True,
        metadata={"description": "How many requests were answered today.", "minimum": 0},
    )
    refused = fields.Integer(
        required=True,
        metadata={"description": "How many were refused today with 429.", "minimum": 0},
    )
    resets_at = fields.DateTime(
        required=True,
        metadata={
            "description": "When the counts start anew: the next 00:00 UTC.",
            "examples": ["2026-11-22T00:00:00+00:00"],
        },
    )
    permission = fields.Enum(
        Permission,
        by_value=True,
        required=True,
        metadata={
            "type": "string",
            "description": "The key's permission level: read, or none, which gets 403 from all "
            "other operations.",
        },
    )
    expires_on = fields.Date(
        required=True,
        allow_none=True,
        metadata={
            "description": "The last day, in UTC, on which the key works; null if it does not "
            "expire.",
        },
    )


class LimitAnswerSchema(Record):
    """Where a key stands."""

    data = fields.Nested(LimitSchema, required=True)
    meta = fields.Nested(MetaSchema, required=True)


class ProblemSchema(Record):
    """Problem details (RFC 9457). Branch on the type, not on the texts, which are for people."""

    type = _text(
        "Identifies the kind of problem; the address of a page that explains it.", format="uri"
    )
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
    """Problem details for query parameters: every fault is listed."""

    status = _status(HTTPStatus.UNPROCESSABLE_ENTITY)
    errors = fields.List(
        fields.Nested(ParameterFaultSchema),
        required=True,
        metadata={"description": "Every fault of the query.", "minItems": 1},
    )


class QuotaExceededProblemSchema(ProblemSchema):
    """Problem details of the registered type quota-exceeded
    (draft-ietf-httpapi-ratelimit-headers).
    """

    status = _status(HTTPStatus.TOO_MANY_REQUESTS)
    violated_policies = fields.List(
        fields.String(),
        required=True,
        data_key="violated-policies",
        metadata={
            "description": "The names of the quota policies that the request violated, as in the "
            "field RateLimit-Policy.",
            "examples": [["daily"]],
        },
    )
