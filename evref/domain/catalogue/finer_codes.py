"""Codes of lists that are finer than the codes of a diagnosis."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from evref.domain.declaration import Declared, Items, Written
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
class FinerCodes(Declared):
    """Prefixes of the codes of one list. The longest prefix that a code begins with decides."""

    includes: Annotated[
        tuple[str, ...], Items(), Written(), "Prefixes of codes that mean the diagnosis."
    ] = ()
    excludes: Annotated[
        tuple[str, ...], Items(), Written(), "Prefixes of codes that do not mean the diagnosis."
    ] = ()

    def check_together(self, rules: Rules) -> None:
        both = sorted({*self.includes} & {*self.excludes})
        rules.require(not both, "excludes", f"must not have {', '.join(both)}, which is included")

    def check_prefixes(self, code_list: CodeList) -> Rules:
        """Check that the prefixes are of this list."""
        rules = Rules()
        malformed = [
            prefix
            for prefix in (*self.includes, *self.excludes)
            if re.fullmatch(code_list.prefix_pattern, prefix) is None
        ]
        rules.require(
            not malformed,
            code_list,
            f"must have codes or their beginnings, not {', '.join(malformed)}",
        )
        return rules
