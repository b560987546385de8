"""The records of the service, and the structured answers of the tools.

The descriptions are part of the tools' output schemas, so they are written for an assistant.
Members that a later version of the service adds are ignored.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

Module = Literal["fitt_vip", "pharmaconeutral", "home", "concept", "prevention", "diagnostic"]
Phase = Literal["acute", "subacute", "chronic"]


class Diagnosis(BaseModel):
    """A diagnosis with its codes."""

    id: Annotated[str, Field(description="The argument diagnosis_id of list_interventions.")]
    name: str
    icd10_codes: Annotated[list[str], Field(description="Codes of WHO's ICD-10.")]
    icd11_codes: Annotated[list[str], Field(description="Codes of WHO's ICD-11 MMS.")]
    enabled_modules: Annotated[
        list[Module], Field(description="The modules that have interventions for it.")
    ]
    checked_on: Annotated[
        str, Field(description="The day on which it was last checked against its sources.")
    ]
    version: str


class Fit(BaseModel):
    """A diagnosis that a code found."""

    id: str
    relation: Annotated[
        Literal["certain", "approximate"],
        Field(description="approximate: this code also means other conditions."),
    ]
    code: Annotated[str, Field(description="The code of the catalogue that decided.")]


class Match(BaseModel):
    """What one code of the call found."""

    parameter: Literal["icd10", "icd11"]
    given: Annotated[str, Field(description="The code as given.")]
    read_as: Annotated[str | None, Field(description="How it was read; null if it was not.")]
    diagnosis_ids: Annotated[
        list[str], Field(description="Empty if the catalogue has no diagnosis for the code.")
    ]
    diagnoses: list[Fit]
    excluded_from: Annotated[
        list[str], Field(description="Ids of diagnoses that the code does not mean.")
    ]
    error: Annotated[str | None, Field(description="Why it was not searched; null if it was.")]


class Dose(BaseModel):
    """A dose of exercise; null means only that the source does not state the element."""

    frequency: str | None
    intensity: str | None
    time: str | None
    type: str | None
    volume: str | None
    progression: str | None


class Evidence(BaseModel):
    """What the sources say about an intervention, and how sure they are."""

    direction: Annotated[
        Literal["for", "against", "unclear"],
        Field(
            description="What the sources say about using the intervention. A title never says it: "
            "always give it together with the title."
        ),
    ]
    certainty: Annotated[
        Literal["high", "moderate", "low", "very_low", "not_graded"],
        Field(description="GRADE certainty; not_graded is not a low grade."),
    ]
    recommendation: Annotated[
        Literal[
            "strong_for",
            "conditional_for",
            "conditional_against",
            "strong_against",
            "not_stated",
        ],
        Field(description="What the source recommends, and how strongly."),
    ]
    source_grade: Annotated[
        str | None, Field(description="The grade in the words of the source; null if none.")
    ]


class Reference(BaseModel):
    """A published work that supports an intervention."""

    title: str
    authors: str
    year: int
    source: str
    kind: Literal[
        "guideline",
        "systematic_review",
        "randomised_trial",
        "cohort_study",
        "diagnostic_accuracy_study",
        "consensus_statement",
        "safety_notice",
    ]
    doi: str | None
    pmid: str | None
    url: str


class Intervention(BaseModel):
    """An intervention with its evidence and references."""

    id: str
    module: Module
    phase: Phase
    title: Annotated[
        str, Field(description="Names the intervention, never whether the sources favour it.")
    ]
    summary: str
    cautions: Annotated[
        str | None, Field(description="The most serious thing to weigh; null if none is listed.")
    ]
    fitt_vp: Dose | None
    evidence: Evidence
    references: list[Reference]


class Meta(BaseModel):
    """What is said about every answer of the service."""

    catalogue_version: str
    disclaimer: str


class MetaOfDiagnoses(Meta):
    """With codes, what each one found."""

    matches: list[Match] = []


class MetaOfInterventions(Meta):
    """The diagnosis, which the list does not repeat."""

    diagnosis: Diagnosis


class DiagnosesBody(BaseModel):
    """The body of listDiagnoses."""

    data: list[Diagnosis]
    meta: MetaOfDiagnoses


class InterventionsBody(BaseModel):
    """The body of listInterventions."""

    data: list[Intervention]
    meta: MetaOfInterventions


class FoundDiagnoses(Meta):
    """The structured answer of find_diagnoses."""

    found: Annotated[
        int, Field(description="How many were found; `diagnoses` has the first 100 at most.")
    ]
    diagnoses: list[Diagnosis]
    matches: Annotated[
        list[Match],
        Field(description="For each code of the call, in its order, what it found."),
    ]


class ListedInterventions(Meta):
    """The structured answer of list_interventions."""

    diagnosis: Diagnosis
    module: Annotated[Module | None, Field(description="The module of the call; null for all.")]
    phase: Annotated[Phase | None, Field(description="The phase of the call; null for all.")]
    interventions: list[Intervention]
