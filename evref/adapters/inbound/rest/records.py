"""The records of the catalogue in JSON."""

from dataclasses import dataclass
from typing import Any

from apiflask import fields
from marshmallow import RAISE

from evref.adapters.inbound.rest.schema_fields import (
    Record,
    day,
    decimal,
    many,
    number,
    one,
    one_of,
    slug,
    text,
    texts,
)
from evref.domain.catalogue import bounds
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.effect import Better, Favours, Measure
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Certainty, Direction, Recommendation, ReferenceKind
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.catalogue.intervention import Phase


def _codes(code: type[Icd10Code | Icd11Code], description: str, example: str) -> fields.List[Any]:
    kind = fields.String(metadata={"pattern": f"^{code.PATTERN}$"})
    return texts(description, kind, minItems=1, examples=[[example]])


class _Terms(fields.Dict):
    """Names by language, sent as they are: a list has thousands, and the domain checked each."""

    def _serialize(self, value: Any, *_: Any, **__: Any) -> Any:
        return value


class ReviewSchema(Record):
    """A clinician's review of an entry."""

    by = text("Name and profession.", length=bounds.REVIEWER)
    on = day("The day of the review.")


@dataclass(frozen=True, slots=True)
class WithInterventions:
    """An entry whose record is to have its interventions."""

    entry: Entry


class DiagnosisSchema(Record):
    """A diagnosis with its codes and enabled modules."""

    id = slug(
        bounds.DIAGNOSIS_ID,
        "Identifies the diagnosis. Never changes.",
        example="knee-osteoarthritis",
    )
    name = text(
        "Display name in English.",
        length=bounds.DIAGNOSIS_NAME,
        examples=["Knee osteoarthritis"],
    )
    icd10_codes = _codes(Icd10Code, "Codes of WHO ICD-10 (2019).", "M17")
    icd11_codes = _codes(
        Icd11Code, "Codes of ICD-11 MMS: stem codes, or clusters with & and /.", "FA01"
    )
    terms = _Terms(
        keys=fields.String(),
        values=fields.List(fields.String()),
        required=True,
        metadata={
            "description": "Other names by language (ISO 639-1): synonyms, lay names and "
            "abbreviations. Outside English, the first is the preferred name. May be empty.",
            "examples": [{"en": ["gonarthrosis"], "de": ["Gonarthrose", "Kniearthrose"]}],
        },
    )
    broader_codes = texts("The codes above that also mean other conditions. May be empty.")
    scope = text(
        "What the entry covers and leaves out; null if it does not say.",
        nullable=True,
        length=bounds.SCOPE,
        examples=[
            "Conservative care and referral for surgery; the operation itself is not covered."
        ],
    )
    mainstays = texts(
        "The ids of the interventions that the cited guidelines put first, in this order. Each is "
        "visible and strongly recommended. May be empty.",
        maxItems=bounds.MOST_MAINSTAYS,
        examples=[["knee-osteoarthritis-land-based-exercise"]],
    )
    # Without uniqueItems: generators turn it into a set, which loses the order.
    enabled_modules = texts(
        "The modules available for this diagnosis, without duplicates, in their fixed order. May "
        "be empty.",
        fields.Enum(Module, by_value=True, metadata={"type": "string"}),
    )
    checked_on = day(
        "The day on which the entry was last checked against its sources.", examples=["2026-11-21"]
    )
    reviewed = one(ReviewSchema, "A clinician's review of the entry; null if there was none.")
    version = text(
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

    frequency = text("How often.", nullable=True, examples=["2 to 3 sessions a week"])
    intensity = text("How hard.", nullable=True)
    time = text("How long each time.", nullable=True)
    type = text("What kind of exercise.", nullable=True, examples=["Exercise in water"])
    volume = text("How much in all.", nullable=True)
    progression = text("How it increases.", nullable=True)


class EvidenceSchema(Record):
    """The certainty of the evidence, the recommendation, and the direction of the sources."""

    certainty = one_of(Certainty, "GRADE certainty; not_graded if the source states none.")
    recommendation = one_of(
        Recommendation,
        "What the source recommends, and how strongly; not_stated if no recommendation was seen, "
        "or if guidelines contradict each other.",
    )
    direction = one_of(
        Direction,
        "What the sources say about using the intervention, even without a recommendation. "
        "It agrees with the direction of the recommendation, if there is one.",
    )
    source_grade = text(
        "The grade in the words of the source; null if it gives none.",
        nullable=True,
        examples=["ACR/AF 2019: strongly recommended"],
    )


class ReferenceSchema(Record):
    """A publication that supports the intervention."""

    title = text("The published title.")
    authors = text("The authors, shortened with “et al.” if there are many.")
    year = number("Year of publication.", examples=[2020])
    source = text("The journal, or the issuing body.")
    kind = one_of(ReferenceKind, "The kind of publication.")
    doi = text(
        "The DOI, without a resolver; null if there is none.",
        nullable=True,
        examples=["10.1002/art.41142"],
    )
    pmid = text("The PubMed id; null if there is none.", nullable=True, examples=["31908163"])
    url = text(
        "The address of the publication. Always present: if the catalogue has none, the address is "
        "derived from the DOI, or else from the PubMed id.",
        format="uri",
        examples=["https://doi.org/10.1002/art.41142"],
    )


class IntervalSchema(Record):
    """A 95 % confidence interval."""

    low = decimal("The lower end.", examples=[-0.59])
    high = decimal("The higher end.", examples=[-0.39])


class Per1000Schema(Record):
    """Events in 1,000 people."""

    comparison = decimal("Without the intervention.", minimum=0, maximum=1000, examples=[162])
    intervention = decimal("With the intervention.", minimum=0, maximum=1000, examples=[114])


class EffectSchema(Record):
    """What an intervention changed, in numbers, as one of its references reports it."""

    outcome = text(
        "What was measured.", length=bounds.OUTCOME, examples=["Pain at the end of treatment"]
    )
    comparison = text(
        "What the intervention was compared with.",
        length=bounds.COMPARISON,
        examples=["no exercise"],
    )
    measure = one_of(Measure, "How the effect is measured.")
    estimate = decimal("The estimate, as the reference prints it.", examples=[-0.49])
    interval = one(
        IntervalSchema, "The 95 % confidence interval; null if the reference states none."
    )
    unit = text(
        "The unit of a mean difference or risk difference; null for other measures.",
        nullable=True,
        length=bounds.UNIT,
        examples=["points of 100"],
    )
    better = one_of(Better, "Which values are good for the person.")
    favours = one_of(
        Favours,
        "Which side the effect favours; neither if the interval contains the value of no effect "
        "(1 for ratios, 0 for differences) or is null.",
    )
    per_1000 = one(
        Per1000Schema,
        "Events in 1,000 people with and without the intervention; null if the reference does "
        "not state both.",
    )
    studies = number("The number of studies; null if not stated.", nullable=True, minimum=1)
    participants = number("The number of people; null if not stated.", nullable=True, minimum=1)
    certainty = one_of(
        Certainty, "GRADE certainty of this outcome; not_graded if the source states none."
    )
    reference = number(
        "The index, in the references of the intervention, of the one that reports the effect.",
        minimum=0,
    )


class InterventionSchema(Record):
    """An intervention for a diagnosis, in one module and one phase, with its evidence."""

    id = slug(
        bounds.INTERVENTION_ID,
        "Identifies the intervention; unique in the catalogue.",
        example="knee-osteoarthritis-aquatic-exercise",
    )
    diagnosis_id = slug(
        bounds.DIAGNOSIS_ID,
        "The diagnosis that the intervention belongs to.",
        example="knee-osteoarthritis",
    )
    module = one_of(Module, "The module that the intervention belongs to.")
    phase = one_of(Phase, "The phase that the intervention belongs to.")
    title = text("The name of the intervention.", length=bounds.INTERVENTION_TITLE)
    summary = text("What the sources say, in plain text.", length=bounds.SUMMARY)
    cautions = text(
        "The most serious thing to weigh before use, as published: a regulator's warning, a "
        "contraindication, pregnancy. Null if the entry has none, which does not mean that there "
        "is nothing to weigh.",
        nullable=True,
        length=bounds.CAUTIONS,
    )
    fitt_vp = one(FittVpSchema, "The dose, for module fitt_vip; null for every other module.")
    evidence = one(EvidenceSchema)
    effects = many(
        EffectSchema,
        "What the intervention changed, in numbers; empty if no figures are known, which does not "
        "mean that it has no effect.",
        maxItems=bounds.MOST_EFFECTS,
    )
    references = many(
        ReferenceSchema, "The publications that support it; at least one.", minItems=1
    )
