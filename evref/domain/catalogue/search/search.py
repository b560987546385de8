"""The search of a catalogue: a query is read once; what follows is filtering and one order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from typing import NamedTuple

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.folding import stem
from evref.domain.catalogue.search.found import (
    Answers,
    Found,
    Hit,
    InterventionHit,
    MatchedBy,
    MatchedIn,
    Piece,
    ReadAs,
)
from evref.domain.catalogue.search.lexicon import Lexicon, Name
from evref.domain.catalogue.search.lists import WordLists
from evref.domain.catalogue.search.reading import Concept, Named, Reader, Reading, Word, typed
from evref.domain.catalogue.search.suggestions import (
    MOST_INTERVENTIONS,
    SHORTEST,
    Suggested,
    Suggestions,
)
from evref.domain.catalogue.search.texts import IN_BODY, Texts, body

_SHORTEST_PART, _SHORTEST_TEXT = 4, 7
_MOST_SUGGESTED, _LAST = 3, 99
_EMPTY = frozenset[int]()


class _Candidate(NamedTuple):
    """An intervention: what orders it, which words of the query it lacks, and how many it has."""

    order: int
    is_in_body: bool
    facets_met: int
    """Negative, because more come first."""
    distance: int
    place_on_card: int
    number: int
    lacking: tuple[str, ...]
    met: int


class Search:
    """The search of the diagnoses and interventions of a catalogue."""

    def __init__(self, catalogue: Catalogue, lists: WordLists) -> None:
        self._names = {entry.diagnosis.id: entry.diagnosis.name for entry in catalogue.entries}
        self._texts = Texts(catalogue, lists)
        self._lexicon = Lexicon(catalogue, lists)
        self._reader = Reader(self._lexicon, self._texts)
        self._suggestions = Suggestions(catalogue, self._lexicon)
        self._with_stem: dict[str, list[str]] = {}
        for word in self._lexicon.having:
            self._with_stem.setdefault(stem(word), []).append(word)

    def diagnoses(self, text: str) -> Found:
        """Return what the text names; entries are left to the caller."""
        reading = self._reader.read(text)
        hits = self._hits(reading, reading.meant)
        near = self._hits(reading, [named for named in reading.named if named.changed_by])
        if not (hits or reading.absent):
            hits = self._having(reading)
            near = near or self._near(reading)
        read, unread = self._how_read(reading, text)
        return Found(
            hits=hits,
            umbrella=_wider(reading),
            suggestions=() if hits else near[:_MOST_SUGGESTED],
            absent=tuple(
                dict.fromkeys(typed(reading.words, named.places) for named in reading.absent)
            ),
            read=read,
            ignored=() if hits and not reading.meant else unread,
        )

    def diagnoses_of_record(self, text: str) -> Found:
        """Return the diagnoses that a name in a record names, or else those that may be meant."""
        reading = self._reader.read_name(text)
        hits = self._hits(reading, reading.meant)
        if hits:
            return Found(hits=hits)
        reading = self._reader.read(text, corrects=False)
        near = (h for h in self._hits(reading, reading.named) if h.by is not MatchedBy.UMBRELLA)
        return Found(suggestions=tuple(islice(near, _MOST_SUGGESTED)))

    def interventions(self, text: str, among: Collection[str] | None = None) -> Answers:
        """Return the interventions that the text asks for, of these diagnoses if any are given."""
        reading = self._reader.read(text)
        named = {
            id_: places
            for id_, places in _places_of_diagnoses(reading).items()
            if among is None or id_ in among
        }
        concepts = {
            places: [*self._reader.concepts(reading.words, places)]
            for places in dict.fromkeys(named.values() or [_EMPTY])
        }
        if not (named or any(concept.is_required for concept in concepts[_EMPTY])):
            concepts[_EMPTY] = [replace(concept, facet=None) for concept in concepts[_EMPTY]]
        different = dict.fromkeys(chain.from_iterable(concepts.values()))
        own = [self._texts.of_diagnosis[id_] for id_ in named]
        distances = {
            concept: self._texts.distances(concept.stems, own or [self._texts.all])
            for concept in different
            if concept.is_required
        }
        groups: Iterable[tuple[Collection[int], Iterable[Concept]]] = [
            (self._texts.of_diagnosis[id_], concepts[places]) for id_, places in named.items()
        ] or [(self._anywhere(reading, distances), different)]
        candidates = sorted(
            candidate
            for order, (numbers, sought) in enumerate(groups)
            for candidate in self._candidates(order, numbers, sought, distances)
        )
        meets_any = any(candidate.met for candidate in candidates)
        if meets_any:
            fewest = min(len(candidate.lacking) for candidate in candidates)
            candidates = [best for best in candidates if len(best.lacking) == fewest]
        best_first = (candidate.number for candidate in candidates)
        numbers = dict.fromkeys((*self._texts.titled(text), *best_first))
        read, unread = self._how_read(reading, text)
        return Answers(
            tuple(self._texts.interventions[number] for number in numbers),
            frozenset(
                self._texts.interventions[candidate.number].id
                for candidate in candidates
                if meets_any and not candidate.is_in_body
            ),
            tuple(named),
            bool(named) and not meets_any and not any(concept.facet for concept in different),
            _wider(reading),
            read,
            candidates[0].lacking if candidates else unread,
            hit=partial(self._hit_of, different),
        )

    def suggest(self, text: str, most: int) -> list[Suggested]:
        """Return what the typed text may become; if nothing begins so, what it finds."""
        if len(text.strip()) < SHORTEST:
            return []
        return (
            self._suggestions.of(text, most)
            or [
                self._suggestions.diagnosis(hit.diagnosis_id, hit.matched)
                for hit in self.diagnoses(text).hits[:most]
            ]
            or [
                self._suggestions.intervention(intervention)
                for intervention in self.interventions(text).interventions[:MOST_INTERVENTIONS]
            ]
        )

    def _hit_of(self, concepts: Iterable[Concept], intervention: Intervention) -> InterventionHit:
        """Return why an intervention was found: by concepts, or by the words of its diagnosis."""
        in_title, in_body = list[str](), list[str]()
        for concept in concepts:
            phrases = self._texts.alternatives(concept.stems) if concept.is_required else []
            words = sorted(concept.facet.title) if concept.facet else concept.stems
            if concept.facet or concept.is_required:
                phrases += [(word,) for word in words]
            if matched := self._texts.written(phrases, intervention.title):
                in_title.append(matched)
            elif not concept.facet and (
                matched := self._texts.written(phrases, body(intervention))
            ):
                in_body.append(matched)
        if not (in_title or in_body):
            return InterventionHit(intervention, matched=(self._names[intervention.diagnosis_id],))
        matched_in = MatchedIn.SUMMARY if in_body else MatchedIn.TITLE
        return InterventionHit(intervention, matched_in, tuple(dict.fromkeys(in_title + in_body)))

    def _anywhere(
        self, reading: Reading, distances: dict[Concept, dict[int, int]]
    ) -> Collection[int]:
        """Return the interventions of any diagnosis that have all concepts, some in its names.

        A condition that the catalogue lacks must be in the title.
        """
        if not distances or any(named.changed_by for named in reading.named):
            return ()
        absent = _EMPTY.union(*(named.places for named in reading.absent))
        for concept, far in distances.items():
            if concept.places & absent:
                distances[concept] = {number: n for number, n in far.items() if n < IN_BODY}
            elif len(concept.stems) == 1:
                words = self._with_stem.get(concept.stems[0], ())
                for id_ in self._lexicon.diagnoses_with(words):
                    far.update(dict.fromkeys(self._texts.of_diagnosis[id_], 0))
        first, *others = distances.values()
        return set(first).intersection(*others)

    def _candidates(
        self,
        order: int,
        numbers: Iterable[int],
        concepts: Iterable[Concept],
        distances: Mapping[Concept, Mapping[int, int]],
    ) -> Iterator[_Candidate]:
        required = [(c.typed, distances[c]) for c in concepts if c in distances]
        meeting = [self._texts.meeting(c.facet) for c in concepts if c.facet is not None]
        places_on_card = self._texts.places_on_card
        for number in numbers:
            far = [having[number] for _, having in required if number in having]
            distance = sum(far)
            yield _Candidate(
                order,
                distance >= IN_BODY,
                -sum([met[number] for met in meeting]),
                distance % IN_BODY,
                places_on_card[number],
                number,
                tuple(words for words, having in required if number not in having),
                len(far),
            )

    def _how_read(self, reading: Reading, text: str) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
        """Return the pieces in the order typed, those negated last, and the words that are in none.

        If nothing was read, these are all words.
        """
        pieces: list[tuple[int, Piece]] = []
        covered = _EMPTY
        for named in reading.named:
            places = named.places | named.changed_by
            covered |= places
            words = typed(reading.words, places)
            for name in named.names:
                read_as = ReadAs.WIDER if name.kind.is_wider else ReadAs.DIAGNOSIS
                if named.changed_by or named.is_absent:
                    read_as = ReadAs.ABSENT
                elif reading.is_corrected(named):
                    read_as = ReadAs.CORRECTED
                meaning = words if named.changed_by else name.meaning
                pieces.append((min(places), Piece(words, read_as, meaning)))
        unread = []
        for concept in self._reader.concepts(reading.words, covered):
            if concept.meaning:
                read_as = ReadAs.FACET if concept.facet else ReadAs.TREATMENT
                piece = Piece(concept.typed, read_as, concept.meaning)
                pieces.append((min(concept.places), piece))
            elif not concept.is_slight:
                unread.append(concept.typed)
        in_order = [piece for _, piece in sorted(pieces, key=itemgetter(0))]
        in_order += [Piece(words, ReadAs.NEGATED, None) for words in reading.negated]
        ignored = unread if unread or in_order else text.split()
        return tuple(dict.fromkeys(in_order)), tuple(ignored)

    def _hits(self, reading: Reading, several: Iterable[Named]) -> tuple[Hit, ...]:
        """Return a hit for each diagnosis by its best name: whole, then longest, then English."""
        ranked: list[tuple[tuple[int, ...], Hit]] = []
        for named in several:
            size, is_corrected = len(named.places), reading.is_corrected(named)
            is_whole = size == len(reading.words)
            for name in named.names:
                is_wider, is_foreign = name.kind.is_wider, name.language != "en"
                for place, id_ in enumerate(name.diagnosis_ids):
                    rank = (not is_whole, is_wider, is_wider and place, -size, is_foreign)
                    hit = self._hit(id_, name, is_whole and not is_corrected, is_corrected)
                    ranked.append((rank, hit))
        return _best(ranked)

    def _hit(self, id_: str, name: Name, is_whole: bool = False, is_corrected: bool = False) -> Hit:
        by = MatchedBy.UMBRELLA if name.kind.is_wider else MatchedBy(name.kind)
        return Hit(id_, self._names[id_], name.text, name.language, by, is_whole, is_corrected)

    def _having(self, reading: Reading) -> tuple[Hit, ...]:
        """Return the diagnoses with a name of which the text is a good part."""
        words = {word.folded for word in reading.words}
        if sum(map(len, words)) < _SHORTEST_TEXT or not any(map(self._tells, reading.words)):
            return ()
        return _best(self._with_words(words, most=2 * len(words)))

    def _near(self, reading: Reading) -> tuple[Hit, ...]:
        """Return the diagnoses with a word of the text that few others have in a name."""
        ranked = [
            ((place, *rank), hit)
            for place, word in enumerate(reading.words)
            if self._tells(word)
            and len(self._lexicon.diagnoses_with([word.folded])) <= _MOST_SUGGESTED
            for rank, hit in self._with_words([word.folded])
        ]
        return _best(ranked)

    def _tells(self, word: Word) -> bool:
        is_long = len(word.folded) >= _SHORTEST_PART
        is_vague = word.folded in self._lexicon.lists.vague or self._lexicon.is_light(word.folded)
        return is_long and not word.names and not is_vague

    def _with_words(
        self, words: Collection[str], most: int = _LAST
    ) -> Iterator[tuple[tuple[int, ...], Hit]]:
        """Yield the names of diagnoses of at most so many words, these among them."""
        sizes, names = self._lexicon.sizes, self._lexicon.names
        for number in self._lexicon.having_all(words):
            if sizes[number] <= most:
                for name in names[number]:
                    if name.language:
                        rank = (sizes[number], name.language != "en")
                        yield rank, self._hit(name.diagnosis_ids[0], name)


def _best(ranked: Iterable[tuple[tuple[int, ...], Hit]]) -> tuple[Hit, ...]:
    """Return the hits in the order of their ranks, the first of each diagnosis."""
    best: dict[str, Hit] = {}
    for _, hit in sorted(ranked, key=itemgetter(0)):
        best.setdefault(hit.diagnosis_id, hit)
    return tuple(best.values())


def _places_of_diagnoses(reading: Reading) -> dict[str, frozenset[int]]:
    """Return the named diagnoses, or else those of wider words, with the places of their words."""
    named = [(name, named.places) for named in reading.meant for name in named.names]
    certain = [(name, own) for name, own in named if not name.kind.is_wider]
    places: dict[str, frozenset[int]] = {}
    for name, own in certain or named:
        for id_ in name.diagnosis_ids:
            places[id_] = places.get(id_, _EMPTY) | own
    return places


def _wider(reading: Reading) -> Name | None:
    names = chain.from_iterable(named.names for named in reading.meant)
    return next((name for name in names if name.kind.is_wider), None)
