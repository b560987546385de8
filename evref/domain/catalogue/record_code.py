"""Codes as written in health records: how a field of them is split and read.

Records have codes of WHO's classifications and of national modifications, with marks and letters
beside them, and sometimes text that is not a code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from evref.domain.catalogue.icd import ICD_11, stems_of
from evref.domain.redaction import has_key, without_keys


class Classification(StrEnum):
    """The classifications that a field of codes can be of, and SNOMED CT."""

    ICD_10 = "icd10"
    ICD_11 = "icd11"
    SNOMED_CT = "snomed"


class Edition(StrEnum):
    """The editions of ICD-10 whose codes the catalogue distinguishes."""

    WHO = "who"
    CM = "cm"
    GM = "gm"


class Qualifier(StrEnum):
    """What a letter of ICD-10-GM beside a code says about the diagnosis."""

    SUSPECTED = "suspected"
    STATE_AFTER = "state_after"
    EXCLUDED = "excluded"


@dataclass(frozen=True, slots=True)
class RecordCode:
    """A part of a field of codes, as given and as read.

    `read_as` is the code without marks and letters beside it, or None if the part could not be
    read. `edition` is the edition of the code, if it is known. `is_ambiguous` means that its
    last letter may be part of the code or a qualifier. `error` says why the part is not searched,
    if it is not.

    A code of SNOMED CT is searched by its `targets` in a map to ICD-10: groups that all apply, each
    of branches of which one applies. `read_as` then has the codes of ICD-10.
    """

    classification: Classification
    given: str
    read_as: str | None
    edition: Edition | None = None
    qualifier: Qualifier | None = None
    is_ambiguous: bool = False
    error: str | None = None
    targets: tuple[tuple[tuple[RecordCode, ...], ...], ...] = ()

    @property
    def is_uncertain(self) -> bool:
        """Whether the record may call the diagnosis suspected or past."""
        return self.is_ambiguous or self.qualifier in {Qualifier.SUSPECTED, Qualifier.STATE_AFTER}

    @property
    def stems(self) -> tuple[str, ...]:
        """The codes to search for; several if it is a cluster of ICD-11."""
        if self.read_as is None or self.error is not None:
            return ()
        if self.classification is Classification.ICD_11:
            return stems_of(self.read_as)
        if self.classification is Classification.SNOMED_CT:
            codes = (code for group in self.targets for branch in group for code in branch)
            return tuple(dict.fromkeys(stem for code in codes for stem in code.stems))
        return (self.read_as,)

    @property
    def count(self) -> int:
        return max(1, len(self.stems)) if self.classification is Classification.ICD_11 else 1

    @property
    def shown(self) -> str:
        """The code for people."""
        if self.read_as is None or not self.targets or self.read_as == self.given:
            return self.read_as or self.given
        return f"{self.given} (ICD-10 {self.read_as})"

    @property
    def spelled(self) -> str:
        """A text that is read as this code, including its edition and its qualifier."""
        if self.read_as is None or self.classification is Classification.SNOMED_CT:
            return self.given
        edition = f"ICD-10-{self.edition.upper()} " if self.edition else ""
        letter = f" {_LETTER_OF[self.qualifier]}" if self.qualifier else ""
        return f"{edition}{self.read_as}{letter}"


FORMS = {
    Classification.ICD_10: "codes of ICD-10 or of a national modification, such as M17, M17.1, "
    "M171, M17.11, S72.001A, G30.1+, F00.1*, F32.1!, F32.1 G or M17.-; a block such as M15-M19 is "
    "not a code",
    Classification.ICD_11: "ICD-11 MMS stem codes, or clusters of them joined by / with extension "
    "codes after &, such as FA01, FA01.0 or FA01.0&XK8G",
    Classification.SNOMED_CT: "codes of SNOMED CT, of up to 18 digits, such as 239873007",
}
"""The accepted forms, in words."""

EXCLUDED = "A means excluded: not searched"

# A category, its subdivision, and a mark. ICD-10-CM has categories with a letter in third place
# (C4A, never I or O) and one with a letter in second place (QA0); a wider grammar would accept
# codes of ICD-11. CIM-10 FR adds a plus to a category without a fourth character (F03+1).
_ICD_10 = re.compile(
    r"([A-Z][0-9][0-9A-HJ-NP-Z]|QA[0-9])(\.?\+?[0-9A-Z]{1,4}-?|\.?-)?[+*!#†]?",
    re.ASCII | re.IGNORECASE,
)
_NAME = re.compile(
    r"ICD-?\s*10(-(?P<edition>WHO|CM|GM)\b|(?![-\w]))[\s:]*", re.ASCII | re.IGNORECASE
)

# The letters of ICD-10-GM: diagnosis assured, suspected, excluded, state after; and sides.
_LETTER = re.compile("[GVAZRLB]", re.IGNORECASE)
_LETTERS_AT_END = re.compile(r"(?<=[0-9+*!#†-])[GVAZRLB]{1,2}\Z", re.IGNORECASE)
_LETTERS_BELOW_DOT = re.compile(r"(\.[0-9A-Z]*[0-9])([GVAZRLB]{1,2})")
# In order of precedence.
_LETTER_OF = {Qualifier.EXCLUDED: "A", Qualifier.SUSPECTED: "V", Qualifier.STATE_AFTER: "Z"}

# A letter of an encounter is the seventh character.
_LENGTH_WITH_ENCOUNTER = 7

_LETTERED_CODES_OF_CM = {
    *("C84.7B", "H01.00B", "H01.01B", "H01.02B", "H01.8B", "H02.20B", "H02.21B", "H02.22B"),
    *("H02.23B", "H02.88B", "H44.2B", "M35.0B", "M80.0B", "M80.8B", "N80.3B", "S02.11B"),
    *("S02.11G", "S02.40B"),
}
"""The codes of fewer than seven characters that end in a digit and a letter of a side or G."""

_LONGEST_PART = 100

_SNOMED_CT = re.compile("[1-9][0-9]{0,17}")

MOST_VALUES = 50
"""The most values in one request of any interface; the stems of a cluster count each."""


def read_field(
    classification: Classification, field: str, edition: Edition | None = None
) -> tuple[RecordCode, ...]:
    """Return the codes in a field, separated by commas. Those of a pair are two.

    >>> [code.read_as for code in read_field(Classification.ICD_10, "G30.1+ F00.1*, M 17.1, x")]
    ['G30.1', 'F00.1', 'M17.1', None]
    """
    codes = tuple(
        code for part in field.split(",") for code in read_part(classification, part, edition)
    )
    if not has_key(field):
        return codes
    # A comma may separate a key into parts.
    return tuple(replace(code, given="…") if code.read_as is None else code for code in codes)


def read_part(
    classification: Classification, part: str, edition: Edition | None = None
) -> tuple[RecordCode, ...]:
    """Return the codes in a part of a field; a code with an error if the part cannot be read."""
    given = part.strip()
    codes: Sequence[RecordCode] = ()
    if len(given) > _LONGEST_PART:
        pass
    elif classification is Classification.ICD_11:
        codes = _icd11(given)
    elif classification is Classification.SNOMED_CT:
        if _SNOMED_CT.fullmatch(given):
            codes = [RecordCode(classification, given, given)]
    else:
        named = _NAME.match(given)
        # An edition in the part itself takes precedence.
        if named is not None and named["edition"]:
            edition = Edition(named["edition"].lower())
        codes = _icd10(given, given[named.end() if named else 0 :].split(), edition)
    if codes:
        return tuple(codes)
    error = f"must be one of the {FORMS[classification]}"
    return (RecordCode(classification, without_keys(given), None, error=error),)


def _icd11(given: str) -> list[RecordCode]:
    text = "".join(given.split())
    # str.upper turns some characters beyond ASCII, such as a dotless i, into ASCII letters.
    text = text.upper() if text.isascii() else text
    return [RecordCode(Classification.ICD_11, given, text)] if ICD_11.fits(text) else []


def _icd10(given: str, words: list[str], edition: Edition | None) -> list[RecordCode]:
    """Return the code in words; several if a space separates texts in the form of codes."""
    groups = [words[:1]]
    for index, word in enumerate(words[1:], start=1):
        # A space may also follow the letter of the next code: I 10 E 11.
        first = word if len(word) > 1 else "".join(words[index : index + 2])
        if _ICD_10.fullmatch(first) and _icd10_alone("", groups[-1], edition):
            groups.append([word])
        else:
            groups[-1].append(word)
    codes = [
        _icd10_alone(given if len(groups) == 1 else " ".join(group), group, edition)
        for group in groups
    ]
    return [code for code in codes if code is not None] if all(codes) else []


def _icd10_alone(given: str, words: list[str], edition: Edition | None) -> RecordCode | None:
    count = len(words)
    while count > 1 and _LETTER.fullmatch(words[count - 1]):
        count -= 1
    text, letters = "".join(words[:count]), "".join(words[count:]).upper()
    if edition is Edition.GM and (match := _LETTERS_AT_END.search(text)):
        text, letters = text[: match.start()], match[0].upper() + letters
    if _ICD_10.fullmatch(text) is None:
        text, letters = "".join(words), ""
        if _ICD_10.fullmatch(text) is None:
            return None
    reduced = re.sub("[^0-9A-Z]", "", text.upper())
    read_as = f"{reduced[:3]}.{reduced[3:]}" if reduced[3:] else reduced
    is_ambiguous = False
    if edition is not Edition.GM and len(reduced) < _LENGTH_WITH_ENCOUNTER:
        read_as, is_ambiguous = _without_letters(read_as)
    qualifier = next((known for known, letter in _LETTER_OF.items() if letter in letters), None)
    error = EXCLUDED if qualifier is Qualifier.EXCLUDED else None
    return RecordCode(
        Classification.ICD_10, given, read_as, edition, qualifier, is_ambiguous, error
    )


def _without_letters(code: str) -> tuple[str, bool]:
    """Return the code without a letter of a side, and whether its last may be a qualifier."""
    match = _LETTERS_BELOW_DOT.search(code)
    if match is None or match.end() < len(code) or code in _LETTERED_CODES_OF_CM:
        return code, False
    if not any(letter in match[2] for letter in _LETTER_OF.values()):
        return code[: match.start(2)], False
    return code, True
