"""The word lists of the search, which an adapter reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from evref.domain.catalogue.search.folding import Phrase, stem, without, words_of
from evref.domain.catalogue.search.synonyms import Synonyms

LISTS = (
    "stop-words",
    "generic-words",
    "slight-words",
    "care-words",
    "negations",
    "negations-after",
    "opposite-prefixes",
    "abbreviations",
    "absent-conditions",
)
"""The names of the lists."""

Lines = Sequence[Sequence[str]]


class WiderKind(StrEnum):
    """What a word that is wider than one diagnosis names."""

    FAMILY = "family"
    COMPLAINT = "complaint"


@dataclass(frozen=True, slots=True)
class WiderWord:
    """A word for a family of diagnoses or a complaint, and the diagnoses, the likelier first."""

    text: str
    words: Phrase
    kind: WiderKind
    diagnosis_ids: tuple[str, ...]

    def among(self, ids: Collection[str | None]) -> WiderWord:
        """Return this word with only those of its diagnoses that are among these."""
        return replace(self, diagnosis_ids=tuple(id_ for id_ in self.diagnosis_ids if id_ in ids))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words and phrases, folded as the search compares them.

    `stop_words` are ignored. `generic_words`, such as disease, say little in the name of a
    diagnosis, and `care_words`, such as therapy, in the title of an intervention; `slight_words`
    say little alone, such as pain. What follows one of `negations` is not meant, nor what precedes
    one of `negations_after`. `opposites` are the prefixes, each with its spellings, that
    turn a word into its opposite. `abbreviations` have the words that each stands for. `absent`
    are conditions that the catalogue lacks. `wider` are words wider than one diagnosis.
    `synonyms` are words for interventions, stemmed; `correct_words` are all of these, folded.
    """

    stop_words: frozenset[str] = frozenset()
    generic_words: frozenset[str] = frozenset()
    care_words: frozenset[str] = frozenset()
    slight_words: frozenset[str] = frozenset()
    negations: tuple[Phrase, ...] = ()
    negations_after: frozenset[str] = frozenset()
    opposites: tuple[Phrase, ...] = ()
    abbreviations: Mapping[str, Phrase] = field(default_factory=dict)
    absent: tuple[Phrase, ...] = ()
    wider: tuple[WiderWord, ...] = ()
    synonyms: Synonyms = field(default_factory=Synonyms)
    correct_words: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        lists: Mapping[str, Iterable[str]],
        wider: Iterable[tuple[WiderKind, Iterable[str], Iterable[str]]] = (),
        same: Lines = (),
        kinds: Mapping[str, Sequence[str]] = {},
    ) -> Lexicon:
        """Return the lexicon of the lists with the names `LISTS`, each of lines as written.

        `wider` has for each family or complaint its words and ids of diagnoses. `same` are lines of
        words for interventions that mean the same; `kinds` are the kinds of what they stand for.
        """

        def words(name: str) -> frozenset[str]:
            return frozenset(word for line in lists[name] for word in words_of(line))

        stop_words = words("stop-words")
        pairs = (line.partition("=") for line in lists["abbreviations"])

        def phrase(text: str) -> Phrase:
            return tuple(stem(word) for word in words_of(text) if word not in stop_words)

        return cls(
            stop_words=stop_words,
            generic_words=words("generic-words"),
            care_words=words("care-words"),
            slight_words=words("slight-words"),
            negations=tuple(tuple(words_of(line)) for line in lists["negations"]),
            negations_after=words("negations-after"),
            opposites=tuple(tuple(line.split()) for line in lists["opposite-prefixes"]),
            abbreviations={
                "".join(words_of(short)): tuple(words_of(long)) for short, _, long in pairs
            },
            absent=tuple(
                without(words_of(phrase), stop_words)
                for line in lists["absent-conditions"]
                for phrase in line.split(",")
            ),
            wider=tuple(
                WiderWord(text, without(words_of(text), stop_words), kind, tuple(ids))
                for kind, texts, diagnosis_ids in wider
                for ids in [tuple(diagnosis_ids)]
                for text in texts
            ),
            synonyms=Synonyms(
                [map(phrase, line) for line in same],
                {phrase(whole): [*map(phrase, line)] for whole, line in kinds.items()},
            ),
            correct_words=frozenset(
                word
                for line in (*same, kinds, *kinds.values())
                for text in line
                for word in words_of(text)
            ),
        )


WITHOUT_LISTS = Lexicon()
