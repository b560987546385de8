"""A diagnosis, and the modules of reference data that it can have."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

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


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A diagnosis with its codes and enabled modules, which are in their fixed order.

    `checked_on` is the day on which its entry was last checked against its sources.

    Raises:
        InvalidValueError: If any field breaks a rule.

    """

    id: str
    name: str
    icd10_codes: tuple[Icd10Code, ...]
    icd11_codes: tuple[Icd11Code, ...]
    enabled_modules: tuple[Module, ...]
    checked_on: date

    LONGEST_ID = 64
    LONGEST_NAME = 120

    def __post_init__(self) -> None:
        rules = Rules()
        rules.slug("id", self.id, longest=self.LONGEST_ID)
        rules.line("name", self.name, shortest=1, longest=self.LONGEST_NAME)
        rules.some("icd10_codes", self.icd10_codes)
        rules.distinct("icd10_codes", map(str, self.icd10_codes))
        rules.some("icd11_codes", self.icd11_codes)
        rules.distinct("icd11_codes", map(str, self.icd11_codes))
        rules.distinct("enabled_modules", self.enabled_modules)
        rules.enforce()
        in_order = tuple(sorted(self.enabled_modules, key=MODULE_ORDER.__getitem__))
        object.__setattr__(self, "enabled_modules", in_order)
