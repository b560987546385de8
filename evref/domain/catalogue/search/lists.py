"""The word lists of the search, which an adapter reads, in the form in which words are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.search.folding import Phrase, fold, stem, words_of, written_words_of
from evref.domain.catalogue.search.synonyms import Synonyms


class Kind(StrEnum):
    """What a name names; a diagnosis has a name and terms."""

    NAME = "name"
    TERM = "term"
    FAMILY = "family"
    COMPLAINT = "complaint"
    ABSENT = "absent"

    @property
    def is_wider(self) -> bool:
        return self in WIDER


WIDER = (Kind.FAMILY, Kind.COMPLAINT)
"""The kinds of words that are wider than one diagnosis."""
_SECTIONS = {
    "names": Kind.TERM,
    "families": Kind.FAMILY,
    "alone": Kind.FAMILY,
    "complaints": Kind.COMPLAINT,
}


@dataclass(frozen=True, slots=True)
class Facet:
    """Words that need not be met, and what meets them: words of a title, a module or a phase."""

    name: str
    phrases: frozenset[Phrase]
    endings: frozenset[str]
    title: frozenset[str]
    modules: frozenset[Module]
    phases: frozenset[Phase]


@dataclass(frozen=True, slots=True)
class WordLists:
    """Words are folded, except `endings` and what is said to be written; synonyms are stems.

    `filling` words are dropped. `light` words, such as disease, say little in and beside a name;
    `care` words among them, such as therapy, also say little of what is asked. `vague` words, such
    as walking, name nothing alone. `of_records` change nothing beside a name in a record. `right`
    words are not slips. `short_words` are written like abbreviations. What follows one of
    `negations` is not meant, nor what a record has beside one of `excluding`. `qualifiers` are the
    beginnings of words that make another disease of the name beside them. `abbreviations` have the
    names they stand for, none if these are absent conditions. `named` are further names of
    diagnoses and wider words; those of `alone` count only if the text says nothing else.
    `treatments` are the phrases of the synonyms, each with the words, as written, that best say
    what it means.
    """

    filling: frozenset[str] = frozenset()
    light: frozenset[str] = frozenset()
    care: frozenset[str] = frozenset()
    vague: frozenset[str] = frozenset()
    of_records: frozenset[str] = frozenset()
    right: frozenset[str] = frozenset()
    short_words: frozenset[str] = frozenset()
    negations: tuple[Phrase, ...] = ()
    excluding: frozenset[str] = frozenset()
    qualifiers: Phrase = ()
    abbreviations: Mapping[str, Sequence[str]] = field(default_factory=dict)
    absent: tuple[str, ...] = ()
    named: tuple[tuple[Kind, Sequence[str], tuple[str, ...]], ...] = ()
    alone: frozenset[str] = frozenset()
    facets: tuple[Facet, ...] = ()
    synonyms: Synonyms = field(default_factory=Synonyms)
    treatments: Mapping[Phrase, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        lists: Mapping[str, Sequence[str]],
        umbrella: Mapping[str, Iterable[Mapping[str, Any]]],
        words: Mapping[str, Any],
        facets: Iterable[Mapping[str, Any]],
    ) -> WordLists:
        """Return the lists, each by its name, of lines as written, and the documents."""

        def folded(*names: str) -> frozenset[str]:
            return frozenset(w for name in names for line in lists[name] for w in words_of(line))

        def separated(lines: Iterable[str]) -> tuple[str, ...]:
            return tuple(
                text for line in lines for part in line.split(",") if (text := part.strip())
            )

        def phrase(text: str) -> Phrase:
            return tuple(stem(word) for word in words_of(text) if word not in filling)

        filling, care = folded("stop-words"), folded("care-words")
        same, kinds = words["same"], words["kinds"]
        treatments = [*same, *([text] for whole, line in kinds.items() for text in (whole, *line))]
        return cls(
            filling=filling,
            light=folded("slight-words") | care,
            care=care,
            vague=folded("vague-words"),
            of_records=folded("record-words"),
            right=frozenset(map(fold, lists["ordinary-words"])).union(
                *(words_of(text) for line in treatments for text in line)
            ),
            short_words=frozenset(lists["ordinary-short"]),
            negations=tuple(tuple(words_of(line)) for line in lists["negations"]),
            excluding=folded("excluding-words"),
            qualifiers=tuple(word for line in lists["qualifiers"] for word in line.split()),
            abbreviations={
                short: separated([long])
                for line in lists["abbreviations"]
                for shorts, _, long in [line.partition("=")]
                for short in separated([shorts])
            },
            absent=separated(lists["absent-conditions"]),
            named=tuple(
                (kind, item["words"], tuple(item["diagnoses"]))
                for section, kind in _SECTIONS.items()
                for item in umbrella.get(section, ())
            ),
            alone=frozenset(word for item in umbrella.get("alone", ()) for word in item["words"]),
            facets=tuple(_facet(facet, filling) for facet in facets),
            synonyms=Synonyms(
                [map(phrase, line) for line in same],
                {phrase(whole): [*map(phrase, line)] for whole, line in kinds.items()},
            ),
            treatments={phrase(text): line[0] for line in reversed(treatments) for text in line},
        )


def _facet(facet: Mapping[str, Any], filling: frozenset[str]) -> Facet:
    return Facet(
        name=facet["facet"],
        phrases=frozenset(tuple(counting(words_of(text), filling)) for text in facet["words"]),
        endings=frozenset(
            words[0] for text in facet["words"] if len(words := written_words_of(text)) == 1
        ),
        title=frozenset(stem(word) for text in facet["title"] for word in words_of(text)),
        modules=frozenset(map(Module, facet.get("module", ()))),
        phases=frozenset(map(Phase, facet.get("phase", ()))),
    )


def counting(words: Iterable[str], filling: frozenset[str]) -> Iterator[str]:
    """Yield the different words that are not filling; all if nothing else is left."""
    different = dict.fromkeys(words)
    yield from [word for word in different if word not in filling] or different


WITHOUT_LISTS = WordLists()
