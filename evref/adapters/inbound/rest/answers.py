"""The responses in JSON: resources in `data`, and their metadata in `meta`."""

from typing import Any

from apiflask import fields

from evref.adapters.inbound.rest.records import DiagnosisSchema, InterventionSchema, schema_of
from evref.adapters.inbound.rest.schema_fields import (
    Record,
    flag,
    instant,
    list_of,
    nested,
    number,
    one_of,
    text,
    texts,
)
from evref.domain.catalogue.diagnosis import ID_LENGTH, Module
from evref.domain.catalogue.evidence import Direction
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.matching import Relation
from evref.domain.catalogue.record_code import MOST_VALUES, Qualifier
from evref.domain.catalogue.search.found import MatchedBy, MatchedIn, ReadAs
from evref.domain.catalogue.search.lists import WIDER
from evref.domain.catalogue.served import Served
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE, DISCLAIMER
from evref.domain.rules import SLUG

_ALL = "All items that match the request; empty if no item matches."


def meta(served: Served, licence: str | None) -> dict[str, Any]:
    """Return the metadata of every response with data of what is served.

    `licence` is the address of the licence of catalogues other than the bundled one.
    """
    return {
        "catalogue_version": served.catalogue.version,
        "licence": served.licence(licence),
        "disclaimer": DISCLAIMER,
    }


class MetaSchema(Record):
    """Metadata of every response."""

    catalogue_version = text(
        "Changes if and only if the content of the served catalogue changes.",
        examples=["0123456789abcdef"],
    )
    licence = text(
        "The address of the licence of the catalogue; null if the operator has named none.",
        nullable=True,
        format="uri",
        examples=[BUNDLED_LICENCE],
    )
    disclaimer = text(
        "States that the data is educational and makes no decisions.", examples=[DISCLAIMER]
    )


class ListMetaSchema(MetaSchema):
    """Metadata of a list."""

    count = number("The number of items in data.", minimum=0)


class PartMetaSchema(MetaSchema):
    """Metadata of a part of a list."""

    count = number("The number of all items that match the request.", minimum=0)
    limit = number("The highest number of items in data.")
    offset = number("The number of matching items before the first item in data.", minimum=0)


class FitSchema(Record):
    """A diagnosis that a code finds, and how well the code fits it."""

    id = text("The id of the diagnosis.", attribute="diagnosis_id", examples=["hip-fracture"])
    relation = one_of(Relation, "How well the code fits the diagnosis.")
    code = text(
        "The code of the catalogue, or the prefix of codes, that decided the match.",
        examples=["S72.00"],
    )


class NarrowerSchema(Record):
    """A diagnosis with codes below a requested code."""

    id = text("The id of the diagnosis.", attribute="diagnosis_id", examples=["panic-disorder"])
    codes = texts("All of its codes below the requested code, in order.", examples=[["F41.0"]])


class MatchSchema(Record):
    """How a code of the request was read, and the diagnoses that it finds."""

    parameter = text("The parameter that contains the code.", attribute="code.classification")
    given = text("The code as requested.", attribute="code.given", examples=["s72001a"])
    read_as = text(
        "The code as the service read it, without marks and letters beside it; null if it could "
        "not be read. For a SNOMED CT code, its ICD-10 codes in the operator's map, or the "
        "code itself if the map contains none for it.",
        nullable=True,
        attribute="code.read_as",
        examples=["S72.001A"],
    )
    qualifier = one_of(
        Qualifier,
        "What a letter beside the code says about the diagnosis; null if there is none.",
        attribute="code.qualifier",
        allow_none=True,
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
    diagnoses = list_of(
        FitSchema, "The same diagnoses, with how well the code fits each.", attribute="fits"
    )
    excluded_from = texts(
        "The ids of diagnoses whose codes include this code, although it means another condition.",
        examples=[["anterior-cruciate-ligament-injury"]],
    )
    narrower = list_of(
        NarrowerSchema,
        "If the code finds no diagnosis: the diagnoses with codes below it, which are not in data; "
        f"at most {MOST_VALUES}.",
        maxItems=MOST_VALUES,
    )
    error = text(
        "Why the code was not searched, and what is accepted; null if it was.",
        nullable=True,
        attribute="code.error",
    )


class FoundSchema(Record):
    """Why a search found a diagnosis."""

    diagnosis_id = text("The id of the diagnosis.")
    matched = text("The name or term that matches.", examples=["heart attack"])
    language = text(
        "The language of the term (ISO 639-1); null for a word that is wider than one diagnosis.",
        nullable=True,
        examples=["en"],
    )
    by = one_of(
        MatchedBy,
        "Whether this is the name of the diagnosis, one of its terms, or (umbrella) a word that is "
        "wider than one diagnosis, such as stroke or knee pain.",
    )
    spelling_corrected = flag("Whether it matches only after spelling errors were corrected.")


class UmbrellaSchema(Record):
    """A word that is wider than one diagnosis."""

    words = text("The word or words.", attribute="text", examples=["knee pain"])
    kind = text("A family of diagnoses, or a complaint.", enum=[*WIDER])


class PieceSchema(Record):
    """Words of q, and what they were read as."""

    words = text("The words, as requested.", examples=["Kortison"])
    read_as = one_of(
        ReadAs,
        "What they were read as. `wider` is wider than one diagnosis, a `facet` only changes the "
        "order of the answers, and `absent` is a condition outside the catalogue.",
        data_key="as",
    )
    meaning = text(
        "What they mean in the catalogue's words; null if they are negated.",
        nullable=True,
        examples=["corticosteroid"],
    )


_READ = list_of(
    PieceSchema,
    "How q was read, in its order. Present only if the request has q.",
    required=False,
)
_UMBRELLA = (
    "The word of q that is wider than one diagnosis and finds all of its diagnoses, or null. "
    "Present only if the request has q."
)
_IGNORED = texts(
    "Words of q that did not count. Present only if the request has q.",
    required=False,
    examples=[["helmet"]],
)


class SuggestionSchema(Record):
    """A diagnosis that may be meant."""

    diagnosis_id = text("The id of the diagnosis.")
    name = text("Its name.", examples=["Coronary heart disease"])
    term = text("The name or term that shares words with the request.")


class DiagnosisListMetaSchema(ListMetaSchema):
    """Metadata of a list of diagnoses."""

    found = list_of(
        FoundSchema,
        "Why each diagnosis in data was found, in the same order. Present only if the request has "
        "q.",
        required=False,
    )
    suggestions = list_of(
        SuggestionSchema,
        "Up to three diagnoses that may be meant, if q by itself finds nothing. Present only if "
        "the request has q.",
        required=False,
        maxItems=3,
    )
    umbrella = nested(UmbrellaSchema, _UMBRELLA, required=False)
    read, ignored = _READ, _IGNORED
    matches = list_of(
        MatchSchema,
        "Each requested code, in the order of the request. Present only if the request has codes.",
        required=False,
    )


class DiagnosisListSchema(Record):
    """Diagnoses, ordered by name, then id."""

    data = list_of(DiagnosisSchema, _ALL)
    meta = nested(DiagnosisListMetaSchema)


class DiagnosisAnswerSchema(Record):
    """One diagnosis."""

    data = nested(DiagnosisSchema)
    meta = nested(MetaSchema)


class FiltersSchema(Record):
    """The filters that were applied; null for a filter that was not requested."""

    module = one_of(Module, "The requested module.", allow_none=True)
    phase = one_of(Phase, "The requested phase.", allow_none=True)


class InterventionListMetaSchema(ListMetaSchema):
    """Metadata of a list of interventions."""

    diagnosis = nested(DiagnosisSchema)
    filters = nested(FiltersSchema)


class InterventionListSchema(Record):
    """Interventions, ordered by module, phase (in their fixed order), title, then id."""

    data = list_of(InterventionSchema, _ALL)
    meta = nested(InterventionListMetaSchema)


class NamedDiagnosisSchema(Record):
    """The id and the name of a diagnosis."""

    id = text(
        "Identifies the diagnosis.",
        minLength=ID_LENGTH.shortest,
        maxLength=ID_LENGTH.longest,
        pattern=f"^{SLUG}$",
        examples=["knee-osteoarthritis"],
    )
    name = text("Display name in English.", examples=["Knee osteoarthritis"])


class _OfHit(Record):
    """An intervention that was found, with its diagnosis."""

    def get_attribute(self, obj: Any, attr: str, default: object) -> Any:
        """Read the fields of the intervention from the hit."""
        if attr == "diagnosis":
            return obj["diagnosis"]
        if attr in {"matched_in", "matched"}:
            return getattr(obj["hit"], attr)
        return super().get_attribute(obj["hit"].intervention, attr, default)


FoundInterventionSchema = schema_of(
    Intervention,
    _OfHit,
    name="FoundIntervention",
    diagnosis=nested(NamedDiagnosisSchema),
    matched_in=one_of(
        MatchedIn,
        "The texts that contain the words of the request; null if the request names only a "
        "diagnosis.",
        allow_none=True,
    ),
    matched=texts(
        "The words of the intervention that match the request; if the request names only a "
        "diagnosis, its name.",
        examples=[["positive airway pressure"]],
    ),
)


class FoundInterventionListMetaSchema(PartMetaSchema):
    """Metadata of interventions that were found."""

    read, ignored = _READ, _IGNORED
    umbrella = nested(UmbrellaSchema, _UMBRELLA, required=False)


class FoundInterventionListSchema(Record):
    """Interventions, the best match first."""

    data = list_of(
        FoundInterventionSchema, "Up to `limit` interventions; empty if none matches the request."
    )
    meta = nested(FoundInterventionListMetaSchema)


class TurnSchema(Record):
    """A change of direction."""

    before = one_of(Direction, "The earlier direction.", data_key="from")
    after = one_of(Direction, "The new direction.", data_key="to")


class InterventionChangeSchema(Record):
    """A changed intervention."""

    id = text("The id of the intervention.", examples=["knee-osteoarthritis-aquatic-exercise"])
    fields_ = texts(
        "The changed fields.",
        attribute="fields",
        data_key="fields",
        examples=[["evidence.recommendation", "summary"]],
    )
    direction = nested(TurnSchema, "Null if the direction did not change.")


class DiagnosisChangeSchema(Record):
    """A changed diagnosis. Interventions whose direction changed come first."""

    diagnosis_id = text("The id of the diagnosis.", examples=["knee-osteoarthritis"])
    record = flag("Whether the diagnosis itself changed, not only its interventions.")
    interventions_added = texts("The ids of its added interventions.")
    interventions_removed = texts("The ids of its removed interventions.")
    interventions_changed = list_of(InterventionChangeSchema, "Its changed interventions.")


class ChangeSchema(Record):
    """The changes in a publication."""

    catalogue_version = text(
        "The version of the published catalogue.",
        attribute="version",
        examples=["0123456789abcdef"],
    )
    published_at = instant("The time of the publication.")
    added = texts("The ids of added diagnoses.", attribute="comparison.added")
    removed = texts("The ids of removed diagnoses.", attribute="comparison.removed")
    changed = list_of(
        DiagnosisChangeSchema, "The changed diagnoses.", attribute="comparison.changed"
    )


class ChangeListSchema(Record):
    """Publications, newest first."""

    data = list_of(ChangeSchema, "Up to `limit` publications; empty if nothing changed.")
    meta = nested(PartMetaSchema)


class CatalogueEntrySchema(Record):
    """A diagnosis with its interventions, in the order of listInterventions."""

    diagnosis = nested(DiagnosisSchema)
    interventions = list_of(InterventionSchema, "The interventions of its enabled modules.")


class CatalogueSchema(Record):
    """All diagnoses with their interventions, ordered by name, then id."""

    data = list_of(CatalogueEntrySchema, "An entry for each diagnosis.")
    meta = nested(ListMetaSchema)
