"""A diagnosis, and the modules of reference data that it can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Annotated, TypeAlias

from evref.domain.catalogue.icd import LONGEST_CODE, CodeList, FinerCodes, Icd10Code, Icd11Code
from evref.domain.declaration import Declared, Example, Items, Line, Named, Pattern, Prose, Slug
from evref.domain.rules import Rules


class Module(StrEnum):
    """The subject of an intervention. The list is closed and its order is fixed. The module of
    exercise is `fitt_vip`, and the field with its dose `fitt_vp`; `pharmaconeutral` are medicines,
    named neutrally by class and generic name.
    """

    FITT_VIP = "fitt_vip"
    PHARMACONEUTRAL = "pharmaconeutral"
    HOME = "home"
    CONCEPT = "concept"
    PREVENTION = "prevention"
    DIAGNOSTIC = "diagnostic"


MODULE_ORDER = {module: index for index, module in enumerate(Module)}


RESERVED_IDS = ("changes", "search", "suggest", "about", "feed")
"""Ids that no diagnosis may have, because pages have these addresses."""

ID_LENGTH = Slug(1, 64)
DiagnosisId: TypeAlias = Annotated[str, ID_LENGTH]
InterventionId: TypeAlias = Annotated[str, Slug(1, 96)]
CodeText: TypeAlias = Annotated[str, Line(1, LONGEST_CODE)]
_Language: TypeAlias = Annotated[
    str, Pattern("[a-z]{2}", "a language: two lower-case letters as in ISO 639-1", longest=2)
]
_Terms: TypeAlias = Annotated[
    tuple[Annotated[str, Line(2, 80)], ...], Items(1, 40, ignores_case=True)
]


@dataclass(frozen=True, slots=True)
class Review(Declared):
    """A clinician's review of an entry."""

    by: Annotated[str, Line(1, 200), "Name and profession.", Example("A. Example, physiotherapist")]
    on: Annotated[date, "The day of the review.", Example("2026-11-21")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis(Declared):
    """A diagnosis with its codes and enabled modules."""

    id: Annotated[
        DiagnosisId,
        "Identifies the diagnosis. Never changes.",
        Example("knee-osteoarthritis"),
    ]
    name: Annotated[str, Line(1, 120), "Display name in English.", Example("Knee osteoarthritis")]
    icd10_codes: Annotated[
        tuple[Icd10Code, ...],
        Items(1),
        Named("icd10"),
        "Codes of WHO ICD-10 (2019).",
        Example(["M17"]),
    ]
    icd11_codes: Annotated[
        tuple[Icd11Code, ...],
        Items(1),
        Named("icd11"),
        "Codes of ICD-11 MMS: stem codes, or clusters with & and /.",
        Example(["FA01"]),
    ]
    terms: Annotated[
        Mapping[_Language, _Terms],
        "Other names by language (ISO 639-1): synonyms, lay names and abbreviations. Outside "
        "English, the first is the preferred name. May be empty.",
        Example({"en": ["gonarthrosis"], "de": ["Gonarthrose", "Kniearthrose"]}),
    ] = field(default_factory=dict, hash=False)
    broader_codes: Annotated[
        tuple[CodeText, ...],
        Items(),
        "The codes above that also mean other conditions. May be empty.",
        Example([]),
    ] = ()
    finer_codes: Annotated[
        Mapping[CodeList, FinerCodes], "Which codes of finer lists mean the diagnosis."
    ] = field(default_factory=dict, hash=False)
    scope: Annotated[
        str | None,
        Prose(20, 300),
        "What the entry covers; null if it does not say.",
        Example("Conservative care and referral for surgery."),
    ] = None
    not_covered: Annotated[
        str | None,
        Prose(10, 300),
        "What readers would expect and do not find, as a phrase; null if the entry does not say.",
        Example("the operation itself"),
    ] = None
    mainstays: Annotated[
        tuple[InterventionId, ...],
        Items(most=5),
        "The mainstays of care: the ids of the interventions that the cited guidelines put first, "
        "in this order. Each is visible and strongly recommended. Empty if the editors named none.",
        Example(["knee-osteoarthritis-land-based-exercise"]),
    ] = ()
    enabled_modules: Annotated[
        tuple[Module, ...],
        Items(),
        "The modules available for this diagnosis, without duplicates, in their fixed order. May "
        "be empty.",
    ]
    checked_on: Annotated[
        date,
        "The day on which the editors last checked the entry against its sources; not a "
        "clinician's review, which is in reviewed.",
        Example("2026-11-21"),
    ]
    reviewed: Annotated[
        Review | None,
        "A clinician's review of the entry: by whom and when; null if there was none. The check of "
        "the entry against its sources is in checked_on.",
    ] = None

    def normalise(self) -> None:
        in_order = tuple(sorted(self.enabled_modules, key=MODULE_ORDER.__getitem__))
        object.__setattr__(self, "enabled_modules", in_order)

    def check_together(self, rules: Rules) -> None:
        rules.require(
            self.id not in RESERVED_IDS,
            "id",
            f"must not be {self.id}: the catalogue's pages use {', '.join(RESERVED_IDS)}",
        )
        for code_list, finer in self.finer_codes.items():
            rules.add(finer.check_prefixes(code_list), within="finer_codes")
        unknown = {*self.broader_codes} - {*self.icd10_codes, *self.icd11_codes}
        rules.require(
            not unknown,
            "broader_codes",
            f"must be among icd10 and icd11, not {', '.join(sorted(unknown))}",
        )

    @property
    def name_within_sentence(self) -> str:
        """The name without a capital, unless it begins with a proper name."""
        first = self.name[:1].lower() + self.name.split()[0][1:]
        is_common = any(first in term.split() for term in self.terms.get("en", ()))
        return self.name[:1].lower() + self.name[1:] if is_common else self.name
