"""The search of interventions by what people ask: an intervention, often with a diagnosis."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import chain, takewhile

from evref.domain.catalogue.card import in_card_order
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Recommendation
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.folding import Forms, fold, stem, words_of
from evref.domain.catalogue.search.lexicon import Lexicon
from evref.domain.catalogue.search.names import NameIndex, Span
from evref.domain.catalogue.search.spelling import Spelling
from evref.domain.catalogue.search.synonyms import Likeness, Words

_LONGEST_PHRASE = 6
_SHORTEST_BEGINNING = 4
_SHORTEST_PART = 4
_SHORTEST_INITIALS = 3
_MOST_BEGINNINGS = 20
_FEW = 20
"""How many times as fast going through numbers is as looking one up."""
_IN_SUMMARY = 3
_LIKENESSES = len(Likeness)
_NOWHERE = 2 * _LIKENESSES


class MatchedIn(StrEnum):
    """Where the words of a query are."""

    TITLE = "title"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Reading:
    """Words of a query, and the words of an intervention that stand for them, as written."""

    words: str
    matched: tuple[str, ...]
    likeness: Likeness


@dataclass(frozen=True, slots=True)
class InterventionHit:
    """An intervention that a query finds, and how each part of the query was read.

    If the query names a diagnosis alone, `matched_in` is None, and the reading has that name.
    """

    intervention: Intervention
    matched_in: MatchedIn | None
    readings: tuple[Reading, ...]

    @property
    def matched(self) -> tuple[str, ...]:
        """The words of its title, or of its summary and cautions, that were met."""
        return tuple(dict.fromkeys(chain(*(reading.matched for reading in self.readings))))


@dataclass(frozen=True, slots=True)
class Answers:
    """The interventions that a query finds, best first.

    `in_title` are the ids of those that are met in their titles. `ignored` are the words of the
    query that nothing has. `diagnosis_ids` are the diagnoses that it names, the likelier first,
    and `diagnosis_words` the words that name them; `is_alone` is whether it names nothing else.
    """

    interventions: tuple[Intervention, ...] = ()
    in_title: frozenset[str] = frozenset()
    ignored: tuple[str, ...] = ()
    diagnosis_ids: tuple[str, ...] = ()
    diagnosis_words: tuple[str, ...] = ()
    is_alone: bool = False
    explain: Callable[[Intervention], InterventionHit] | None = None

    def hit(self, intervention: Intervention) -> InterventionHit:
        """Return why an intervention was found; slower than the search, so it is for a few."""
        assert self.explain is not None  # noqa: S101 - there are interventions
        return self.explain(intervention)


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a query that counts, as the two searches compare it.

    If it `is_slight`, it counts only for the order.
    """

    text: str
    names: Words
    stem: str
    is_slight: bool


class _Concept:
    """A word or phrase of a query, and the phrases of entries that may stand for it."""

    def __init__(self, tokens: Sequence[_Token], phrases: Mapping[Words, Likeness]) -> None:
        self.text = " ".join(token.text for token in tokens)
        self.is_required = not all(token.is_slight for token in tokens)
        self.words = [token.stem for token in tokens]
        self.phrases = dict(sorted(phrases.items(), key=lambda item: len(item[0])))
        self.rarity = 1
        self.first_words = {phrase[0] for phrase in phrases}
        self.places: list[_Numbers] = []


_Numbers = dict[int, int]
"""Numbers of interventions, and how many words were met."""


class _Field:
    """The words of a field of all interventions: the numbers of those that have each."""

    def __init__(self) -> None:
        self.having: defaultdict[Words, array[int]] = defaultdict(partial(array, "I"))

    def has(self, number: int, phrase: Words) -> bool:
        numbers = self.having.get(phrase, ())
        place = bisect_left(numbers, number)
        return place < len(numbers) and numbers[place] == number

    def places(self, concept: _Concept, among: Collection[int] | None) -> list[_Numbers]:
        """Return the numbers of those that have the concept, for each likeness."""
        found: list[_Numbers] = [{} for _ in Likeness]
        mine = set(among or ())
        for phrase, likeness in concept.phrases.items():
            numbers: Collection[int] = self.having.get(phrase, ())
            if among is not None and len(numbers) < _FEW * len(mine):
                numbers = mine.intersection(numbers)
            elif among is not None:
                numbers = [number for number in mine if self.has(number, phrase)]
            found[likeness].update(dict.fromkeys(numbers, len(phrase)))
        if len(concept.words) > 1:
            # The words of the query itself need not be adjacent.
            each = [self.having.get((word,), ()) for word in concept.words]
            rarest = min(each, key=len) if among is None else among
            apart = set(rarest).intersection(*each) if all(each) else set()
            found[Likeness.SAME].update(dict.fromkeys(apart, len(concept.words)))
        return found


class InterventionIndex:
    """The words of all visible interventions.

    They are numbered in the order in which equal matches are found: those with a graded
    recommendation first, then by the name of the diagnosis and in listing order.
    """

    def __init__(self, entries: Iterable[Entry], lexicon: Lexicon) -> None:
        self._stop_words = lexicon.stop_words
        self._forms = Forms(self._form)
        self.entries = {entry.diagnosis.id: entry for entry in entries}
        self.interventions = sorted(
            (one for entry in self.entries.values() for one in entry.visible_interventions()),
            key=lambda one: one.evidence.recommendation is Recommendation.NOT_STATED,
        )
        mainstays = {name for entry in self.entries.values() for name in entry.diagnosis.mainstays}
        self.esteem = [
            (one.evidence.recommendation is Recommendation.NOT_STATED, one.id not in mainstays)
            for one in self.interventions
        ]
        """Of each: whether it has no graded recommendation, and whether it is no mainstay."""
        self.numbers_of: defaultdict[str, list[int]] = defaultdict(list)
        self.titles, self.rest = _Field(), _Field()
        self.titles_written: list[Words] = []
        """The words of each title, as written."""
        self.title_words: list[tuple[str, int]] = []
        """The first word of each title, and the number of its words without words of care."""
        care_words = frozenset(map(stem, lexicon.care_words))
        beginnings: defaultdict[str, list[Words]] = defaultdict(list)
        for phrase in lexicon.synonyms.phrases:
            if len(phrase) > 1:
                beginnings[phrase[0]].append(phrase)
        self._beginnings = dict(beginnings)
        for number, one in enumerate(self.interventions):
            self.numbers_of[one.diagnosis_id].append(number)
            written = words_of(one.title, str)
            self.titles_written.append(tuple(written))
            words = self._add(self.titles, number, written)
            telling = [word for word in words if word not in care_words]
            self.title_words.append((words[0] if words else "", len(telling)))
            self._add(self.rest, number, words_of(_rest_of(one), str))
        self.right = frozenset(map(fold, self._forms)) | lexicon.right
        """The words of all texts and of the lexicon, folded: none of them is a slip."""
        stems = {word for phrase in lexicon.synonyms.phrases for word in phrase}
        self.known = stems.union(*self.titles.having, *self.rest.having)
        """The stems of all words."""
        self._initials = "\n".join(
            "".join([word[0] for word in written]) for written in self.titles_written
        )

    def _form(self, word: str) -> str:
        """Return the form in which a word is compared; empty if it does not count."""
        folded = fold(word)
        return "" if folded in self._stop_words else stem(folded)

    def words(self, text: str) -> list[str]:
        """Return the words of the text that count, in order."""
        return list(filter(None, map(self._forms.__getitem__, words_of(text, str))))

    def with_initials(self, word: str) -> set[int]:
        """Return the numbers of those with adjacent words in their titles that the word shortens.

        >>> InterventionIndex([], Lexicon()).with_initials("pfo")
        set()
        """
        found: set[int] = set()
        if len(word) >= _SHORTEST_INITIALS:
            number, before, place = 0, 0, self._initials.find(word)
            while place >= 0:
                number += self._initials.count("\n", before, place)
                found.add(number)
                before, place = place, self._initials.find(word, place + 1)
        return found

    def rarity(self, words: Iterable[str]) -> int:
        """Return how rare the rarest of the words is: how many times they halve all texts."""
        fewest = min(
            len(self.titles.having.get((word,), ())) + len(self.rest.having.get((word,), ()))
            for word in words
        )
        return 1 + max(0, len(self.interventions) // (fewest + 1)).bit_length()

    def _add(self, field: _Field, number: int, written: Iterable[str]) -> list[str]:
        words = list(filter(None, map(self._forms.__getitem__, written)))
        having, beginnings = field.having, self._beginnings
        different = dict.fromkeys(words)
        for word in different:
            having[word,].append(number)
        phrases = {
            phrase
            for place, word in enumerate(words)
            if word in beginnings
            for phrase in beginnings[word]
            if _begin_with(words[place : place + len(phrase) + 1], phrase)
        }
        for phrase in phrases:
            having[phrase].append(number)
        return list(different)


def _begin_with(words: Sequence[str], phrase: Words) -> bool:
    """Return whether the words begin with the phrase, which may have a word between its words.

    >>> _begin_with(["speech", "language", "therapy"], ("speech", "therapy"))
    True
    """
    if tuple(words[:-1]) == phrase or tuple(words) == phrase:
        return True
    rest = iter(words)
    return words[-1] == phrase[-1] and all(word in rest for word in phrase)


@dataclass(slots=True)
class _Named:
    """A diagnosis that a query names, and which of its tokens do so."""

    tokens: set[int]
    place: int
    text: str
    is_wider: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """How well an intervention meets a query; the better is the smaller."""

    missing: tuple[str, ...]
    rank: tuple[float, ...]
    number: int


class InterventionSearch:
    """Reads a query as a diagnosis and what is asked about it, and finds the interventions."""

    def __init__(self, index: InterventionIndex, names: NameIndex, lexicon: Lexicon) -> None:
        self._index, self._names, self._lexicon = index, names, lexicon
        slight = lexicon.generic_words | lexicon.slight_words
        self._slight = frozenset(map(stem, slight))
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        stems = Forms(stem).__getitem__
        for diagnosis_id, words in names.words_by_diagnosis().items():
            for word in dict.fromkeys(map(stems, words)):
                self._by_name[word].append(diagnosis_id)
        self._sorted = sorted(index.known | self._by_name.keys())
        self._spelling = Spelling(
            sorted({word for word in index.right | names.words if len(word) > _SHORTEST_PART}),
            lexicon.opposites,
        )

    def find(self, text: str, diagnosis_id: str | None = None) -> Answers:
        """Return what the text finds, of this diagnosis if one is given.

        Unknown words are corrected only where nothing is found.
        """
        words = [
            (word, fold(word))
            for word in words_of(text, str)
            if fold(word) not in self._lexicon.stop_words
        ]
        tokens = [
            self._token(part, folded)
            for word, given in words
            for part, folded in self._taken_apart(word, given)
        ]
        if not tokens:
            return Answers()
        answers = self._answers(tokens, diagnosis_id)
        corrected = [self._corrected(folded) for _, folded in words]
        if not answers.interventions and corrected != [folded for _, folded in words]:
            answers = self._answers([self._token(word, word) for word in corrected], diagnosis_id)
        return answers

    def unknown(self, text: str) -> tuple[str, ...]:
        """Return the words that the catalogue and the lexicon lack; the text if it has no words."""
        if not words_of(text):
            return (text,)
        return tuple(part for part in text.split() if not all(map(self._is_said, words_of(part))))

    def _is_said(self, folded: str) -> bool:
        lexicon = self._lexicon
        lists = lexicon.stop_words, lexicon.generic_words, lexicon.care_words, lexicon.abbreviations
        return self._is_known(folded) or any(folded in words for words in lists)

    def _token(self, text: str, folded: str) -> _Token:
        (names,) = self._names.spelled_out([folded])
        is_slight = folded in self._lexicon.care_words or len(folded) == 1
        return _Token(text, names, stem(folded), is_slight)

    def _taken_apart(self, text: str, folded: str) -> list[tuple[str, str]]:
        """Return a word, or if nothing has it, two known words that it joins: shock wave."""
        if not self._is_known(folded):
            for cut in range(_SHORTEST_PART, len(folded) - _SHORTEST_PART + 1):
                # German joins many words with an s.
                both = folded[:cut].removesuffix("s"), folded[cut:]
                if all(map(self._is_known, both)):
                    return [(one, one) for one in both]
        return [(text, folded)]

    def _is_known(self, folded: str) -> bool:
        return stem(folded) in self._index.known or self._names.is_right(folded)

    def _corrected(self, folded: str) -> str:
        if folded in self._index.right or self._names.is_right(folded):
            return folded
        return next(iter(self._spelling.nearest(folded)), folded)

    def _beginning_with(self, word: str) -> list[str]:
        """Return the word, or if nothing has it, some known words that begin with it."""
        if len(word) < _SHORTEST_BEGINNING or word in self._index.known or word in self._by_name:
            return [word]
        start = bisect_left(self._sorted, word)
        some = self._sorted[start : start + _MOST_BEGINNINGS]
        return list(takewhile(lambda other: other.startswith(word), some)) or [word]

    def _answers(self, tokens: Sequence[_Token], diagnosis_id: str | None) -> Answers:
        named = self._named(tokens)
        if diagnosis_id is not None:
            mine = named.get(diagnosis_id) or _Named(set(), 0, "", is_wider=False)
            named = {diagnosis_id: mine}
        naming = set().union(*(one.tokens for one in named.values()))
        diagnosis_words = tuple(tokens[place].text for place in sorted(naming))
        by_tokens: defaultdict[frozenset[int], list[str]] = defaultdict(list)
        for name, one in named.items():
            by_tokens[frozenset(one.tokens)].append(name)
        found: list[_Found] = []
        concepts_of: dict[str, list[_Concept]] = {}
        for covered, ids in by_tokens.items():
            among = self._numbers_of(ids)
            concepts = self._concepts(tokens, covered, among)
            if any(concept.is_required for concept in concepts):
                concepts_of |= dict.fromkeys(ids, concepts)
                found += self._in_named(concepts, among, {name: named[name].place for name in ids})
            elif covered and not self._is_asked_as_words(tokens, named[ids[0]]):
                meant = [name for name in named if named[name].tokens >= covered]
                return self._alone(meant, named, diagnosis_words)
        found = [one for one in found if not one.missing] or found
        if not found and diagnosis_id is None:
            concepts = self._concepts(tokens, frozenset(), None)
            concepts_of = defaultdict(lambda: concepts)
            found = self._anywhere(concepts) or self._in_nearly_named(tokens, named, concepts_of)
        if not found:
            return Answers(diagnosis_ids=tuple(named), diagnosis_words=diagnosis_words)
        found.sort(key=lambda one: (len(one.missing), one.rank, one.number))
        missing = found[0].missing
        found = [one for one in found if one.missing == missing]
        if any(one.is_wider for one in named.values()):
            found = self._by_diagnosis(found, named)
        interventions = tuple(self._index.interventions[one.number] for one in found)
        met_in_title = frozenset(
            self._index.interventions[one.number].id for one in found if one.rank[0] < _IN_SUMMARY
        )

        def explain(one: Intervention) -> InterventionHit:
            place = MatchedIn.TITLE if one.id in met_in_title else MatchedIn.SUMMARY
            return InterventionHit(one, place, self._met(one, concepts_of[one.diagnosis_id]))

        return Answers(
            interventions, met_in_title, missing, tuple(named), diagnosis_words, explain=explain
        )

    def _named(self, tokens: Sequence[_Token]) -> dict[str, _Named]:
        """Return the diagnoses that the tokens name, by id."""
        words = tuple(dict.fromkeys(word for token in tokens for word in token.names))
        spans = self._names.spans(words)
        asked = {word for word in words if (stem(word),) in self._lexicon.synonyms.phrases}
        if any(span.name.wider is None and span.words & asked for span in spans):
            # Exercise for incontinence is not exercise incontinence.
            others = self._names.spans(tuple(word for word in words if word not in asked))
            are_same = {*chain(*map(_ids, spans))} == {*chain(*map(_ids, others))}
            is_whole = any(span.words.issuperset(words) for span in spans)
            if any(span.name.wider for span in others) or (are_same and not is_whole):
                spans = others
        if not spans:
            spans = [
                Span(abbreviated, frozenset([word]))
                for word in words
                if (abbreviated := self._names.abbreviation(word)) is not None
            ]
        named: dict[str, _Named] = {}
        for span in sorted(spans, key=lambda span: span.name.wider is None):
            places = {n for n, token in enumerate(tokens) if span.words.issuperset(token.names)}
            is_wider = span.name.wider is not None
            for place, name in enumerate(_ids(span)):
                one = named.get(name)
                if one is None:
                    place_of_own = place if is_wider else len(self._lexicon.wider)
                    named[name] = _Named(places, place_of_own, span.name.text, is_wider)
                else:
                    one.tokens |= places
        return named

    def _in_nearly_named(
        self,
        tokens: Sequence[_Token],
        named: Collection[str],
        concepts_of: dict[str, list[_Concept]],
    ) -> list[_Found]:
        """Return what the diagnoses have that have the most of the tokens in their names.

        Nothing if a diagnosis is named. Only words that nothing has may be missing.
        """
        found: list[_Found] = []
        having: defaultdict[str, set[int]] = defaultdict(set)
        for place, token in enumerate(tokens):
            if token.stem not in self._slight:
                for name in self._by_name.get(token.stem, ()):
                    having[name].add(place)
        most = max(map(len, having.values()), default=0)
        by_tokens: defaultdict[frozenset[int], list[str]] = defaultdict(list)
        for name, covered in having.items():
            if len(covered) == most and not named:
                by_tokens[frozenset(covered)].append(name)
        for some, ids in by_tokens.items():
            among = self._numbers_of(ids)
            concepts = self._concepts(tokens, some, among)
            concepts_of |= dict.fromkeys(ids, concepts)
            found += (
                one
                for one in self._in_named(concepts, among, dict.fromkeys(ids, 0))
                if not any(self._is_known(fold(word)) for word in one.missing)
            )
        return found

    def _by_diagnosis(self, found: list[_Found], named: Mapping[str, _Named]) -> list[_Found]:
        """Return what was found, first the best of each diagnosis, the likelier diagnosis first."""
        best: dict[str, _Found] = {}
        for one in found:
            best.setdefault(self._index.interventions[one.number].diagnosis_id, one)
        likely = [best[name] for name, _ in sorted(named.items(), key=_place) if name in best]
        return list({one.number: one for one in (*likely, *found)}.values())

    def _is_asked_as_words(self, tokens: Sequence[_Token], named: _Named) -> bool:
        """Return whether the name is also an intervention: weight loss, joint replacement."""
        phrase = tuple(token.stem for token in tokens if not token.is_slight)
        return named.is_wider and phrase in self._lexicon.synonyms.phrases

    def _numbers_of(self, ids: Iterable[str]) -> list[int]:
        return [number for name in ids for number in self._index.numbers_of[name]]

    def _concepts(
        self, tokens: Sequence[_Token], covered: Collection[int], among: Collection[int] | None
    ) -> list[_Concept]:
        """Return the longest phrases of the lexicon that are found, and the words between them."""
        phrases = self._lexicon.synonyms.phrases
        concepts = []
        place = 0
        while place < len(tokens):
            if place in covered:
                place += 1
                continue
            rest = list(takewhile(lambda n: n not in covered, range(place, len(tokens))))
            for length in range(min(len(rest), _LONGEST_PHRASE), 0, -1):
                some = tokens[place : place + length]
                if length == 1 or tuple(token.stem for token in some) in phrases:
                    concept = self._concept(some, among)
                    if length == 1 or any(concept.places):
                        concepts.append(concept)
                        place += length
                        break
        return concepts

    def _concept(self, some: Sequence[_Token], among: Collection[int] | None) -> _Concept:
        alternatives = self._lexicon.synonyms.of(tuple(token.stem for token in some))
        if len(some) == 1:
            beginning = self._beginning_with(some[0].stem)
            alternatives |= {(word,): Likeness.SAME for word in beginning}
            if len(some[0].names) > 1:
                alternatives[tuple(map(stem, some[0].names))] = Likeness.SYNONYM
        concept = _Concept(some, alternatives)
        concept.rarity = self._index.rarity(concept.words)
        concept.places = self._where(concept, among)
        return concept

    def _in_named(
        self, concepts: list[_Concept], numbers: Iterable[int], places: Mapping[str, int]
    ) -> Iterator[_Found]:
        """Yield the interventions of the diagnoses that have any concept that is required."""
        required = [
            (concept.text, frozenset().union(*concept.places))
            for concept in concepts
            if concept.is_required
        ]
        for number in numbers:
            missing = tuple(text for text, having in required if number not in having)
            if len(missing) < len(required):
                place = places[self._index.interventions[number].diagnosis_id]
                yield _Found(missing, self._rank(number, concepts, place), number)

    def _anywhere(self, concepts: list[_Concept]) -> list[_Found]:
        """Return the interventions that have all concepts, some in the names of the diagnosis."""
        required = [one for one in concepts if one.is_required]
        required = required or [one for one in concepts if any(one.places)]
        if not required:
            return []
        texts = {one: set().union(*one.places) for one in required}
        loose = {one: self._loosely(one) for one in required}
        candidates = set.intersection(*(texts[one] | loose[one] for one in required))
        asked = [one for one in required if not self._slight.issuperset(one.words)] or required
        candidates &= set().union(*(texts[one] for one in asked))
        for one in required:
            one.places[0] = dict.fromkeys(loose[one], 0) | one.places[0]
        return [_Found((), self._rank(number, concepts, 0), number) for number in candidates]

    def _loosely(self, concept: _Concept) -> set[int]:
        return {
            number
            for typed in concept.words
            for word in self._beginning_with(typed)
            for name in self._by_name.get(word, ())
            if len(concept.words) == 1
            or all(name in self._by_name.get(other, ()) for other in concept.words)
            for number in self._index.numbers_of[name]
        }

    def _where(self, concept: _Concept, among: Collection[int] | None) -> list[_Numbers]:
        """Return those that have the concept: in the title by likeness, then beyond it."""
        index = self._index
        places = [*index.titles.places(concept, among), *index.rest.places(concept, among)]
        if len(concept.words) == 1 and not any(places):
            initials = index.with_initials(concept.text)
            shortened = initials if among is None else initials.intersection(among)
            places[Likeness.SYNONYM].update(dict.fromkeys(shortened, len(concept.text)))
        return places

    def _rank(self, number: int, concepts: list[_Concept], place: int) -> tuple[float, ...]:
        at, slight, kinds, met, beyond = [], 0, 0, 0, 0
        first_word, length = self._index.title_words[number]
        begins = False
        for concept in concepts:
            fields = concept.places
            first = next((n for n, some in enumerate(fields) if number in some), _NOWHERE)
            if first < _LIKENESSES:
                met += fields[first][number]
                begins |= first_word in concept.first_words
            if not concept.is_required:
                slight += first >= _LIKENESSES
                continue
            if first >= _LIKENESSES:
                beyond += concept.rarity
            if first < _NOWHERE:
                at.append(first)
                is_kind = Likeness.SYNONYM < first < _LIKENESSES
                kinds += is_kind and not any(number in fields[n + _LIKENESSES] for n in (0, 1))
        worst = max(at, default=_NOWHERE)
        if worst == 0:
            tier = 0 if slight == 0 and met >= length else 1
        else:
            tier = _IN_SUMMARY if beyond else 2
        likeness = sum(n % _LIKENESSES for n in at)
        return (
            tier,
            beyond,
            kinds,
            likeness,
            slight,
            place,
            *self._index.esteem[number],
            -begins,
            -met / max(length, 1),
        )

    def _alone(
        self, ids: Sequence[str], named: Mapping[str, _Named], diagnosis_words: tuple[str, ...]
    ) -> Answers:
        """Return the interventions of the diagnoses, each in the order of its card."""
        in_order = sorted(ids, key=lambda name: named[name].place)

        def explain(one: Intervention) -> InterventionHit:
            name = named[one.diagnosis_id].text
            return InterventionHit(one, None, (Reading(name, (name,), Likeness.SAME),))

        return Answers(
            tuple(
                one
                for name in in_order
                for entry in [self._index.entries[name]]
                for one in in_card_order(entry.visible_interventions(), entry.diagnosis.mainstays)
            ),
            diagnosis_ids=tuple(in_order),
            diagnosis_words=diagnosis_words,
            is_alone=True,
            explain=explain,
        )

    def _met(self, one: Intervention, concepts: Iterable[_Concept]) -> tuple[Reading, ...]:
        """Return how an intervention meets each concept that it has."""
        title, rest = _Surface(one.title, self._index), _Surface(_rest_of(one), self._index)
        readings = []
        for concept in concepts:
            phrases = sorted(
                concept.phrases.items(), key=lambda phrase: (phrase[1], -len(phrase[0]))
            )
            matched, likeness = title.find(phrases, concept.words)
            if not matched:
                matched, likeness = rest.find(phrases, concept.words)
            if matched:
                readings.append(Reading(concept.text, matched, likeness))
        return tuple(readings)


_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


class _Surface:
    """A text as written, and the words that count with their places in it."""

    def __init__(self, text: str, index: InterventionIndex) -> None:
        self._text = text
        self._words = [
            (word, part.start(), part.end())
            for part in _WORD.finditer(text)
            for word in index.words(part[0])
        ]

    def find(
        self, phrases: Iterable[tuple[Words, Likeness]], words: Sequence[str]
    ) -> tuple[tuple[str, ...], Likeness]:
        """Return the first of the phrases that the text has, as written; else all the words."""
        stems = [word for word, _, _ in self._words]
        for phrase, likeness in phrases:
            for place in range(len(stems) - len(phrase) + 1):
                if tuple(stems[place : place + len(phrase)]) == phrase:
                    start, end = self._words[place][1], self._words[place + len(phrase) - 1][2]
                    return (self._text[start:end],), likeness
        if all(word in stems for word in words):
            places = (self._words[stems.index(word)] for word in words)
            return tuple(self._text[start:end] for _, start, end in places), Likeness.SAME
        return (), Likeness.SAME


def _place(named: tuple[str, _Named]) -> int:
    return named[1].place


def _rest_of(one: Intervention) -> str:
    return one.summary if one.cautions is None else f"{one.summary}\n{one.cautions}"


def _ids(span: Span) -> tuple[str, ...]:
    if span.name.wider is not None:
        return span.name.wider.diagnosis_ids
    return () if span.name.diagnosis_id is None else (span.name.diagnosis_id,)
