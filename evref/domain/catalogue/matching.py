"""How well a code of a record fits a diagnosis.

A code list says which of its codes mean the diagnosis, and which do not. If it says nothing about a
code, the codes of the diagnosis and their subdivisions mean the diagnosis.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, TypeAlias

from evref.domain.catalogue.diagnosis import CodeText, Diagnosis, DiagnosisId
from evref.domain.catalogue.icd import CodeList, FinerCodes, covers, stems_of
from evref.domain.catalogue.record_code import Classification, Edition, Qualifier, RecordCode
from evref.domain.declaration import Example, Named


class Relation(StrEnum):
    """How well a code fits a diagnosis that it finds."""

    CERTAIN = "certain"
    APPROXIMATE = "approximate"


@dataclass(frozen=True, slots=True)
class Fit:
    """How a code fits a diagnosis, and the prefix or the code of the diagnosis that decided this.

    `relation` is None if the code means another condition.
    """

    diagnosis_id: str
    relation: Relation | None
    code: str


@dataclass(frozen=True, slots=True)
class Narrower:
    """A diagnosis with codes below a requested code."""

    diagnosis_id: Annotated[
        DiagnosisId, Named("id"), "The id of the diagnosis.", Example("panic-disorder")
    ]
    codes: Annotated[
        tuple[CodeText, ...],
        "All of its codes below the requested code, in order.",
        Example(["F41.0"]),
    ]


@dataclass(frozen=True, slots=True)
class Match:
    """A code, the diagnoses that it finds, and the ids of those that it explicitly does not mean.

    All are in the catalogue's order, and each of `fits` has a relation. If the code finds no
    diagnosis, `narrower` are those with codes below it.
    """

    code: RecordCode
    fits: tuple[Fit, ...]
    excluded_from: tuple[str, ...]
    narrower: tuple[Narrower, ...] = ()

    @property
    def diagnosis_ids(self) -> tuple[str, ...]:
        return tuple(fit.diagnosis_id for fit in self.fits)

    def among(self, diagnosis_ids: Container[str]) -> Match:
        return replace(
            self, fits=tuple(fit for fit in self.fits if fit.diagnosis_id in diagnosis_ids)
        )


Doubt: TypeAlias = Qualifier | Relation
"""Why a code may not mean a diagnosis: how it is recorded, or how it fits."""

_NONE = FinerCodes()
_CM = CodeList.ICD_10_CM
_GM = CodeList.ICD_10_GM


def fit(code: RecordCode, diagnosis: Diagnosis) -> Fit | None:
    """Return how the code fits the diagnosis, or None if no code list says anything."""
    if not code.stems:
        return None
    if code.classification is Classification.ICD_11:
        decided = _fit_of_icd11(code, diagnosis)
    elif code.classification is Classification.SNOMED_CT:
        decided = _fit_of_targets(code, diagnosis)
    else:
        decided = _fit_of_icd10(code.stems[0], code.edition, diagnosis)
    if decided is not None and decided.relation is not None and code.is_uncertain:
        return replace(decided, relation=Relation.APPROXIMATE)
    return decided


def prefixes(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield the codes and prefixes of the diagnosis, with which every code that fits it begins."""
    yield from diagnosis.icd10_codes
    yield from (stems_of(code)[0] for code in diagnosis.icd11_codes)
    for finer in diagnosis.finer_codes.values():
        yield from finer.includes
        yield from finer.excludes


def codes_below(code: RecordCode, diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the codes of the diagnosis that are below the code, in order."""
    if code.classification is Classification.ICD_11:
        known = [(known, stems_of(known)) for known in diagnosis.icd11_codes]
    else:
        known = [(known, (known,)) for known in diagnosis.icd10_codes]
    return tuple(
        sorted(text for text, stems in known if any(stem.startswith(code.stems) for stem in stems))
    )


def best_fits(matches: Iterable[Match]) -> dict[str, Doubt | None]:
    """Return how any of the codes fits each diagnosis best, by id; None is certainly."""
    doubts: dict[str, Doubt | None] = {}
    for match in matches:
        for fit in match.fits:
            if fit.relation is Relation.CERTAIN:
                doubts[fit.diagnosis_id] = None
            else:
                doubts.setdefault(fit.diagnosis_id, match.code.qualifier or Relation.APPROXIMATE)
    return doubts


def _fit_of_icd10(text: str, edition: Edition | None, diagnosis: Diagnosis) -> Fit | None:
    divided = text.partition(".")[2]
    codes = diagnosis.icd10_codes
    if edition is Edition.WHO and len(divided) <= 1:
        listed = [
            _fit_by_prefixes(text, diagnosis, diagnosis.finer_codes.get(code_list, _NONE))
            for code_list in (_CM, _GM)
        ]
        if listed[0] and listed[1] and listed[0].relation is listed[1].relation:
            return listed[0]
        return _fit_by_codes(text, codes, diagnosis, _NONE)
    # Codes of ICD-10-GM have at most two digits below the dot.
    may_be_of_gm = re.fullmatch("[0-9]{0,2}", divided) is not None
    lists = [_GM] if edition is Edition.GM else [_CM]
    if edition in {None, Edition.WHO} and may_be_of_gm:
        lists = [_CM, _GM]
    fits = [_fit_in_list(text, codes, diagnosis, code_list) for code_list in lists]
    return _agreed([fit for fit in fits if fit is not None])


def _agreed(fits: Sequence[Fit]) -> Fit | None:
    """Return the combined result of several lists: certain only if all of them are."""
    meaning = [fit for fit in fits if fit.relation is not None]
    if not meaning:
        return fits[0] if fits else None
    if all(fit.relation is Relation.CERTAIN for fit in fits):
        return meaning[0]
    return replace(meaning[0], relation=Relation.APPROXIMATE)


def _fit_of_icd11(code: RecordCode, diagnosis: Diagnosis) -> Fit | None:
    clusters = [known for known in diagnosis.icd11_codes if (known,) != stems_of(known)]
    codes = [known for known in diagnosis.icd11_codes if known not in clusters]
    fits = [_fit_in_list(stem, codes, diagnosis, CodeList.ICD_11) for stem in code.stems]
    # A cluster in the catalogue means less than each of its stems.
    fits += [
        _fit_by_codes(cluster, [cluster], diagnosis, _NONE)
        for cluster in clusters
        if covers(cluster, code.read_as or "")
    ]
    return _best(fits)


def _fit_of_targets(code: RecordCode, diagnosis: Diagnosis) -> Fit | None:
    """Return the best result of the groups of a map, all of which apply.

    The branch that applies depends on the patient, so a group is certain only if all its branches
    agree.
    """
    fits = []
    for branches in code.targets:
        of_branches = [_best(fit(target, diagnosis) for target in branch) for branch in branches]
        best = _best(of_branches)
        are_certain = all(branch and branch.relation is Relation.CERTAIN for branch in of_branches)
        if best is not None and best.relation is not None and not are_certain:
            best = replace(best, relation=Relation.APPROXIMATE)
        fits.append(best)
    return _best(fits)


def _best(fits: Iterable[Fit | None]) -> Fit | None:
    order = (Relation.CERTAIN, Relation.APPROXIMATE, None)
    known = [fit for fit in fits if fit is not None]
    return min(known, key=lambda fit: order.index(fit.relation), default=None)


def _fit_in_list(
    text: str, codes: Sequence[str], diagnosis: Diagnosis, code_list: CodeList
) -> Fit | None:
    finer = diagnosis.finer_codes.get(code_list, _NONE)
    return _fit_by_prefixes(text, diagnosis, finer) or _fit_by_codes(text, codes, diagnosis, finer)


def _fit_by_prefixes(text: str, diagnosis: Diagnosis, finer: FinerCodes) -> Fit | None:
    included, excluded = _longest(finer.includes, text), _longest(finer.excludes, text)
    if len(excluded) > len(included):
        return Fit(diagnosis.id, None, excluded)
    return Fit(diagnosis.id, Relation.CERTAIN, included) if included else None


def _fit_by_codes(
    text: str, codes: Sequence[str], diagnosis: Diagnosis, finer: FinerCodes
) -> Fit | None:
    """Return the result of the diagnosis's own codes, for a list without a matching prefix."""
    code = _longest(codes, text)
    if not code:
        return None
    others_are_included = text != code and any(prefix.startswith(code) for prefix in finer.includes)
    is_broader = code in diagnosis.broader_codes
    is_certain = not (others_are_included or is_broader)
    return Fit(diagnosis.id, Relation.CERTAIN if is_certain else Relation.APPROXIMATE, code)


def _longest(prefixes: Iterable[str], text: str) -> str:
    return max((prefix for prefix in prefixes if text.startswith(prefix)), key=len, default="")
