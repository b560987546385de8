"""Codes of lists that are finer than the codes of a diagnosis."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evref.domain.rules import Rules


class CodeList(StrEnum):
    """The code lists for which an entry may name finer codes."""

    ICD_10_CM = "icd-10-cm"
    ICD_10_GM = "icd-10-gm"
    ICD_11 = "icd-11"

    @property
    def prefix_pattern(self) -> str:
        """The form of a code of the list, or of the beginning of one from its category on."""
        if self is CodeList.ICD_11:
            return r"[0-9A-Z]{4}(\.[0-9A-Z]{1,2})?"
        return r"[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?"


@dataclass(frozen=True, slots=True)
class FinerCodes:
    """Prefixes of the codes of one list that mean the diagnosis, and of codes that do not.

    The longest prefix that a code begins with decides.

    Raises:
        InvalidValueError: If a prefix is repeated, or both included and excluded.

    """

    includes: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rules = Rules()
        rules.distinct("includes", self.includes)
        rules.distinct("excludes", self.excludes)
        both = sorted({*self.includes} & {*self.excludes})
        rules.require(not both, "excludes", f"must not have {', '.join(both)}, which is included")
        rules.enforce()
