"""How well a code of a record fits a diagnosis.

A code list says which of its codes mean the diagnosis, and which do not. Where it says nothing, the
codes of the diagnosis and those that divide them mean it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.finer_codes import CodeList, FinerCodes
from evref.domain.catalogue.icd import Icd11Code
from evref.domain.catalogue.record_code import Classification, Edition, RecordCode


class Relation(StrEnum):
    """How well a code fits a diagnosis that it finds; the better first."""

    CERTAIN = "certain"
    APPROXIMATE = "approximate"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known about a code and a diagnosis.

    `relation` is None if the code means another condition. `code` is the prefix or the code of the
    diagnosis that decided.
    """

    relation: Relation | None
    code: str


@dataclass(frozen=True, slots=True)
class Fit:
    """A diagnosis that a code finds, how well it fits, and the prefix or code that decided."""

    diagnosis_id: str
    relation: Relation
    code: str


@dataclass(frozen=True, slots=True)
class Match:
    """A code, the diagnoses that it finds, and the ids of those that it explicitly does not mean.

    All are in the catalogue's order.
    """

    code: RecordCode
    fits: tuple[Fit, ...]
    excluded_from: tuple[str, ...]


_NONE = FinerCodes()
_CM = CodeList.ICD_10_CM
_GM = CodeList.ICD_10_GM


def verdict(code: RecordCode, diagnosis: Diagnosis) -> Verdict | None:
    """Return what is known about the code and the diagnosis, or None if nothing is."""
    if not code.stems:
        return None
    if code.classification is Classification.ICD_11:
        found = _of_icd11(code, diagnosis)
    else:
        found = _of_icd10(code.stems[0], code.edition, diagnosis)
    if found is not None and found.relation is not None and code.is_uncertain:
        return replace(found, relation=Relation.APPROXIMATE)
    return found


def finds(code: RecordCode, diagnosis: Diagnosis) -> bool:
    """Return whether the code finds the diagnosis, certainly or approximately."""
    found = verdict(code, diagnosis)
    return found is not None and found.relation is not None


def prefixes(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield what a code, or a stem of it, begins with if anything is known about it."""
    yield from (code.text for code in diagnosis.icd10_codes)
    yield from (code.first_stem for code in diagnosis.icd11_codes)
    for finer in diagnosis.finer_codes.values():
        yield from finer.includes
        yield from finer.excludes


def best_relations(matches: Iterable[Match]) -> dict[str, Relation]:
    """Return the best relation of each diagnosis that any of the codes finds, by id."""
    relations: dict[str, Relation] = {}
    for match in matches:
        for fit in match.fits:
            if relations.get(fit.diagnosis_id) is not Relation.CERTAIN:
                relations[fit.diagnosis_id] = fit.relation
    return relations


def _of_icd10(text: str, edition: Edition | None, diagnosis: Diagnosis) -> Verdict | None:
    divided = text.partition(".")[2]
    codes = [code.text for code in diagnosis.icd10_codes]
    if edition is Edition.WHO and len(divided) <= 1:
        listed = [_of_prefixes(text, diagnosis.finer_codes.get(each, _NONE)) for each in (_CM, _GM)]
        if listed[0] and listed[1] and listed[0].relation is listed[1].relation:
            return listed[0]
        return _of_codes(text, codes, diagnosis, _NONE)
    if edition is Edition.CM:
        lists = [_CM]
    elif edition is Edition.GM:
        lists = [_GM]
    # Codes of ICD-10-GM have at most two digits below the dot.
    elif not divided or re.fullmatch("[0-9]{1,2}", divided):
        lists = [_CM, _GM]
    else:
        lists = [_CM]
    found = [_of_list(text, codes, diagnosis, each) for each in lists]
    return _agreed([each for each in found if each is not None])


def _agreed(verdicts: Sequence[Verdict]) -> Verdict | None:
    """Return what several lists say together: certain only if all of them do."""
    meaning = [each for each in verdicts if each.relation is not None]
    if not meaning:
        return verdicts[0] if verdicts else None
    if all(each.relation is Relation.CERTAIN for each in verdicts):
        return meaning[0]
    return replace(meaning[0], relation=Relation.APPROXIMATE)


def _of_icd11(code: RecordCode, diagnosis: Diagnosis) -> Verdict | None:
    clusters = [each for each in diagnosis.icd11_codes if each.text != each.first_stem]
    codes = [each.text for each in diagnosis.icd11_codes if each not in clusters]
    verdicts = [_of_list(stem, codes, diagnosis, CodeList.ICD_11) for stem in code.stems]
    # A cluster in the catalogue means less than each of its stems alone.
    verdicts += [
        _of_codes(each.text, [each.text], diagnosis, _NONE)
        for each in clusters
        if each.covers(Icd11Code(code.read_as or ""))
    ]
    order = (Relation.CERTAIN, Relation.APPROXIMATE, None)
    found = [each for each in verdicts if each is not None]
    return min(found, key=lambda each: order.index(each.relation), default=None)


def _of_list(
    text: str, codes: Sequence[str], diagnosis: Diagnosis, code_list: CodeList
) -> Verdict | None:
    finer = diagnosis.finer_codes.get(code_list, _NONE)
    return _of_prefixes(text, finer) or _of_codes(text, codes, diagnosis, finer)


def _of_prefixes(text: str, finer: FinerCodes) -> Verdict | None:
    """Return what the longest prefix says that the code begins with."""
    included, excluded = _longest(finer.includes, text), _longest(finer.excludes, text)
    if len(excluded) > len(included):
        return Verdict(None, excluded)
    return Verdict(Relation.CERTAIN, included) if included else None


def _of_codes(
    text: str, codes: Sequence[str], diagnosis: Diagnosis, finer: FinerCodes
) -> Verdict | None:
    """Return what the codes of the diagnosis say, where the list itself has no prefix."""
    code = _longest(codes, text)
    if not code:
        return None
    others_are_included = text != code and any(each.startswith(code) for each in finer.includes)
    is_broader = code in diagnosis.broader_codes
    return Verdict(
        Relation.APPROXIMATE if others_are_included or is_broader else Relation.CERTAIN, code
    )


def _longest(prefixes: Iterable[str], text: str) -> str:
    return max((each for each in prefixes if text.startswith(each)), key=len, default="")
