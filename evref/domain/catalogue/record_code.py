"""Codes as written in health records: how a field of them is split and read.

Records have codes of WHO's classifications and of national modifications, with marks and letters
beside them, and sometimes text that is not a code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from evref.domain.catalogue.icd import Icd11Code
from evref.domain.errors import InvalidValueError
from evref.domain.redaction import has_key, without_keys


class Classification(StrEnum):
    """The classifications that a field of codes can be of."""

    ICD_10 = "icd10"
    ICD_11 = "icd11"


class Edition(StrEnum):
    """The editions of ICD-10: WHO's, and its modifications ICD-10-CM and ICD-10-GM."""

    WHO = "who"
    CM = "cm"
    GM = "gm"


@dataclass(frozen=True, slots=True)
class RecordCode:
    """A part of a field of codes, as given and as read.

    `read_as` is the code without ornament, or None if the part could not be read. `edition` is the
    one that the code is from, if it is known. `is_uncertain` means that the record calls the
    diagnosis suspected or past. `error` says why the part is not searched, if it is not.
    """

    classification: Classification
    given: str
    read_as: str | None
    edition: Edition | None = None
    is_uncertain: bool = False
    error: str | None = None

    @property
    def stems(self) -> tuple[str, ...]:
        """The codes to search for; several if it is a cluster of ICD-11."""
        if self.read_as is None or self.error is not None:
            return ()
        if self.classification is Classification.ICD_11:
            return Icd11Code(self.read_as).stems
        return (self.read_as,)

    @property
    def spelled(self) -> str:
        """A text that is read as this code, with its edition and with what casts doubt on it."""
        if self.read_as is None:
            return self.given
        edition = f"ICD-10-{self.edition.upper()} " if self.edition else ""
        letter = " A" if self.error else " V" if self.is_uncertain else ""
        return f"{edition}{self.read_as}{letter}"


FORMS = {
    Classification.ICD_10: "codes of ICD-10 or of a national modification, such as M17, M17.1, "
    "M171, M17.11, S72.001A, G30.1+, F00.1*, F32.1!, F32.1 G or M17.-; a block such as M15-M19 is "
    "not a code",
    Classification.ICD_11: "ICD-11 MMS stem codes, or clusters of them joined by / with extension "
    "codes after &, such as FA01, FA01.0 or FA01.0&XK8G",
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
_UNCERTAIN = frozenset("VZ")
_UNCERTAIN_UNSPACED = frozenset("AVZ")

# A letter of an encounter is the seventh character.
_LENGTH_WITH_ENCOUNTER = 7

_LETTERED_CODES_OF_CM = {
    *("C84.7B", "H01.00B", "H01.01B", "H01.02B", "H01.8B", "H02.20B", "H02.21B", "H02.22B"),
    *("H02.23B", "H02.88B", "H44.2B", "M35.0B", "M80.0B", "M80.8B", "N80.3B", "S02.11B"),
    *("S02.11G", "S02.40B"),
}
"""The codes of fewer than seven characters that end in a digit and a letter of a side or G."""

_LONGEST_PART = 100


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
    """Return the codes in a part of a field; one with an error if the part cannot be read.

    An edition that the part itself names comes before the given one.
    """
    given = part.strip()
    codes: Sequence[RecordCode] = ()
    if len(given) > _LONGEST_PART:
        pass
    elif classification is Classification.ICD_11:
        codes = _icd11(given)
    else:
        named = _NAME.match(given)
        if named is not None and named["edition"]:
            edition = Edition(named["edition"].lower())
        codes = _icd10(given, given[named.end() if named else 0 :].split(), edition)
    if codes:
        return tuple(codes)
    error = f"must be one of the {FORMS[classification]}"
    return (RecordCode(classification, without_keys(given), None, error=error),)


def _icd11(given: str) -> list[RecordCode]:
    try:
        code = Icd11Code.parse("".join(given.split()))
    except InvalidValueError:
        return []
    return [RecordCode(Classification.ICD_11, given, code.text)]


def _icd10(given: str, words: list[str], edition: Edition | None) -> list[RecordCode]:
    """Return the code in words; several if a space separates what has the form of a code."""
    groups = [words[:1]]
    for word in words[1:]:
        if _ICD_10.fullmatch(word) and _icd10_alone("", groups[-1], edition):
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
    if edition is Edition.GM and (found := _LETTERS_AT_END.search(text)):
        text, letters = text[: found.start()], found[0].upper() + letters
    if _ICD_10.fullmatch(text) is None:
        text, letters = "".join(words), ""
        if _ICD_10.fullmatch(text) is None:
            return None
    reduced = re.sub("[^0-9A-Z]", "", text.upper())
    read_as = f"{reduced[:3]}.{reduced[3:]}" if reduced[3:] else reduced
    is_uncertain = not _UNCERTAIN.isdisjoint(letters)
    if edition is not Edition.GM and len(reduced) < _LENGTH_WITH_ENCOUNTER:
        read_as, is_doubtful = _without_letters(read_as)
        is_uncertain = is_uncertain or is_doubtful
    return RecordCode(
        Classification.ICD_10,
        given,
        read_as,
        edition,
        is_uncertain,
        EXCLUDED if "A" in letters else None,
    )


def _without_letters(code: str) -> tuple[str, bool]:
    """Return the code without letters that may be of ICD-10-GM, and whether one may cast doubt."""
    found = _LETTERS_BELOW_DOT.search(code)
    if found is None or found.end() < len(code) or code in _LETTERED_CODES_OF_CM:
        return code, False
    if _UNCERTAIN_UNSPACED.isdisjoint(found[2]):
        return code[: found.start(2)], False
    return code, True
