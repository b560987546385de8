"""The chapters of ICD-10 (WHO, 2019) as groups of diagnoses, and related diagnoses."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from evref.domain.catalogue.diagnosis import Diagnosis

# The first category of each chapter, in alphabetical order, and the subject of the chapter.
_CHAPTERS = (
    ("A00", "Infections"),
    ("C00", "Cancer and other tumours"),
    ("D50", "Blood and immune system"),
    ("E00", "Hormones, nutrition and metabolism"),
    ("F00", "Mental health"),
    ("G00", "Brain and nerves"),
    ("H00", "Eyes"),
    ("H60", "Ears and balance"),
    ("I00", "Heart and circulation"),
    ("J00", "Lungs and breathing"),
    ("K00", "Digestion and mouth"),
    ("L00", "Skin"),
    ("M00", "Muscles, bones and joints"),
    ("N00", "Kidneys, bladder and sexual organs"),
    ("O00", "Pregnancy and childbirth"),
    ("P00", "Newborns"),
    ("Q00", "Conditions from birth"),
    ("R00", "Symptoms"),
    ("S00", "Injuries and poisoning"),
    ("U00", "COVID-19 and special codes"),
    ("V01", "Causes of injury"),
    ("Z00", "Health services"),
)
_MOST_RELATED = 6


def chapter_of(diagnosis: Diagnosis) -> str:
    """Return the chapter of the diagnosis's first ICD-10 code, in plain words."""
    category = diagnosis.icd10_codes[0].text[:3]
    return next(words for first, words in reversed(_CHAPTERS) if category >= first)


def by_chapter(diagnoses: Iterable[Diagnosis]) -> dict[str, list[Diagnosis]]:
    """Return the diagnoses of each chapter that has any, in the order of ICD-10."""
    groups: dict[str, list[Diagnosis]] = {words: [] for _, words in _CHAPTERS}
    for diagnosis in diagnoses:
        groups[chapter_of(diagnosis)].append(diagnosis)
    return {words: group for words, group in groups.items() if group}


def related(diagnosis: Diagnosis, others: Iterable[Diagnosis]) -> tuple[Diagnosis, ...]:
    """Return a few related diagnoses: those with a shared code, then its neighbours in the chapter.

    Two diagnoses share a code if they have the same code, or if one code is below the other. In
    each part, the diagnosis with the nearest code comes first.
    """
    ranked = sorted(
        (
            (not _share_a_code(diagnosis, other), _distance(diagnosis, other), other.name, other)
            for other in others
            if other.id != diagnosis.id
            and (_share_a_code(diagnosis, other) or chapter_of(other) == chapter_of(diagnosis))
        ),
        key=lambda rank: rank[:3],
    )
    return tuple(other for *_, other in ranked[:_MOST_RELATED])


def _share_a_code(diagnosis: Diagnosis, other: Diagnosis) -> bool:
    # ICD-10 and ICD-11 codes differ in their second character, so one is never below the other.
    pairs = product(_codes(diagnosis), _codes(other))
    return any(a.startswith(b) or b.startswith(a) for a, b in pairs)


def _codes(diagnosis: Diagnosis) -> list[str]:
    return [str(code) for code in (*diagnosis.icd10_codes, *diagnosis.icd11_codes)]


def _distance(diagnosis: Diagnosis, other: Diagnosis) -> int:
    return min(
        abs(_number(a.text) - _number(b.text))
        for a, b in product(diagnosis.icd10_codes, other.icd10_codes)
    )


def _number(code: str) -> int:
    """Return a sort number of the code, in which subdivisions follow their category."""
    return ord(code[0]) * 10_000 + int(code[1:3]) * 100 + int((code[4:] + "00")[:2])
