"""The records of the service, as far as the tools read them.

Members that a later version of the service adds are ignored.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Module = Literal["fitt_vip", "pharmaconeutral", "home", "concept", "prevention", "diagnostic"]
Phase = Literal["acute", "subacute", "chronic"]
Direction = Literal["for", "against", "unclear"]
Certainty = Literal["high", "moderate", "low", "very_low", "not_graded"]
Recommendation = Literal[
    "strong_for", "conditional_for", "conditional_against", "strong_against", "not_stated"
]
Group = Literal[
    "recommended", "to_consider", "supported", "advised_against", "no_benefit_found", "unclear"
]


class Name(BaseModel):
    """A diagnosis by id and name."""

    id: str
    name: str


class Review(BaseModel):
    """A clinician's review of an entry."""

    by: str
    on: str


class Diagnosis(Name):
    """A diagnosis with its codes; `reviewed` is None if no clinician has reviewed its entry."""

    icd10_codes: list[str]
    icd11_codes: list[str]
    enabled_modules: list[Module]
    checked_on: str
    reviewed: Review | None
    scope: str | None
    not_covered: str | None = None
    mainstays: list[str]


class Fit(BaseModel):
    """A diagnosis that a code found."""

    id: str
    relation: Literal["certain", "approximate"]


class Hit(BaseModel):
    """Why words found a diagnosis."""

    diagnosis_id: str
    matched: str
    language: str | None
    by: Literal["name", "term", "umbrella"]
    spelling_corrected: bool


class Narrower(BaseModel):
    """A diagnosis with codes below a code of the call."""

    id: str
    codes: list[str]


class Match(BaseModel):
    """What one code of the call found; `read_as` is None if it was not read."""

    parameter: Literal["icd10", "icd11", "snomed"]
    given: str
    read_as: str | None
    qualifier: str | None = None
    diagnoses: list[Fit]
    excluded_from: list[str]
    narrower: list[Narrower] = []
    error: str | None


class Dose(BaseModel):
    """A dose of exercise; None means only that the source does not state the element."""

    frequency: str | None
    intensity: str | None
    time: str | None
    type: str | None
    volume: str | None
    progression: str | None


class Evidence(BaseModel):
    """What the sources say about an intervention, and how sure they are."""

    direction: Direction
    recommendation: Recommendation
    certainty: Certainty
    source_grade: str | None
    source: str | None = None
    superseded: bool = False
    group: Group


class Reference(BaseModel):
    """A published work that supports an intervention."""

    model_config = ConfigDict(frozen=True)

    title: str
    year: int
    url: str


class Interval(BaseModel):
    """A 95 % interval."""

    low: float
    high: float


class Per1000(BaseModel):
    """Events in 1,000 people."""

    comparison: float
    intervention: float


class Effect(BaseModel):
    """What an intervention changed, in numbers; `reference` is the index of the one that says so.

    `favours` is neither if the interval contains the value of no effect, or is None.
    """

    outcome: str
    comparison: str
    measure: str
    estimate: float
    interval: Interval | None
    unit: str | None
    better: Literal["lower", "higher"]
    favours: Literal["intervention", "comparison", "neither"]
    per_1000: Per1000 | None
    studies: int | None
    participants: int | None
    certainty: Certainty
    reference: int


class Intervention(BaseModel):
    """An intervention with its evidence, effects and references."""

    id: str
    module: Module
    phase: Phase
    title: str
    summary: str
    cautions: str | None
    fitt_vp: Dose | None
    evidence: Evidence
    effects: list[Effect]
    references: list[Reference]


class FoundIntervention(Intervention):
    """An intervention that a search found, with its diagnosis."""

    diagnosis: Name
    matched_in: Literal["title", "summary"] | None
    matched: list[str]


class Meta(BaseModel):
    """What is said about every answer of the service."""

    catalogue_version: str
    disclaimer: str


class Piece(BaseModel):
    """Words of the call, and what they were read as; negated words have no meaning."""

    words: str
    read_as: str = Field(alias="as")
    meaning: str | None


class MetaOfQuestion(Meta):
    """How words were read, and which did not count; with codes, what each one found."""

    read: list[Piece] = []
    ignored: list[str] = []
    matches: list[Match] = []


class MetaOfDiagnoses(MetaOfQuestion):
    """With words, why a diagnosis was found, or which may be meant."""

    found: list[Hit] = []
    suggestions: list[dict[str, str]] = []


class MetaOfInterventions(Meta):
    """The diagnosis, which the list does not repeat."""

    diagnosis: Diagnosis


class MetaOfSearch(MetaOfQuestion):
    """`count` is the number of all that were found."""

    count: int


class DiagnosesBody(BaseModel):
    """The body of listDiagnoses."""

    data: list[Diagnosis]
    meta: MetaOfDiagnoses


class InterventionsBody(BaseModel):
    """The body of listInterventions."""

    data: list[Intervention]
    meta: MetaOfInterventions


class SearchBody(BaseModel):
    """The body of searchInterventions."""

    data: list[FoundIntervention]
    meta: MetaOfSearch
