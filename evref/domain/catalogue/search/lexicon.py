"""The lexicon: all names by their words, abbreviations by their letters, and their spelling."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from string import ascii_lowercase
from typing import NamedTuple

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.search.folding import (
    Forms,
    Phrase,
    fold,
    in_one_spelling,
    words_of,
    written_words_of,
)
from evref.domain.catalogue.search.lists import Kind, WordLists, counting

_IN_BRACKETS = re.compile(r"\s*\([^)]*\)")
_APOSTROPHES = re.compile("['\u2018\u2019]")
_ABBREVIATION = re.compile(r"[\w.&/-]{1,8}")
_LONGEST_SHORT_PART, _SHORTEST_WORD = 3, 6
_SHORTEST_COMPOUND_PART = 4
SHORTEST_CORRECTED = 5
"""Letters: shorter words are not corrected."""


class Name(NamedTuple):
    """A name, and the diagnoses that it leads to, the likelier first.

    `meaning` is the name of the diagnosis, or the first of the words for a wider one. Only names of
    diagnoses have a `language` (ISO 639-1).
    """

    text: str
    kind: Kind
    diagnosis_ids: tuple[str, ...]
    meaning: str
    language: str | None = None


class Lexicon:
    """The names of the catalogue and of the lists, those of the same words together."""

    def __init__(self, catalogue: Catalogue, lists: WordLists) -> None:
        self.lists = lists
        self.names: list[list[Name]] = []
        """The names of each set of words; those that are abbreviations have none."""
        self.sizes = bytearray()
        """How many words each set has."""
        self.having: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        """The numbers of the sets that have a word, folded."""
        self.abbreviations: defaultdict[str, list[Name]] = defaultdict(list)
        self._numbers: dict[Phrase, int] = {}
        self.facets = {phrase: facet for facet in lists.facets for phrase in facet.phrases}
        endings = frozenset(word for facet in lists.facets for word in facet.endings)
        self._endings = sorted(word for word in endings if len(word) >= _SHORTEST_COMPOUND_PART)
        folded = Forms(fold)
        for entry in catalogue.entries:
            for name, form in names_of(entry.diagnosis):
                self._add(name, form, folded)
        ids = {entry.diagnosis.id for entry in catalogue.entries}
        for kind, texts, several in lists.named:
            among = tuple(id_ for id_ in several if id_ in ids)
            for text in texts if among else ():
                language = None if kind.is_wider else "en"
                self._add(Name(text, kind, among, texts[0], language), text, folded)
        self.written = endings.union(folded)
        """The words, as written, of what the search can find."""
        for text in lists.absent:
            self._add(Name(text, Kind.ABSENT, (), text), text, folded)
        self.spellings = frozenset(map(in_one_spelling, folded))
        """All words of names, written in one of the ways in which people spell them."""
        for short, longs in lists.abbreviations.items():
            self._add_abbreviation(short, longs)
        del self._numbers

    def having_all(self, words: Collection[str]) -> list[int]:
        several = [self.having.get(word, ()) for word in words]
        return sorted(set(several[0]).intersection(*several[1:]))

    def diagnoses_with(self, words: Iterable[str]) -> set[str]:
        """Return the diagnoses that have any of the words in a name or term."""
        numbers = chain.from_iterable(self.having.get(word, ()) for word in words)
        names = chain.from_iterable(self.names[number] for number in numbers)
        return {name.diagnosis_ids[0] for name in names if name.language}

    def is_light(self, word: str) -> bool:
        """Whether a word may stand within or beside a name without changing what it names."""
        return word in self.lists.light or (word,) in self.facets or word.isdigit()

    def parts(self, word: str) -> tuple[str, ...]:
        """Return the parts of a compound of a known word and a facet: Dekubitus-prophylaxe."""
        folded = fold(word)
        if folded not in self.having and folded not in self.lists.right:
            for ending in filter(word.endswith, self._endings):
                known = word.removesuffix(ending)
                if len(known) >= _SHORTEST_COMPOUND_PART and fold(known) in self.having:
                    return known, ending
        return (word,)

    def _add(self, name: Name, form: str, folded: Forms) -> None:
        """Add a name, by its letters if it is an abbreviation, else by the words of its form."""
        words: list[str] = []
        if _is_abbreviation(name.text):
            self._abbreviate(name.text, name)
        else:
            written = map(folded.__getitem__, written_words_of(form))
            words = [*counting(written, self.lists.filling)]
        number = self._numbers.setdefault(tuple(sorted(words)), len(self.names))
        if number == len(self.names):
            self.names.append([])
            self.sizes.append(len(words))
            for word in words:
                self.having[word].append(number)
        self.names[number].append(name)

    def _add_abbreviation(self, short: str, longs: Sequence[str]) -> None:
        """Add what the lists say: the names that it stands for, or else an absent condition."""
        forms = (sorted(counting(words_of(long), self.lists.filling)) for long in longs)
        numbers = (self._numbers.get(tuple(form)) for form in forms)
        meant = [self.names[number][0] for number in numbers if number is not None]
        if meant or not longs:
            ids = tuple(dict.fromkeys(id_ for name in meant for id_ in name.diagnosis_ids))
            first = meant[0] if meant else Name(short, Kind.ABSENT, (), short)
            kind = Kind.TERM if first.kind is Kind.NAME else first.kind
            language = "en" if kind is Kind.TERM else None
            self._abbreviate(short, Name(short, kind, ids, first.meaning, language))

    def _abbreviate(self, text: str, name: Name) -> None:
        for key in letters(text):
            self.abbreviations[key].append(name)


def names_of(diagnosis: Diagnosis) -> Iterator[tuple[Name, str]]:
    """Yield the name and the terms, each as often as people write it otherwise, and how."""
    ids, meaning = (diagnosis.id,), diagnosis.name
    for form in dict.fromkeys((diagnosis.name, _IN_BRACKETS.sub("", diagnosis.name))):
        yield Name(diagnosis.name, Kind.NAME, ids, meaning, "en"), form
    for language, terms in diagnosis.terms.items():
        for term in terms:
            for form in dict.fromkeys((term, _APOSTROPHES.sub("", term))):
                yield Name(term, Kind.TERM, ids, meaning, language), form


def letters(text: str) -> Iterable[str]:
    """Return the forms in which an abbreviation is looked up: A-fib as a-fib and afib."""
    plain = " ".join(text.casefold().split())
    return dict.fromkeys((plain, re.sub(r"[-.\s]", "", plain)))


def _is_abbreviation(term: str) -> bool:
    if _ABBREVIATION.fullmatch(term) is None:
        return False
    is_short = max(map(len, re.split(r"\W", term))) <= _LONGEST_SHORT_PART
    return sum(map(str.isupper, term)) > 1 or (is_short and len(term) < _SHORTEST_WORD)


class Spelling:
    """Known words, as written; their first letter is never a slip."""

    def __init__(self, words: Iterable[str]) -> None:
        self._anagrams: defaultdict[str, list[str]] = defaultdict(list)
        for word in sorted(words):
            if len(word) >= SHORTEST_CORRECTED - 1 and word.isalpha():
                self._anagrams["".join(sorted(word))].append(word)
        self._words = frozenset().union(*self._anagrams.values())

    def near(self, word: str) -> list[str]:
        """Return the words within one slip.

        A slip is a missing, additional or wrong letter, or letters in another order.

        >>> Spelling(["reflux", "migraine", "asthma"]).near("migrane")
        ['migraine']
        >>> Spelling(["reflux", "migraine", "asthma"]).near("athsma")
        ['asthma']
        """
        parts = [(word[:place], word[place:]) for place in range(1, len(word) + 1)]
        typed = {before + after[1:] for before, after in parts}
        for letter in ascii_lowercase:
            typed.update(before + letter + after for before, after in parts)
            typed.update(before + letter + after[1:] for before, after in parts)
        others = [
            other for other in self._anagrams.get("".join(sorted(word)), ()) if other[0] == word[0]
        ]
        return others + sorted(typed & self._words)
