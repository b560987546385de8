"""A diagnosis, and the modules of reference data that it can have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from evref.domain.catalogue import bounds
from evref.domain.catalogue.finer_codes import CodeList, FinerCodes
from evref.domain.catalogue.icd import Icd10Code, Icd11Code
from evref.domain.rules import Rules


class Module(StrEnum):
    """The closed list of modules, in the order in which they are shown."""

    FITT_VIP = "fitt_vip"
    PHARMACONEUTRAL = "pharmaconeutral"
    HOME = "home"
    CONCEPT = "concept"
    PREVENTION = "prevention"
    DIAGNOSTIC = "diagnostic"


MODULE_ORDER = {module: place for place, module in enumerate(Module)}


RESERVED_IDS = ("changes", "search", "suggest", "about", "feed")
"""Ids that no diagnosis may have, because pages have these addresses."""


@dataclass(frozen=True, slots=True)
class Review:
    """A clinician's review of an entry: name and profession, and the day.

    Raises:
        InvalidValueError: If the name breaks a rule.

    """

    by: str
    on: date

    def __post_init__(self) -> None:
        rules = Rules()
        rules.line("by", self.by, bounds.REVIEWER)
        rules.enforce()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A diagnosis with its codes and enabled modules, which are in their fixed order.

    `checked_on` is the day on which its entry was last checked against its sources. `terms` are
    other names by language (ISO 639-1); outside English, the first is the preferred name.
    `broader_codes` are those of its codes that also mean other conditions. `finer_codes` says
    which codes of finer lists mean it. `reviewed` is None if no clinician has reviewed the entry.
    `scope` is what the entry covers and leaves out; None if it does not say. `mainstays` are the
    ids of the interventions that the cited guidelines put first, in this order.

    Raises:
        InvalidValueError: If any field breaks a rule.

    """

    id: str
    name: str
    icd10_codes: tuple[Icd10Code, ...]
    icd11_codes: tuple[Icd11Code, ...]
    enabled_modules: tuple[Module, ...]
    checked_on: date
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    broader_codes: tuple[str, ...] = ()
    finer_codes: Mapping[CodeList, FinerCodes] = field(default_factory=dict, hash=False)
    reviewed: Review | None = None
    scope: str | None = None
    mainstays: tuple[str, ...] = ()

    MOST_TERMS = 40
    """In one language."""
    LANGUAGE = re.compile("[a-z]{2}")

    def __post_init__(self) -> None:
        rules = Rules()
        rules.slug("id", self.id, bounds.DIAGNOSIS_ID)
        rules.require(
            self.id not in RESERVED_IDS,
            "id",
            f"must not be {self.id}: the catalogue's pages use {', '.join(RESERVED_IDS)}",
        )
        rules.line("name", self.name, bounds.DIAGNOSIS_NAME)
        rules.some("icd10_codes", self.icd10_codes)
        rules.distinct("icd10_codes", map(str, self.icd10_codes))
        rules.some("icd11_codes", self.icd11_codes)
        rules.distinct("icd11_codes", map(str, self.icd11_codes))
        rules.distinct("enabled_modules", self.enabled_modules)
        rules.add(self._check_terms(), within="terms")
        rules.add(self._check_finer_codes(), within="finer_codes")
        rules.distinct("broader_codes", self.broader_codes)
        unknown = {*self.broader_codes} - {*map(str, self.icd10_codes), *map(str, self.icd11_codes)}
        rules.require(
            not unknown,
            "broader_codes",
            f"must be among icd10 and icd11, not {', '.join(sorted(unknown))}",
        )
        if self.scope is not None:
            rules.text("scope", self.scope, bounds.SCOPE)
        rules.distinct("mainstays", self.mainstays)
        rules.require(
            len(self.mainstays) <= bounds.MOST_MAINSTAYS,
            "mainstays",
            f"must have at most {bounds.MOST_MAINSTAYS} ids, has {len(self.mainstays)}",
        )
        rules.enforce()
        in_order = tuple(sorted(self.enabled_modules, key=MODULE_ORDER.__getitem__))
        object.__setattr__(self, "enabled_modules", in_order)

    @property
    def name_within_sentence(self) -> str:
        """The name without a capital, unless it begins with a proper name."""
        first = self.name[:1].lower() + self.name.split()[0][1:]
        is_common = any(first in term.split() for term in self.terms.get("en", ()))
        return self.name[:1].lower() + self.name[1:] if is_common else self.name

    def _check_terms(self) -> Rules:
        rules = Rules()
        for language, terms in self.terms.items():
            rules.require(
                self.LANGUAGE.fullmatch(language) is not None,
                language,
                "must be a language: two lower-case letters as in ISO 639-1",
            )
            rules.require(
                1 <= len(terms) <= self.MOST_TERMS,
                language,
                f"must have 1 to {self.MOST_TERMS} terms, has {len(terms)}",
            )
            rules.distinct(language, map(str.lower, terms))
            for term in terms:
                rules.line(language, term, bounds.TERM)
        return rules

    def _check_finer_codes(self) -> Rules:
        rules = Rules()
        for code_list, finer in self.finer_codes.items():
            malformed = [
                prefix
                for prefix in (*finer.includes, *finer.excludes)
                if re.fullmatch(code_list.prefix_pattern, prefix) is None
            ]
            rules.require(
                not malformed,
                code_list,
                f"must have codes or their beginnings, not {', '.join(malformed)}",
            )
        return rules
