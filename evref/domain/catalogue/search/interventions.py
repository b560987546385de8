"""The search of interventions by what people ask: an intervention, often with a diagnosis.

A query is read and its answers are ordered like this:

1. It is split into words. Stop words are left out, and an unknown word that joins two known words
   is separated (`known_words`).
2. Words that name diagnoses narrow the search to these (`named_diagnoses`). If no other required
   word is left, the answers are all interventions of the diagnoses.
3. The other words are read as concepts: words and phrases, each with its synonyms and kinds
   (`concepts`).
4. The interventions of the diagnoses that have at least one of these concepts are the candidates,
   and those of other diagnoses whose titles have all words of the query. If there are none, or no
   diagnosis is named, they are all interventions that have all concepts, some of them perhaps in
   the names of the diagnosis. If there are none either, they are those of the diagnoses that have
   the most words of the query in their names.
5. The candidates that lack the fewest words are the answers, in the order of their ranks
   (`ranking`).
6. If nothing is found, slips of spelling are corrected, and the query is read once more.

Why a candidate was found is worked out only for those that are shown (`explaining`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from evref.domain.catalogue.card import in_card_order
from evref.domain.catalogue.intervention import Intervention
from evref.domain.catalogue.search.answers import Answers, InterventionHit, MatchedIn, Reading
from evref.domain.catalogue.search.concepts import Concept, Concepts, QueryWord
from evref.domain.catalogue.search.explaining import readings
from evref.domain.catalogue.search.folding import fold, stem, written_words_of
from evref.domain.catalogue.search.intervention_index import InterventionIndex
from evref.domain.catalogue.search.known_words import KnownWords
from evref.domain.catalogue.search.lexicon import Lexicon
from evref.domain.catalogue.search.name_index import NameIndex
from evref.domain.catalogue.search.named_diagnoses import (
    AFTER_NAMED,
    NamedDiagnosis,
    by_positions,
    named_diagnoses,
)
from evref.domain.catalogue.search.ranking import (
    NO_NAMING_WORDS,
    Candidate,
    NamingWords,
    Rank,
    Tier,
    rank,
)
from evref.domain.catalogue.search.synonyms import Likeness

_Named = Mapping[str, NamedDiagnosis]
"""The diagnoses that a query names, by id."""


class InterventionSearch:
    """Reads a query as a diagnosis and what is asked about it, and finds the interventions."""

    def __init__(
        self, index: InterventionIndex, names: NameIndex, known_words: KnownWords, lexicon: Lexicon
    ) -> None:
        self._index, self._names, self._lexicon = index, names, lexicon
        self._known_words = known_words
        self._concepts = Concepts(index, known_words, lexicon.synonyms)
        self._slight_stems = frozenset(map(stem, lexicon.generic_words | lexicon.slight_words))

    def find(self, text: str, diagnosis_id: str | None = None) -> Answers:
        """Return what the text finds, of this diagnosis if one is given.

        Unknown words are corrected only if nothing is found.
        """
        words = [
            (word, folded)
            for word in written_words_of(text)
            if (folded := fold(word)) not in self._lexicon.stop_words
        ]
        if not words:
            return Answers()
        query_words = [part for word, folded in words for part in self._parts(word, folded)]
        answers = self._answers(query_words, diagnosis_id)
        if not answers.interventions:
            corrected = [self._known_words.corrected(folded) for _, folded in words]
            if corrected != [folded for _, folded in words]:
                answers = self._answers([self._query_word(w, w) for w in corrected], diagnosis_id)
        return answers

    def _parts(self, word: str, folded: str) -> list[QueryWord]:
        parts = self._known_words.separated(folded)
        return [self._query_word(part if len(parts) > 1 else word, part) for part in parts]

    def _query_word(self, text: str, folded: str) -> QueryWord:
        is_required = len(folded) > 1 and folded not in self._lexicon.care_words
        return QueryWord(text, self._names.spelled_out(folded), stem(folded), is_required)

    def _answers(self, words: Sequence[QueryWord], diagnosis_id: str | None) -> Answers:
        named = named_diagnoses(words, self._names, self._lexicon.synonyms)
        if diagnosis_id is not None:
            named = {diagnosis_id: named.get(diagnosis_id, NamedDiagnosis(set()))}
        positions: set[int] = set().union(*(diagnosis.positions for diagnosis in named.values()))
        diagnosis_words = tuple(words[position].text for position in sorted(positions))
        candidates: list[Candidate] = []
        for covered, ids in by_positions(named).items():
            numbers = self._numbers(ids)
            concepts = self._concepts.of(words, covered, numbers)
            if any(concept.is_required for concept in concepts):
                naming = self._naming_words(words, covered, ids)
                candidates += self._with_any(concepts, numbers, named, naming)
            elif covered:
                meant = {id_: named[id_] for id_ in named if named[id_].positions >= covered}
                return self._all_of(meant, diagnosis_words)
        if named and diagnosis_id is None:
            candidates += self._with_title(words, named, candidates)
        if not candidates and diagnosis_id is None:
            candidates = self._with_all(words)
            if not candidates and not named:
                candidates = self._of_nearly_named(words)
        if not candidates:
            meant = _named_with_wider_words(words, named)
            if meant:
                ignored = tuple(
                    word.text
                    for position, word in enumerate(words)
                    if word.is_required and position not in positions
                )
                return self._all_of(meant, diagnosis_words, ignored)
            return Answers(diagnosis_ids=tuple(named), diagnosis_words=diagnosis_words)
        return self._in_order(candidates, named, diagnosis_words)

    def _numbers(self, diagnosis_ids: Iterable[str]) -> frozenset[int]:
        by_diagnosis = self._index.numbers_by_diagnosis
        return frozenset(number for id_ in diagnosis_ids for number in by_diagnosis[id_])

    def _diagnosis_id(self, number: int) -> str:
        return self._index.interventions[number].diagnosis_id

    def _naming_words(
        self, words: Sequence[QueryWord], covered: Iterable[int], diagnosis_ids: Iterable[str]
    ) -> dict[int, NamingWords]:
        """Return how many words that name a diagnosis are in the title, by intervention."""
        in_title: Counter[int] = Counter()
        finer: Counter[int] = Counter()
        stems = {words[position].stem for position in covered}
        for diagnosis_id in diagnosis_ids:
            own_name = self._index.stems(self._index.entries[diagnosis_id].diagnosis.name)
            numbers = self._numbers([diagnosis_id])
            for word in stems:
                having = self._index.titles.with_phrase((word,), numbers)
                in_title.update(having.keys())
                if word not in own_name:
                    finer.update(having.keys())
        return {number: NamingWords(count, finer[number]) for number, count in in_title.items()}

    def _with_any(
        self,
        concepts: list[Concept],
        numbers: Iterable[int],
        named: _Named,
        naming: Mapping[int, NamingWords] = {},
    ) -> Iterator[Candidate]:
        """Yield those of the interventions that have any of the required concepts."""
        required = [
            (concept.text, concept.numbers()) for concept in concepts if concept.is_required
        ]
        for number in numbers:
            missing = tuple(text for text, having in required if number not in having)
            if len(missing) < len(required):
                order = named[self._diagnosis_id(number)].order
                in_title = naming.get(number, NO_NAMING_WORDS)
                yield self._candidate(number, missing, concepts, order, in_title)

    def _candidate(
        self,
        number: int,
        missing: tuple[str, ...],
        concepts: list[Concept],
        order: int = 0,
        naming: NamingWords = NO_NAMING_WORDS,
    ) -> Candidate:
        ranked = rank(number, concepts, self._index.traits[number], order, naming)
        return Candidate(number, missing, ranked, concepts)

    def _with_title(
        self, words: Sequence[QueryWord], named: _Named, candidates: Iterable[Candidate]
    ) -> list[Candidate]:
        """Return the interventions of other diagnoses whose titles have all words of the query.

        If a title of the diagnoses that it names has them too, only whole titles count.
        """
        stems = [word.stem for word in words if word.is_required]
        numbers = self._index.titles.with_all(stems, None)
        others = frozenset(number for number in numbers if self._diagnosis_id(number) not in named)
        if not others:
            return []
        concepts = self._concepts.of(words, frozenset(), others)
        titled = [self._candidate(number, (), concepts, AFTER_NAMED) for number in others]
        if all(
            candidate.missing or candidate.rank.tier is Tier.SUMMARY for candidate in candidates
        ):
            return titled
        return [candidate for candidate in titled if candidate.rank.tier is Tier.WHOLE_TITLE]

    def _with_all(self, words: Sequence[QueryWord]) -> list[Candidate]:
        """Return the interventions that have all concepts, some in the names of the diagnosis.

        At least one must be in its texts, and not only one that says little if there are others.
        """
        concepts = self._concepts.of(words, frozenset(), None)
        required = [concept for concept in concepts if concept.is_required]
        required = required or [concept for concept in concepts if any(concept.matches)]
        if not required:
            return []
        in_texts = [concept.numbers() for concept in required]
        specific = [
            numbers
            for concept, numbers in zip(required, in_texts, strict=True)
            if not self._slight_stems.issuperset(concept.stems)
        ]
        in_names = [self._with_in_name(concept) for concept in required]
        both = (texts | names for texts, names in zip(in_texts, in_names, strict=True))
        numbers = set.intersection(*both) & set().union(*(specific or in_texts))
        for concept, named in zip(required, in_names, strict=True):
            concept.count_as_in_title(named)
        return [self._candidate(number, (), concepts) for number in numbers]

    def _with_in_name(self, concept: Concept) -> frozenset[int]:
        """Return the numbers of the interventions of diagnoses with the concept in their names."""
        diagnoses_with = self._known_words.diagnoses_with
        if len(concept.stems) == 1:
            completed = self._known_words.completed(concept.stems[0])
            return self._numbers(set().union(*map(diagnoses_with, completed)))
        return self._numbers(set.intersection(*map(set, map(diagnoses_with, concept.stems))))

    def _of_nearly_named(self, words: Sequence[QueryWord]) -> list[Candidate]:
        """Return interventions of the diagnoses that have the most of the words in their names.

        Only words that nothing has may be missing.
        """
        positions_by_diagnosis: defaultdict[str, set[int]] = defaultdict(set)
        for position, word in enumerate(words):
            if word.stem not in self._slight_stems:
                for diagnosis_id in self._known_words.diagnoses_with(word.stem):
                    positions_by_diagnosis[diagnosis_id].add(position)
        most = max(map(len, positions_by_diagnosis.values()), default=0)
        named = {
            diagnosis_id: NamedDiagnosis(positions)
            for diagnosis_id, positions in positions_by_diagnosis.items()
            if len(positions) == most
        }
        candidates: list[Candidate] = []
        for covered, ids in by_positions(named).items():
            numbers = self._numbers(ids)
            concepts = self._concepts.of(words, covered, numbers)
            candidates += (
                candidate
                for candidate in self._with_any(concepts, numbers, named)
                if not any(self._known_words.is_known(fold(word)) for word in candidate.missing)
            )
        return candidates

    def _in_order(
        self, candidates: list[Candidate], named: _Named, diagnosis_words: tuple[str, ...]
    ) -> Answers:
        """Return the candidates that lack the fewest words, best first."""
        candidates.sort(key=_missing_then_rank)
        missing = candidates[0].missing
        candidates = [candidate for candidate in candidates if candidate.missing == missing]
        if any(diagnosis.is_wider for diagnosis in named.values()):
            candidates = self._best_of_each_first(candidates, named)
        by_id = {
            self._index.interventions[candidate.number].id: candidate for candidate in candidates
        }
        return Answers(
            tuple(self._index.interventions[candidate.number] for candidate in candidates),
            frozenset(
                id_ for id_, candidate in by_id.items() if candidate.rank.tier < Tier.SUMMARY
            ),
            missing,
            tuple(named),
            diagnosis_words,
            explain=partial(self._explain, by_id),
        )

    def _best_of_each_first(self, candidates: list[Candidate], named: _Named) -> list[Candidate]:
        """Return first the best of each diagnosis, the likelier diagnosis first."""
        best: dict[str, Candidate] = {}
        for candidate in candidates:
            best.setdefault(self._diagnosis_id(candidate.number), candidate)
        whole = [candidate for candidate in candidates if candidate.rank.tier is Tier.WHOLE_TITLE]
        likely = [
            best[id_] for id_ in sorted(named, key=lambda id_: named[id_].order) if id_ in best
        ]
        in_order = (*whole, *likely, *candidates)
        return list({candidate.number: candidate for candidate in in_order}.values())

    def _explain(
        self, candidates: Mapping[str, Candidate], intervention: Intervention
    ) -> InterventionHit:
        candidate = candidates[intervention.id]
        is_in_title = candidate.rank.tier < Tier.SUMMARY
        return InterventionHit(
            intervention,
            MatchedIn.TITLE if is_in_title else MatchedIn.SUMMARY,
            readings(intervention, candidate.concepts, self._index.stems),
        )

    def _all_of(
        self, named: _Named, diagnosis_words: tuple[str, ...], ignored: tuple[str, ...] = ()
    ) -> Answers:
        """Return all interventions of the diagnoses, each in the order of its card."""
        in_order = sorted(named, key=lambda id_: named[id_].order)

        def explain(intervention: Intervention) -> InterventionHit:
            name = named[intervention.diagnosis_id].name
            return InterventionHit(intervention, None, (Reading(name, (name,), Likeness.SAME),))

        return Answers(
            tuple(
                intervention
                for entry in map(self._index.entries.__getitem__, in_order)
                for intervention in in_card_order(
                    entry.visible_interventions(), entry.diagnosis.mainstays
                )
            ),
            ignored=ignored,
            diagnosis_ids=tuple(in_order),
            diagnosis_words=diagnosis_words,
            is_alone=True,
            explain=explain,
        )


def _named_with_wider_words(words: Sequence[QueryWord], named: _Named) -> dict[str, NamedDiagnosis]:
    """Return the diagnoses that all required words name, with the wider words beside the name."""
    required = {position for position, word in enumerate(words) if word.is_required}
    return {
        diagnosis_id: diagnosis
        for diagnosis_id, diagnosis in named.items()
        if diagnosis.positions | diagnosis.beside >= required
    }


def _missing_then_rank(candidate: Candidate) -> tuple[int, Rank, int]:
    return len(candidate.missing), candidate.rank, candidate.number
