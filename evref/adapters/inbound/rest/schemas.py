"""The JSON of responses. The OpenAPI document describes records by these schemas."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from apiflask import Schema, fields
from marshmallow import EXCLUDE, RAISE, validate

from evref.domain.access.permission import Permission
from evref.domain.catalogue import bounds
from evref.domain.catalogue.catalogue import Entry
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import Certainty, Direction, Recommendation, ReferenceKind
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.matching import Relation
from evref.domain.catalogue.search.interventions import MatchedIn
from evref.domain.catalogue.search.names import MatchedBy
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE, DISCLAIMER
from evref.domain.rules import SLUG, Length


def _slug(length: Length, description: str, *, example: str) -> fields.String:
    return _text(description, length=length, pattern=f"^{SLUG}$", examples=[example])


def _text(
    description: str,
    *,
    nullable: bool = False,
    attribute: str | None = None,
    length: Length | None = None,
    **keywords: Any,
) -> fields.String:
    if length is not None:
        keywords = {"minLength": length.shortest, "maxLength": length.longest, **keywords}
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


def _ids(description: str, attribute: str | None = None) -> fields.List[str]:
    return fields.List(
        fields.String(),
        required=True,
        attribute=attribute,
        metadata={"description": description},
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
    """A record that may gain fields in a later version.

    The docstrings of subclasses become their descriptions in the OpenAPI document.
    """

    class Meta:
        unknown = EXCLUDE

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        description = " ".join((cls.__doc__ or "").split())
        cls.Meta = type("Meta", (cls.Meta,), {"description": description})  # type: ignore[assignment, misc]


class ReviewSchema(Record):
    """A clinician's review of an entry."""

    by = _text("Name and profession.", length=bounds.REVIEWER)
    on = fields.Date(required=True, metadata={"description": "The day of the review."})


@dataclass(frozen=True, slots=True)
class WithInterventions:
    """An entry whose record is to have its interventions."""

    entry: Entry


class DiagnosisSchema(Record):
    """A diagnosis with its codes and enabled modules."""

    id = _slug(
        bounds.DIAGNOSIS_ID,
        "Identifies the diagnosis. Never changes.",
        example="knee-osteoarthritis",
    )
    name = _text(
        "Display name in English.",
        length=bounds.DIAGNOSIS_NAME,
        examples=["Knee osteoarthritis"],
    )
    icd10_codes = _codes(Icd10Code, "Codes of WHO ICD-10 (2019).", ["M17"])
    icd11_codes = _codes(
        Icd11Code, "Codes of ICD-11 MMS: stem codes, or clusters with & and /.", ["FA01"]
    )
    terms = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        required=True,
        metadata={
            "description": "Other names by language (ISO 639-1): synonyms, lay names and "
            "abbreviations. Outside English, the first is the preferred name. May be empty.",
            "examples": [{"en": ["gonarthrosis"], "de": ["Gonarthrose", "Kniearthrose"]}],
        },
    )
    broader_codes = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "Those of the codes above that also mean other conditions. May be "
            "empty.",
        },
    )
    enabled_modules = fields.List(
        fields.Enum(Module, by_value=True, metadata={"type": "string"}),
        required=True,
        # Without uniqueItems: generators turn it into a set, which loses the order.
        metadata={
            "description": "The modules available for this diagnosis, without duplicates, in their "
            "fixed order. May be empty.",
        },
    )
    checked_on = fields.Date(
        required=True,
        metadata={
            "description": "The day on which the entry was last checked against its sources.",
            "examples": ["2026-11-21"],
        },
    )
    reviewed = fields.Nested(
        ReviewSchema,
        required=True,
        allow_none=True,
        metadata={"description": "A clinician's review of the entry; null if there was none."},
    )
    version = _text(
        "Changes if and only if the diagnosis or any of its interventions changes. Fetch only the "
        "diagnoses whose version changed.",
        pattern="^[0-9a-f]{16}$",
        examples=["0123456789abcdef"],
    )

    interventions = fields.List(
        fields.Nested("InterventionSchema"),
        metadata={
            "description": "All visible interventions, as listInterventions returns them. Present "
            "only with include=interventions."
        },
    )

    def get_attribute(self, obj: Entry | WithInterventions, attr: str, default: object) -> Any:
        """Read most fields from the diagnosis of an entry."""
        entry = obj.entry if isinstance(obj, WithInterventions) else obj
        if attr == "interventions":
            return default if obj is entry else entry.visible_interventions()
        return entry.version if attr == "version" else getattr(entry.diagnosis, attr)


class FittVpSchema(Record):
    """A dose of exercise by the six FITT-VP elements, without others. An element is null if the
    source does not state it.
    """

    class Meta:
        unknown = RAISE

    frequency = _text("How often.", nullable=True, examples=["2 to 3 sessions a week"])
    intensity = _text("How hard.", nullable=True)
    time = _text("How long each time.", nullable=True)
    type = _text("What kind of exercise.", nullable=True, examples=["Exercise in water"])
    volume = _text("How much in all.", nullable=True)
    progression = _text("How it increases.", nullable=True)


class EvidenceSchema(Record):
    """The certainty of the evidence, the recommendation, and the direction of the sources."""

    certainty = _one_of(Certainty, "GRADE certainty; not_graded if the source states none.")
    recommendation = _one_of(
        Recommendation,
        "What the source recommends, and how strongly; not_stated if no graded recommendation "
        "was seen in it.",
    )
    direction = _one_of(
        Direction,
        "What the sources say about using the intervention, even without a recommendation. "
        "It agrees with the direction of the recommendation, if there is one.",
    )
    source_grade = _text(
        "The grade in the words of the source; null if it gives none.",
        nullable=True,
        examples=["ACR/AF 2019: strongly recommended"],
    )


class ReferenceSchema(Record):
    """A publication that supports the intervention."""

    title = _text("The published title.")
    authors = _text("The authors, shortened with “et al.” if there are many.")
    year = fields.Integer(
        required=True, metadata={"description": "Year of publication.", "examples": [2020]}
    )
    source = _text("The journal, or the issuing body.")
    kind = _one_of(ReferenceKind, "The kind of publication.")
    doi = _text(
        "The DOI, without a resolver; null if there is none.",
        nullable=True,
        examples=["10.1002/art.41142"],
    )
    pmid = _text("The PubMed id; null if there is none.", nullable=True, examples=["31908163"])
    url = _text(
        "The address of the publication. Always present: if the catalogue has none, the address is "
        "derived from the DOI, or else from the PubMed id.",
        format="uri",
        examples=["https://doi.org/10.1002/art.41142"],
    )


class InterventionSchema(Record):
    """An intervention for a diagnosis, in one module and one phase, with its evidence."""

    id = _slug(
        bounds.INTERVENTION_ID,
        "Identifies the intervention; unique in the catalogue.",
        example="knee-osteoarthritis-aquatic-exercise",
    )
    diagnosis_id = _slug(
        bounds.DIAGNOSIS_ID,
        "The diagnosis that the intervention belongs to.",
        example="knee-osteoarthritis",
    )
    module = _one_of(Module, "The module that the intervention belongs to.")
    phase = _one_of(Phase, "The phase that the intervention belongs to.")
    title = _text("The name of the intervention.", length=bounds.INTERVENTION_TITLE)
    summary = _text("What the sources say, in plain text.", length=bounds.SUMMARY)
    cautions = _text(
        "The most serious thing to weigh before use, as published: a regulator's warning, a "
        "contraindication, pregnancy. Null if the entry has none, which does not mean that there "
        "is nothing to weigh.",
        nullable=True,
        length=bounds.CAUTIONS,
    )
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
        metadata={"description": "The publications that support it; at least one.", "minItems": 1},
    )


class MetaSchema(Record):
    """Metadata of every response."""

    catalogue_version = _text(
        "Changes if and only if the content of the served catalogue changes.",
        examples=["0123456789abcdef"],
    )
    licence = _text(
        "The address of the licence of the catalogue; null if the operator has named none.",
        nullable=True,
        format="uri",
        examples=[BUNDLED_LICENCE],
    )
    disclaimer = _text(
        "States that the data is educational and makes no decisions.", examples=[DISCLAIMER]
    )


class ListMetaSchema(MetaSchema):
    """Metadata of a list."""

    count = fields.Integer(
        required=True, metadata={"description": "The number of records in data.", "minimum": 0}
    )


class FitSchema(Record):
    """A diagnosis that a code finds, and how well the code fits it."""

    id = _text("The id of the diagnosis.", attribute="diagnosis_id", examples=["hip-fracture"])
    relation = _one_of(Relation, "How well the code fits the diagnosis.")
    code = _text(
        "The code of the catalogue, or the prefix of codes, that decided.", examples=["S72.00"]
    )


class MatchSchema(Record):
    """How a code of the request was read, and the diagnoses that it finds."""

    parameter = _text("The parameter that contains the code.", attribute="code.classification")
    given = _text("The code as requested.", attribute="code.given", examples=["s72001a"])
    read_as = _text(
        "The code as the service read it, without marks and letters beside it; null if it could "
        "not be read.",
        nullable=True,
        attribute="code.read_as",
        examples=["S72.001A"],
    )
    diagnosis_ids = fields.Function(
        lambda match: [fit.diagnosis_id for fit in match.fits],
        required=True,
        metadata={
            "type": "array",
            "items": {"type": "string"},
            "description": "The ids of the diagnoses in data that the code finds, in their order; "
            "empty if it finds none, or none that also matches the other parameters.",
            "examples": [["hip-fracture"]],
        },
    )
    diagnoses = fields.List(
        fields.Nested(FitSchema),
        required=True,
        attribute="fits",
        metadata={"description": "The same diagnoses, with how well the code fits each."},
    )
    excluded_from = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The ids of diagnoses that the code does not mean, although it is below "
            "one of their codes: it means another condition.",
            "examples": [["anterior-cruciate-ligament-injury"]],
        },
    )
    error = _text(
        "Why the code was not searched, and what is accepted; null if it was.",
        nullable=True,
        attribute="code.error",
    )


class FoundSchema(Record):
    """Why a search found a diagnosis."""

    diagnosis_id = fields.String(
        required=True, metadata={"description": "The id of the diagnosis."}
    )
    matched = _text("The name or term that matches.", examples=["heart attack"])
    language = _text("The language of the term (ISO 639-1).", examples=["en"])
    by = _one_of(MatchedBy, "Whether this is the name of the diagnosis or one of its terms.")
    spelling_corrected = fields.Boolean(
        required=True,
        metadata={"description": "Whether it matches only after slips of spelling were corrected."},
    )


class SuggestionSchema(Record):
    """A diagnosis that may be meant."""

    diagnosis_id = fields.String(
        required=True, metadata={"description": "The id of the diagnosis."}
    )
    name = _text("Its name.", examples=["Coronary heart disease"])
    term = _text("The name or term that shares words with the request.")


class DiagnosisListMetaSchema(ListMetaSchema):
    """Metadata of a list of diagnoses."""

    found = fields.List(
        fields.Nested(FoundSchema),
        metadata={
            "description": "Why each record of data was found, in their order. Present only if "
            "the request has q."
        },
    )
    suggestions = fields.List(
        fields.Nested(SuggestionSchema),
        metadata={
            "description": "If q by itself finds nothing: up to three diagnoses that may be meant. "
            "Present only if the request has q.",
            "maxItems": 3,
        },
    )

    matches = fields.List(
        fields.Nested(MatchSchema),
        metadata={
            "description": "Each requested code, in the order of the request. Present only if the "
            "request has icd10 or icd11."
        },
    )


class FiltersSchema(Record):
    """The filters that were applied; null for a filter that was not requested."""

    module = _one_of(Module, "The requested module.", nullable=True)
    phase = _one_of(Phase, "The requested phase.", nullable=True)


class InterventionListMetaSchema(ListMetaSchema):
    """Metadata of a list of interventions."""

    diagnosis = fields.Nested(DiagnosisSchema, required=True)
    filters = fields.Nested(FiltersSchema, required=True)


class DiagnosisListSchema(Record):
    """Diagnoses, ordered by name, then id."""

    data = fields.List(
        fields.Nested(DiagnosisSchema),
        required=True,
        metadata={"description": "All records that match the request; empty if none does."},
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
        metadata={"description": "All records that match the request; empty if none does."},
    )
    meta = fields.Nested(InterventionListMetaSchema, required=True)


class NamedDiagnosisSchema(Record):
    """The id and the name of a diagnosis."""

    id = _slug(bounds.DIAGNOSIS_ID, "Identifies the diagnosis.", example="knee-osteoarthritis")
    name = _text("Display name in English.", examples=["Knee osteoarthritis"])


class FoundInterventionSchema(InterventionSchema):
    """An intervention that was found, with its diagnosis."""

    diagnosis = fields.Nested(NamedDiagnosisSchema, required=True)
    matched_in = _one_of(MatchedIn, "Where the words of the request are.")

    def get_attribute(self, obj: Any, attr: str, default: object) -> Any:
        """Read the fields of the intervention from the hit."""
        if attr == "diagnosis":
            return obj["diagnosis"]
        if attr == "matched_in":
            return obj["hit"].matched_in
        return super().get_attribute(obj["hit"].intervention, attr, default)


class PartMetaSchema(MetaSchema):
    """Metadata of a part of a list."""

    count = fields.Integer(
        required=True,
        metadata={"description": "The number of all records that match the request.", "minimum": 0},
    )
    limit = fields.Integer(
        required=True, metadata={"description": "The highest number of records in data."}
    )
    offset = fields.Integer(
        required=True,
        metadata={"description": "The number of records before those in data.", "minimum": 0},
    )


class FoundInterventionListSchema(Record):
    """Interventions, the best match first."""

    data = fields.List(
        fields.Nested(FoundInterventionSchema),
        required=True,
        metadata={"description": "Up to `limit` records; empty if none matches the request."},
    )
    meta = fields.Nested(PartMetaSchema, required=True)


class TurnSchema(Record):
    """A change of direction."""

    before = fields.Enum(
        Direction,
        by_value=True,
        required=True,
        data_key="from",
        metadata={"type": "string", "description": "The direction before."},
    )
    after = fields.Enum(
        Direction,
        by_value=True,
        required=True,
        data_key="to",
        metadata={"type": "string", "description": "The direction now."},
    )


class InterventionChangeSchema(Record):
    """A changed intervention."""

    id = _text("The id of the intervention.", examples=["knee-osteoarthritis-aquatic-exercise"])
    fields_ = fields.List(
        fields.String(),
        required=True,
        attribute="fields",
        data_key="fields",
        metadata={
            "description": "The changed fields of its record.",
            "examples": [["evidence.recommendation", "summary"]],
        },
    )
    direction = fields.Nested(
        TurnSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Null if the direction is the same."},
    )


class DiagnosisChangeSchema(Record):
    """A changed diagnosis. What changed direction comes first."""

    diagnosis_id = _text("The id of the diagnosis.", examples=["knee-osteoarthritis"])
    record = fields.Boolean(
        required=True,
        metadata={"description": "Whether anything but its interventions changed."},
    )
    interventions_added = _ids("The ids of its added interventions.")
    interventions_removed = _ids("The ids of its removed interventions.")
    interventions_changed = fields.List(
        fields.Nested(InterventionChangeSchema),
        required=True,
        metadata={"description": "Its changed interventions."},
    )


class ChangeSchema(Record):
    """What a publication changed."""

    catalogue_version = _text(
        "The version of the published catalogue.",
        attribute="version",
        examples=["0123456789abcdef"],
    )
    published_at = fields.DateTime(
        required=True, metadata={"description": "The time of the publication."}
    )
    added = _ids("The ids of added diagnoses.", "comparison.added")
    removed = _ids("The ids of removed diagnoses.", "comparison.removed")
    changed = fields.List(
        fields.Nested(DiagnosisChangeSchema),
        required=True,
        attribute="comparison.changed",
        metadata={"description": "The changed diagnoses."},
    )


class ChangeListSchema(Record):
    """Publications, newest first."""

    data = fields.List(
        fields.Nested(ChangeSchema),
        required=True,
        metadata={"description": "Up to `limit` records; empty if nothing changed."},
    )
    meta = fields.Nested(PartMetaSchema, required=True)


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
            "description": "The key's permission: read, or none, which gets 403 from all "
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
    """A key's permission and its use today."""

    data = fields.Nested(LimitSchema, required=True)
    meta = fields.Nested(MetaSchema, required=True)


class ProblemSchema(Record):
    """Problem details (RFC 9457). Branch on the type; the texts are for people and may change."""

    type = _text(
        "Identifies the problem type; the address of a page that explains it.", format="uri"
    )
    title = _text("A short summary of the problem type.")
    status = fields.Integer(required=True, metadata={"description": "The HTTP status."})
    detail = _text("An explanation of this occurrence.")
    instance = _text("The request's path.")
    request_id = _text(
        "Identifies this request in the log of the service; also sent as X-Request-ID."
    )


class ParameterFaultSchema(Record):
    """An error in a query parameter."""

    parameter = _text("The parameter's name.")
    message = _text("What is wrong with it.")
    allowed = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The allowed values, or a description of them."},
    )


class InvalidParameterProblemSchema(ProblemSchema):
    """Problem details for query parameters, with every error in the query."""

    status = _status(HTTPStatus.UNPROCESSABLE_ENTITY)
    errors = fields.List(
        fields.Nested(ParameterFaultSchema),
        required=True,
        metadata={"description": "Every error in the query.", "minItems": 1},
    )


class RemovedDiagnosisProblemSchema(ProblemSchema):
    """Problem details for a diagnosis that was removed."""

    status = _status(HTTPStatus.GONE)
    removed_on = fields.Date(
        required=True, metadata={"description": "The day of the removal, in UTC."}
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
