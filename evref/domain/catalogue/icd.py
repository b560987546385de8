"""Codes of WHO's classifications, and of code lists with finer codes.

A classification names a subdivision by appending to the code that it divides, so the code of an
ancestor is a prefix of the codes of its descendants. This does not hold for blocks and chapters,
which are not codes here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeAlias

from evref.domain.declaration import Declared, Items, Pattern, Written
from evref.domain.rules import Rules

# The letters I and O are not used, because they look like 1 and 0.
_BASE_34 = "[0-9A-HJ-NP-Z]"
_STEM = rf"[1-9A-HJ-NP-WYZ][A-HJ-NP-Z][0-9]{_BASE_34}(\.{_BASE_34}{{1,2}})?"
_EXTENSION = rf"X[A-HJ-NP-Z][0-9]{_BASE_34}{{1,3}}"

LONGEST_CODE = 1000
"""Characters of a cluster of ICD-11."""

Icd10Code: TypeAlias = Annotated[
    str,
    Pattern(
        r"[A-Z][0-9]{2}(\.[0-9]{1,2})?",
        "a WHO ICD-10 code: a letter and two digits, optionally with a dot and one or two digits, "
        "such as M17 or M17.1",
        longest=6,
    ),
]
"""A code of WHO's ICD-10 (2019): a category such as M17, or a subdivision such as M17.1."""

# The grammar is from the ICD-11 Reference Guide, "code structure": stem codes run from 1A00.00 to
# ZZ9Z.ZZ with a digit in third place, extension codes begin with X.
ICD_11 = Pattern(
    rf"{_STEM}(/{_STEM}|&{_EXTENSION})*",
    "an ICD-11 MMS stem code, or a cluster of them joined by / with extension codes after &, such "
    "as FA01, FA01.0 or FA01.0&XK8G",
    longest=LONGEST_CODE,
)
Icd11Code: TypeAlias = Annotated[str, ICD_11]
"""A code of ICD-11 MMS: a stem code, or a cluster of stem codes (/) and extension codes (&)."""


def covers(code: str, other: str) -> bool:
    """Return whether a code of ICD-11 equals the other or is an ancestor of it.

    A cluster is more specific than each of its parts, so a code covers a cluster if each stem
    of the code equals or is an ancestor of a stem of the cluster that has all its extensions.
    The order of stems, and of the extensions of a stem, is irrelevant.

    >>> covers("FA01", "FA01.0&XK8G")
    True
    >>> covers("FA01&XK8G", "FA01/FB53.1&XK8G")
    False
    """
    theirs = _stems(other)
    return all(
        any(stem.startswith(ancestor) and extensions >= needed for stem, extensions in theirs)
        for ancestor, needed in _stems(code)
    )


def stems_of(code: str) -> tuple[str, ...]:
    """Return the stem codes of a code of ICD-11, without extension codes."""
    return tuple(stem for stem, _ in _stems(code))


def _stems(cluster: str) -> list[tuple[str, frozenset[str]]]:
    """Return the stem codes of a cluster, each with its extension codes."""
    return [
        (stem, frozenset(extensions))
        for stem, *extensions in (part.split("&") for part in cluster.split("/"))
    ]


class CodeList(StrEnum):
    """The code lists for which an entry may name finer codes."""

    ICD_10_CM = "icd-10-cm"
    ICD_10_GM = "icd-10-gm"
    ICD_11 = "icd-11"

    @property
    def prefix_pattern(self) -> str:
        """The pattern of a code of the list, or of the beginning of a code from its category on."""
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
