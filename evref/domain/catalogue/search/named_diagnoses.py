"""The diagnoses that a question names, with the words of it that name each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from evref.domain.catalogue.search.concepts import QueryWord
from evref.domain.catalogue.search.folding import Phrase, stem
from evref.domain.catalogue.search.lexicon import WiderKind
from evref.domain.catalogue.search.name_index import NameIndex, Span
from evref.domain.catalogue.search.synonyms import Synonyms

_AFTER_WIDER = 1_000_000
"""A wider word has fewer diagnoses."""
AFTER_NAMED = _AFTER_WIDER + 1
"""The order of diagnoses that a query does not name."""


@dataclass(slots=True)
class NamedDiagnosis:
    """A diagnosis that a question names.

    `positions` are those of the words that name it, and `name` is the name, term or wider word
    that they are. `order` is the position of the diagnosis in the list of the wider word; diagnoses
    that are named by their own names come after it. `beside` are the positions of wider words
    beside its own name: falls in Parkinson disease.
    """

    positions: set[int]
    order: int = 0
    name: str = ""
    is_wider: bool = False
    beside: set[int] = field(default_factory=set)


def named_diagnoses(
    query_words: Sequence[QueryWord], names: NameIndex, synonyms: Synonyms
) -> dict[str, NamedDiagnosis]:
    """Return the diagnoses that the words of a query name, by id.

    A wider word beside the own name of a diagnosis adds no others if it is a complaint, or if the
    diagnosis is one of those that it means.
    """
    words = tuple(
        dict.fromkeys(word for query_word in query_words for word in query_word.name_words)
    )
    spans = _spans(words, names, synonyms) or _abbreviations(words, names)
    spans = _without_asked_for(spans, query_words, synonyms)
    named: dict[str, NamedDiagnosis] = {}
    for span in spans:
        if span.name.diagnosis_id is not None:
            diagnosis = NamedDiagnosis(set(), _AFTER_WIDER, span.name.text)
            named.setdefault(span.name.diagnosis_id, diagnosis).positions |= _positions(
                span, query_words
            )
    by_own_name = dict(named)
    for span in spans:
        wider = span.name.wider
        if wider is None:
            continue
        # All diagnoses of a wider word share this set.
        positions = _positions(span, query_words)
        is_complaint = wider.kind is WiderKind.COMPLAINT
        if by_own_name and (is_complaint or not by_own_name.keys().isdisjoint(span.diagnosis_ids)):
            for diagnosis_id, diagnosis in by_own_name.items():
                diagnosis.beside |= positions
                diagnosis.positions |= {
                    position
                    for position in positions
                    if names.has(diagnosis_id, query_words[position].name_words)
                }
            continue
        for order, diagnosis_id in enumerate(span.diagnosis_ids):
            if diagnosis_id in named:
                named[diagnosis_id].positions |= positions
            else:
                named[diagnosis_id] = NamedDiagnosis(positions, order, span.name.text, True)
    return named


def _positions(span: Span, query_words: Sequence[QueryWord]) -> set[int]:
    return {
        position
        for position, query_word in enumerate(query_words)
        if span.words.issuperset(query_word.name_words)
    }


def by_positions(named: Mapping[str, NamedDiagnosis]) -> dict[frozenset[int], list[str]]:
    """Return the ids of the diagnoses by the positions of the words that name them."""
    ids: defaultdict[frozenset[int], list[str]] = defaultdict(list)
    for diagnosis_id, diagnosis in named.items():
        ids[frozenset(diagnosis.positions)].append(diagnosis_id)
    return ids


def _without_asked_for(
    spans: list[Span], query_words: Iterable[QueryWord], synonyms: Synonyms
) -> list[Span]:
    """Return the spans without the wider words that ask for an intervention.

    A wider word does if it is a part of a phrase for an intervention, or if such a phrase is the
    whole query: weight loss surgery, joint replacement.
    """
    if all(span.name.wider is None for span in spans):
        return spans
    required = [word for word in query_words if word.is_required]
    whole = _name_words(required)
    phrases = [
        _name_words(required[start:end])
        for start in range(len(required))
        for end in range(start + 1, len(required) + 1)
        if tuple(word.stem for word in required[start:end]) in synonyms.phrases
    ]
    return [
        span
        for span in spans
        if span.name.wider is None
        or not any(span.words < phrase or phrase == whole for phrase in phrases)
    ]


def _name_words(query_words: Iterable[QueryWord]) -> frozenset[str]:
    return frozenset(chain.from_iterable(word.name_words for word in query_words))


def _spans(words: Phrase, names: NameIndex, synonyms: Synonyms) -> list[Span]:
    """Return the names within the words.

    Words that ask for an intervention are not read as part of a name if the other words name a
    wider word or the same diagnoses: exercise for incontinence is not exercise incontinence. No
    other word of the name may be left over: iron deficiency anaemia is not iron and anaemia.
    """
    spans = names.spans(words)
    asking = {word for word in words if (stem(word),) in synonyms.phrases}
    if any(span.name.wider is None and span.words & asking for span in spans):
        others = names.spans(tuple(word for word in words if word not in asking))
        is_whole = any(span.words.issuperset(words) for span in spans)
        read = asking.union(*(span.words for span in others))
        is_wider = any(span.name.wider for span in others)
        if (is_wider and all(span.words <= read for span in spans)) or (
            not is_whole and _ids(spans) == _ids(others)
        ):
            return others
    return spans


def _ids(spans: Iterable[Span]) -> set[str]:
    return set(chain.from_iterable(span.diagnosis_ids for span in spans))


def _abbreviations(words: Phrase, names: NameIndex) -> list[Span]:
    """Return the names that the words are unambiguous abbreviations in."""
    return [
        Span(name, frozenset([word]))
        for word in words
        if (name := names.abbreviated(word)) is not None
    ]
