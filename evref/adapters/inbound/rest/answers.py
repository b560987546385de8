"""The responses in JSON: resources in `data`, and their metadata in `meta`.

The classes declare what the API shows; values are read from the objects of the domain.
"""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, TypeAlias

from evref.adapters.inbound.rest.parameters import HIGHEST_OFFSET
from evref.adapters.inbound.rest.records import EXTENSIONS, Extension, Read
from evref.adapters.inbound.web.problems import ParameterFault
from evref.domain.access.key import Permission
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.catalogue.diagnosis import CodeText, Diagnosis, DiagnosisId, Module
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.matching import Narrower, Relation
from evref.domain.catalogue.publication import DiagnosisChange
from evref.domain.catalogue.record_code import MOST_VALUES, Classification, Qualifier
from evref.domain.catalogue.search.found import LONGEST_TEXT, MatchedBy, MatchedIn, Piece
from evref.domain.catalogue.search.lists import WIDER
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE, DISCLAIMER
from evref.domain.declaration import Example, Items, Line, Named, Pattern, Range

_Version: TypeAlias = Annotated[str, Pattern("[0-9a-f]{16}", "", longest=16)]


@dataclass(kw_only=True)
class Meta:
    """Metadata of every response."""

    catalogue_version: Annotated[
        _Version,
        "The version of the whole catalogue: changes if and only if the content of the served "
        "catalogue changes. That of one diagnosis is its version.",
        Example("0123456789abcdef"),
    ]
    licence: Annotated[
        str | None,
        "The address of the licence of the catalogue; null if the operator has named none.",
        {"format": "uri"},
        Example(BUNDLED_LICENCE),
    ]
    disclaimer: Annotated[
        str, "States that the data is educational and makes no decisions.", Example(DISCLAIMER)
    ]


@dataclass(kw_only=True)
class ListMeta(Meta):
    """Metadata of a list."""

    count: Annotated[int, "The number of items in data.", Range(0), Example(1)]


@dataclass(kw_only=True)
class PartMeta(Meta):
    """Metadata of a part of a list."""

    count: Annotated[int, "The number of all items that match the request.", Range(0), Example(3)]
    limit: Annotated[int, "The highest number of items in data.", Range(1, 100), Example(25)]
    offset: Annotated[
        int,
        "The number of matching items before the first item in data.",
        Range(0, HIGHEST_OFFSET),
        Example(0),
    ]


@dataclass
class Fit:
    """A diagnosis that a code finds, and how well the code fits it."""

    id: Annotated[
        DiagnosisId, "The id of the diagnosis.", Read("diagnosis_id"), Example("hip-fracture")
    ]
    relation: Annotated[Relation, "How well the code fits the diagnosis."]
    code: Annotated[
        CodeText,
        "The code of the catalogue, or the prefix of codes, that decided the match.",
        Example("S72.00"),
    ]


@dataclass
class Match:
    """How a code of the request was read, and the diagnoses that it finds."""

    parameter: Annotated[
        Classification, "The parameter that contains the code.", Read("code.classification")
    ]
    given: Annotated[str, "The code as requested.", Read("code.given"), Example("s72001a")]
    read_as: Annotated[
        str | None,
        "The code as the service read it, without marks and letters beside it; null if it could "
        "not be read. For a SNOMED CT code, its ICD-10 codes in the operator's map, or the "
        "code itself if the map contains none for it.",
        Read("code.read_as"),
        Example("S72.001A"),
    ]
    qualifier: Annotated[
        Qualifier | None,
        "What a letter beside the code says about the diagnosis; null if there is none.",
        Read("code.qualifier"),
    ]
    diagnosis_ids: Annotated[
        tuple[DiagnosisId, ...],
        "The ids of the diagnoses in data that the code finds, in their order; empty if it finds "
        "none, or none that also matches the other parameters.",
        Example(["hip-fracture"]),
    ]
    diagnoses: Annotated[
        tuple[Fit, ...], "The same diagnoses, with how well the code fits each.", Read("fits")
    ]
    excluded_from: Annotated[
        tuple[DiagnosisId, ...],
        "The ids of diagnoses whose codes include this code, although it means another condition.",
        Example(["anterior-cruciate-ligament-injury"]),
    ]
    narrower: Annotated[
        tuple[Narrower, ...],
        "If the code finds no diagnosis: the diagnoses with codes below it, which are not in data; "
        f"at most {MOST_VALUES}.",
        Items(most=MOST_VALUES),
    ]
    error: Annotated[
        str | None,
        "Why the code was not searched, and what is accepted; null if it was.",
        Read("code.error"),
        Example(None),
    ]


@dataclass
class Found:
    """Why a search found a diagnosis."""

    diagnosis_id: Annotated[DiagnosisId, "The id of the diagnosis.", Example("stroke")]
    matched: Annotated[str, "The name or term that matches.", Line(1, 120), Example("heart attack")]
    language: Annotated[
        str | None,
        "The language of the term (ISO 639-1); null for a word that is wider than one diagnosis.",
        Pattern("[a-z]{2}", "", longest=2),
        Example("en"),
    ]
    by: Annotated[
        MatchedBy,
        "Whether this is the name of the diagnosis, one of its terms, or (umbrella) a word that is "
        "wider than one diagnosis, such as stroke or knee pain.",
    ]
    spelling_corrected: Annotated[
        bool, "Whether it matches only after spelling errors were corrected.", Example(value=False)
    ]


@dataclass
class Umbrella:
    """A word that is wider than one diagnosis."""

    words: Annotated[str, "The word or words.", Read("text"), Example("knee pain")]
    kind: Annotated[str, "A family of diagnoses, or a complaint.", {"enum": WIDER}]


_Umbrella: TypeAlias = Annotated[
    Umbrella | None,
    "The umbrella term of q, such as stroke or knee pain: a word that is wider than one diagnosis "
    "and finds all of its diagnoses; null if q has none. "
    "Present only if the request has q.",
]
_Read: TypeAlias = Annotated[
    tuple[Piece, ...], "How q was read, in its order. Present only if the request has q."
]
_Ignored: TypeAlias = Annotated[
    tuple[Annotated[str, Line(1, LONGEST_TEXT)], ...],
    "Words of q that did not count. Present only if the request has q.",
    Example(["helmet"]),
]


_Matches: TypeAlias = Annotated[
    tuple[Match, ...],
    "Each requested code, in the order of the request. Present only if the request has codes.",
    Items(most=MOST_VALUES),
]


@dataclass
class Suggestion:
    """A diagnosis that may be meant."""

    diagnosis_id: Annotated[
        DiagnosisId, "The id of the diagnosis.", Example("coronary-heart-disease")
    ]
    name: Annotated[str, "Its name.", Line(1, 120), Example("Coronary heart disease")]
    term: Annotated[
        str,
        "The name or term that shares words with the request.",
        Line(1, 120),
        Example("heart disease"),
        Read("matched"),
    ]


@dataclass(kw_only=True)
class DiagnosisListMeta(ListMeta):
    """Metadata of a list of diagnoses."""

    found: Annotated[
        tuple[Found, ...],
        "Why each diagnosis in data was found, in the same order. Present only if the request has "
        "q.",
    ] = ()
    suggestions: Annotated[
        tuple[Suggestion, ...],
        "Up to three diagnoses that may be meant, if q by itself finds nothing. Present only if "
        "the request has q.",
        Items(most=3),
    ] = ()
    umbrella: _Umbrella = None
    read: _Read = ()
    ignored: _Ignored = ()
    matches: _Matches = ()


@dataclass
class DiagnosisList:
    """Diagnoses, ordered by name, then id."""

    data: Annotated[
        tuple[Diagnosis, ...], "All items that match the request; empty if no item matches."
    ]
    meta: DiagnosisListMeta


@dataclass
class DiagnosisAnswer:
    """One diagnosis."""

    data: Diagnosis
    meta: Meta


@dataclass
class Filters:
    """The filters that were applied; null for a filter that was not requested."""

    module: Annotated[Module | None, "The requested module."]
    phase: Annotated[Phase | None, "The requested phase."]


@dataclass(kw_only=True)
class InterventionListMeta(ListMeta):
    """Metadata of a list of interventions."""

    diagnosis: Diagnosis
    filters: Filters


@dataclass
class InterventionList:
    """Interventions, ordered by module, phase (in their fixed order), title, then id."""

    data: Annotated[
        tuple[Intervention, ...], "All items that match the request; empty if no item matches."
    ]
    meta: InterventionListMeta


@dataclass
class NamedDiagnosis:
    """The id and the name of a diagnosis."""

    id: Annotated[DiagnosisId, "Identifies the diagnosis.", Example("knee-osteoarthritis")]
    name: Annotated[str, "Display name in English.", Line(1, 120), Example("Knee osteoarthritis")]


@dataclass
class InterventionOfDiagnosis:
    """An intervention, with its diagnosis."""

    diagnosis: NamedDiagnosis


EXTENSIONS[InterventionOfDiagnosis] = Extension(
    Intervention, InterventionOfDiagnosis, within="intervention."
)


@dataclass
class InterventionAnswer:
    """One intervention."""

    data: InterventionOfDiagnosis
    meta: Meta


@dataclass
class FoundIntervention:
    """An intervention that was found, with its diagnosis."""

    diagnosis: NamedDiagnosis
    matched_in: Annotated[
        MatchedIn | None,
        "The texts that contain the words of the request; null if the request has only codes, or "
        "names only a diagnosis.",
        Read("hit.matched_in"),
    ]
    matched: Annotated[
        tuple[str, ...],
        "The words of the intervention that match q; if q names only a diagnosis, its name.",
        Read("hit.matched"),
        Example(["positive airway pressure"]),
    ]


EXTENSIONS[FoundIntervention] = Extension(
    Intervention, FoundIntervention, within="hit.intervention."
)


@dataclass(kw_only=True)
class FoundInterventionListMeta(PartMeta):
    """Metadata of interventions that were found."""

    read: _Read = ()
    ignored: _Ignored = ()
    umbrella: _Umbrella = None
    matches: _Matches = ()


@dataclass
class FoundInterventionList:
    """Interventions, the best match first; without q, by diagnosis in the order of its card."""

    data: Annotated[
        tuple[FoundIntervention, ...],
        "Up to `limit` interventions; empty if none matches the request.",
        Items(most=100),
    ]
    meta: FoundInterventionListMeta


@dataclass
class Change:
    """The changes in a publication."""

    catalogue_version: Annotated[
        _Version,
        "The version of the published catalogue.",
        Read("version"),
        Example("0123456789abcdef"),
    ]
    published_at: Annotated[
        datetime, "The time of the publication.", Example("2026-11-21T09:30:00+00:00")
    ]
    added: Annotated[
        tuple[DiagnosisId, ...],
        "The ids of added diagnoses.",
        Read("comparison.added"),
        Example(["asthma"]),
    ]
    removed: Annotated[
        tuple[DiagnosisId, ...],
        "The ids of removed diagnoses.",
        Read("comparison.removed"),
        Example([]),
    ]
    changed: Annotated[
        tuple[DiagnosisChange, ...], "The changed diagnoses.", Read("comparison.changed")
    ]


@dataclass
class ChangeList:
    """Publications, newest first."""

    data: Annotated[
        tuple[Change, ...], "Up to `limit` publications; empty if nothing changed.", Items(most=100)
    ]
    meta: PartMeta


@dataclass
class CatalogueEntry:
    """A diagnosis with its interventions, in the order of listInterventions."""

    diagnosis: Diagnosis
    interventions: Annotated[tuple[Intervention, ...], "The interventions of its enabled modules."]


@dataclass
class Catalogue:
    """All diagnoses with their interventions, ordered by name, then id."""

    data: Annotated[tuple[CatalogueEntry, ...], "An entry for each diagnosis."]
    meta: ListMeta


@dataclass
class Limit:
    """What a key may do, and its requests on the current UTC day."""

    limit: Annotated[int, "The daily request limit.", Range(0, HIGHEST_DAILY_LIMIT), Example(1000)]
    remaining: Annotated[
        int,
        "The number of requests that remain today.",
        Range(0, HIGHEST_DAILY_LIMIT),
        Example(998),
    ]
    used: Annotated[
        int,
        "The number of requests that were admitted today.",
        Range(0, HIGHEST_DAILY_LIMIT),
        Example(2),
    ]
    refused: Annotated[
        int, "The number of requests that were refused with 429 today.", Range(0), Example(0)
    ]
    resets_at: Annotated[
        datetime,
        "When the counts start again from zero: the next 00:00 UTC.",
        Example("2026-11-22T00:00:00+00:00"),
    ]
    permission: Annotated[
        Permission,
        "The key's permission: read or none. With none, all other operations return 403.",
        Example("read"),
    ]
    expires_on: Annotated[
        date | None,
        "The last day, in UTC, on which the key works; null if it does not expire.",
        Example("2027-11-21"),
    ]


@dataclass
class LimitAnswer:
    """A key's permission and its use today."""

    data: Limit
    meta: Meta


@dataclass(kw_only=True)
class Problem:
    """Problem details (RFC 9457). Branch on the type; the texts are for people and may change."""

    type: Annotated[
        str,
        "Identifies the problem type; the address of a page that explains it.",
        {"format": "uri"},
        Example("https://evref.example.org/problems/invalid-parameter"),
    ]
    title: Annotated[str, "A short summary of the problem type.", Example("Invalid parameter")]
    status: Annotated[int, "The HTTP status.", Range(400, 599), Example(422)]
    detail: Annotated[
        str,
        "An explanation of this occurrence.",
        Example("modul is not a parameter of this operation; allowed: module, phase"),
    ]
    instance: Annotated[str, "The request's path.", Example("/api/v1/diagnoses")]
    request_id: Annotated[
        str,
        "Identifies this request in the log of the service; also sent as X-Request-ID.",
        Line(1, 64),
        Example("5f0c6a1e9b7d4a52"),
    ]


@dataclass(kw_only=True)
class InvalidParameterProblem(Problem):
    """Problem details for query parameters, with every error in the query."""

    errors: Annotated[tuple[ParameterFault, ...], "Every error in the query.", Items(1)]


@dataclass(kw_only=True)
class RemovedProblem(Problem):
    """Problem details for a diagnosis or an intervention that was removed."""

    removed_on: Annotated[date, "The day of the removal, in UTC.", Example("2026-11-21")]


@dataclass(kw_only=True)
class QuotaExceededProblem(Problem):
    """Problem details of the registered type quota-exceeded
    (draft-ietf-httpapi-ratelimit-headers).
    """

    violated_policies: Annotated[
        tuple[str, ...],
        "The names of the quota policies that the request violated, as in the field "
        "RateLimit-Policy.",
        Named("violated-policies"),
        Example(["daily"]),
    ]
