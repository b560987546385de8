"""The word lists of the search. They are data, which an adapter reads and hands in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evref.domain.catalogue.search.folding import without, words_of

LISTS = (
    "stop-words",
    "generic-words",
    "care-words",
    "negations",
    "opposite-prefixes",
    "abbreviations",
    "absent-conditions",
)
"""The names of the lists."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Words and phrases, folded as the search compares them.

    `stop_words` are ignored. `generic_words`, such as disease, say little in the name of a
    diagnosis, and `care_words`, such as therapy, in the title of an intervention. What follows
    one of `negations` is not meant. `opposites` are the prefixes, each with its spellings, that
    turn a word into its opposite. `abbreviations` have the words that each stands for. `absent`
    are conditions that the catalogue lacks.
    """

    stop_words: frozenset[str] = frozenset()
    generic_words: frozenset[str] = frozenset()
    care_words: frozenset[str] = frozenset()
    negations: tuple[tuple[str, ...], ...] = ()
    opposites: tuple[tuple[str, ...], ...] = ()
    abbreviations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    absent: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, lists: Mapping[str, Iterable[str]]) -> Lexicon:
        """Return the lexicon of the lists with the names `LISTS`, each of lines as written."""

        def words(name: str) -> frozenset[str]:
            return frozenset(word for line in lists[name] for word in words_of(line))

        stop_words = words("stop-words")
        pairs = (line.partition("=") for line in lists["abbreviations"])
        return cls(
            stop_words=stop_words,
            generic_words=words("generic-words"),
            care_words=words("care-words"),
            negations=tuple(tuple(words_of(line)) for line in lists["negations"]),
            opposites=tuple(tuple(line.split()) for line in lists["opposite-prefixes"]),
            abbreviations={
                "".join(words_of(short)): tuple(words_of(long)) for short, _, long in pairs
            },
            absent=tuple(
                without(words_of(phrase), stop_words)
                for line in lists["absent-conditions"]
                for phrase in line.split(",")
            ),
        )


WITHOUT_LISTS = Lexicon()
