"""Codes as written in health records: how they are read, and which diagnoses they match.

Records usually have more specific codes than the catalogue. A code matches each diagnosis with a
code that equals it or is an ancestor of it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.icd import Icd11Code
from evref.domain.errors import Fault, InvalidValueError


@dataclass(frozen=True, slots=True)
class RecordCode(ABC):
    """A code as given and as read.

    Raises:
        InvalidValueError: If the text is not a code of the classification.

    """

    given: str
    read_as: str = field(init=False)
    ancestors: frozenset[str] = field(init=False, repr=False, compare=False)
    """This code, and every ancestor of it or of one of its stems."""

    CLASSIFICATION: ClassVar[str]
    FORM: ClassVar[str]
    """A description of the accepted forms."""
    PATTERN: ClassVar[str]
    """The accepted forms as a regular expression in upper case."""

    @abstractmethod
    def finds(self, diagnosis: Diagnosis) -> bool:
        """Return whether a code of the diagnosis equals this code or is an ancestor of it."""


@dataclass(frozen=True, slots=True)
class RecordIcd10Code(RecordCode):
    """A code of WHO's ICD-10 or of a national modification of it, such as ICD-10-CM or ICD-10-GM.

    It is read as its letters and digits, with a dot after the third, and compared with WHO's codes
    by prefix. National modifications divide WHO's categories differently: below the third
    character, their codes may have another meaning.

    >>> RecordIcd10Code("s72001a").read_as
    'S72.001A'
    >>> RecordIcd10Code("G30.1+").read_as
    'G30.1'
    """

    CLASSIFICATION = "icd10"
    FORM = (
        "codes of ICD-10 or of a national modification, such as M17, M17.1, M171, M17.11, "
        "S72.001A, G30.1+, F00.1*, F32.1! or M17.-; a block such as M15-M19 is not a code"
    )
    # A category, its subdivision, and a mark. ICD-10-CM has categories with a letter in third place
    # (C4A, never I or O) and one with a letter in second place (QA0); a wider grammar would accept
    # codes of ICD-11. CIM-10 FR adds a plus to a category without a fourth character (F03+1).
    PATTERN = r"([A-Z][0-9][0-9A-HJ-NP-Z]|QA[0-9])(\.?\+?[0-9A-Z]{1,4}-?|\.?-)?[+*!#†]?"

    def __post_init__(self) -> None:
        if re.fullmatch(self.PATTERN, self.given, re.ASCII | re.IGNORECASE) is None:
            raise InvalidValueError([Fault(self.CLASSIFICATION, f"must be one of the {self.FORM}")])
        reduced = re.sub("[^0-9A-Z]", "", self.given.upper())
        category, divided = reduced[:3], reduced[3:]
        read_as = f"{category}.{divided}" if divided else category
        object.__setattr__(self, "read_as", read_as)
        object.__setattr__(self, "ancestors", _shortened(read_as, len(category)))

    def finds(self, diagnosis: Diagnosis) -> bool:
        return any(code.text in self.ancestors for code in diagnosis.icd10_codes)


@dataclass(frozen=True, slots=True)
class RecordIcd11Code(RecordCode):
    """A code of ICD-11 MMS in upper or lower case: a stem code or a cluster.

    >>> RecordIcd11Code("fa01.0&xk8g").read_as
    'FA01.0&XK8G'
    """

    code: Icd11Code = field(init=False, repr=False, compare=False)

    CLASSIFICATION = "icd11"
    FORM = (
        "ICD-11 MMS stem codes, or clusters of them joined by / with extension codes after &, "
        "such as FA01, FA01.0 or FA01.0&XK8G"
    )
    PATTERN = Icd11Code.PATTERN

    def __post_init__(self) -> None:
        code = Icd11Code.parse(self.given)
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "read_as", code.text)
        object.__setattr__(
            self, "ancestors", frozenset().union(*(_shortened(stem, 4) for stem in code.stems))
        )

    def finds(self, diagnosis: Diagnosis) -> bool:
        return any(
            # The first condition is cheap and rejects nearly all codes.
            code.first_stem in self.ancestors and code.covers(self.code)
            for code in diagnosis.icd11_codes
        )


def _shortened(code: str, shortest: int) -> frozenset[str]:
    return frozenset(code[:length] for length in range(shortest, len(code) + 1))
