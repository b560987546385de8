"""Search by the text of the search field: words, or codes as written in a patient's record."""

import re
from dataclasses import dataclass

from evref.domain.catalogue.catalogue import Catalogue, DiagnosisFilter, Entry, Suggestion
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.matching import Match, Relation, best_relations
from evref.domain.catalogue.record_code import Classification, RecordCode, read_part
from evref.domain.catalogue.remarks import remarks
from evref.domain.catalogue.search.interventions import MatchedIn
from evref.domain.catalogue.search.names import Hit

CLASSIFICATIONS = {Classification.ICD_10: "ICD-10", Classification.ICD_11: "ICD-11"}


@dataclass(frozen=True, slots=True)
class Found:
    """The entries, and why: how codes were read and how they fit, or which names matched.

    Without words, the entries are in the catalogue's order. `remarks` are sentences about codes
    that were not searched or mean another condition. `interventions` are those whose titles match,
    or else those whose summaries do, as `matched_in` says.
    """

    entries: tuple[Entry, ...]
    codes: tuple[RecordCode, ...] = ()
    relations: dict[str, Relation] | None = None
    remarks: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    interventions: tuple[Intervention, ...] = ()
    matched_in: MatchedIn = MatchedIn.TITLE

    @property
    def meant(self) -> Entry | None:
        """The entry that the text names, by one certain code or one whole name or term."""
        if self.relations is None:
            whole = [hit for hit in self.hits if hit.is_whole]
            is_certain = len(whole) == 1
        else:
            is_certain = len(self.codes) == 1 and not self.remarks
            is_certain &= [*self.relations.values()] == [Relation.CERTAIN]
        return self.entries[0] if is_certain and len(self.entries) == 1 else None


def search(catalogue: Catalogue, text: str | None, module: Module | None) -> Found:
    """Return the entries that match all conditions; several codes match if any of them does.

    What reads like a code about which nothing is known, such as B12, is searched as words.
    """
    wanted = DiagnosisFilter(module=module)
    if text is None:
        return Found(catalogue.find(wanted))
    found = _of_codes(catalogue, catalogue.matches(_codes(text)), module)
    if found.entries or found.remarks:
        return found
    by_words = _of_words(catalogue, text, module)
    return by_words if by_words.entries or by_words.interventions or not found.codes else found


def _of_words(catalogue: Catalogue, text: str, module: Module | None) -> Found:
    findings = catalogue.named(text, DiagnosisFilter(module=module))
    interventions = catalogue.search.interventions.find(text, module)
    matched_in = interventions[0].matched_in if interventions else MatchedIn.TITLE
    return Found(
        tuple(catalogue.entry(hit.diagnosis_id) for hit in findings.hits),
        hits=findings.hits,
        suggestions=findings.suggestions,
        interventions=tuple(
            hit.intervention for hit in interventions if hit.matched_in is matched_in
        ),
        matched_in=matched_in,
    )


def _of_codes(catalogue: Catalogue, matches: tuple[Match, ...], module: Module | None) -> Found:
    relations = best_relations(matches)
    return Found(
        tuple(
            entry
            for entry in catalogue.find(DiagnosisFilter(module=module))
            if entry.diagnosis.id in relations
        ),
        tuple(match.code for match in matches if match.code.read_as is not None),
        relations,
        tuple(remarks(matches, catalogue)),
    )


def _codes(text: str) -> tuple[RecordCode, ...]:
    """Return the codes in the text, separated by commas; those of a list of codes without commas.

    Words among codes are parts that were not read. A text without any code has none.
    """
    codes = tuple(
        code for part in re.split("[,;]", text) if part.strip() for code in _in_part(part)
    )
    return codes if any(code.read_as is not None for code in codes) else ()


def _in_part(part: str) -> tuple[RecordCode, ...]:
    whole = _read(part)
    if any(code.read_as is None for code in whole):
        separate = tuple(code for word in part.split() for code in _read(word))
        if all(code.read_as is not None for code in separate):
            return separate
    return whole


def _read(part: str) -> tuple[RecordCode, ...]:
    of_icd10, of_icd11 = (read_part(each, part) for each in Classification)
    return of_icd11 if of_icd11[0].read_as is not None else of_icd10
