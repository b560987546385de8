"""The search of a catalogue: what people type leads to diagnoses and to interventions."""

from __future__ import annotations

from dataclasses import dataclass

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.search.answers import Answers
from evref.domain.catalogue.search.diagnoses import DiagnosisSearch, Hit
from evref.domain.catalogue.search.folding import Forms, fold
from evref.domain.catalogue.search.intervention_index import InterventionIndex
from evref.domain.catalogue.search.interventions import InterventionSearch
from evref.domain.catalogue.search.known_words import KnownWords
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord
from evref.domain.catalogue.search.name_index import NameIndex
from evref.domain.catalogue.search.names import names_of
from evref.domain.catalogue.search.suggestions import SHORTEST, Beginnings, Suggested

_MOST_INTERVENTIONS = 3


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A diagnosis that may be meant, and its name or term that is near the text."""

    diagnosis_id: str
    name: str
    term: str


@dataclass(frozen=True, slots=True)
class FoundDiagnoses:
    """The diagnoses that a text names, best first. If it names none: what may be meant.

    `wider` is the word that is wider than one diagnosis, if the text has one.
    """

    hits: tuple[Hit, ...]
    suggestions: tuple[Suggestion, ...]
    wider: WiderWord | None = None


class SearchIndex:
    """The names of diagnoses and the texts of their visible interventions."""

    def __init__(self, catalogue: Catalogue, lexicon: Lexicon) -> None:
        self._catalogue = catalogue
        folded = Forms(fold).__getitem__
        names = [
            name
            for entry in catalogue.entries
            for name in names_of(entry.diagnosis, lexicon, folded)
        ]
        interventions = InterventionIndex(catalogue.entries, lexicon)
        name_index = NameIndex(names, lexicon, interventions.correct_words)
        self._words = KnownWords(interventions, name_index, lexicon)
        self._diagnoses = DiagnosisSearch(name_index, lexicon)
        self._interventions = InterventionSearch(interventions, name_index, self._words, lexicon)
        self._beginnings = Beginnings(
            catalogue, lexicon, names, interventions.interventions, interventions.titles_written
        )

    def diagnoses(self, text: str) -> FoundDiagnoses:
        """Return the diagnoses that the typed words name."""
        hits, wider = self._diagnoses.find(text)
        near = {} if hits else self._diagnoses.near(text)
        return FoundDiagnoses(
            tuple(hits),
            tuple(
                Suggestion(diagnosis_id, self._catalogue.entry(diagnosis_id).diagnosis.name, term)
                for diagnosis_id, term in near.items()
            ),
            wider,
        )

    def absent(self, text: str) -> str | None:
        """Return the words of the text that name a condition outside the catalogue."""
        return self._diagnoses.absent(text)

    def unknown(self, text: str) -> tuple[str, ...]:
        """Return the words that the catalogue and the lexicon lack; the text if it has no words."""
        return self._words.unknown(text)

    def suggestions(self, text: str, most: int) -> list[Suggested]:
        """Return suggestions for the typed text; those that begin with it come first."""
        if len(text.strip()) < SHORTEST:
            return []
        suggested = self._beginning_with(text, most) or self._hits_of(text)
        # Some places are for interventions, if there are any.
        interventions = [item for item in suggested if item.kind == "intervention"]
        others = [item for item in suggested if item.kind != "intervention"]
        interventions = interventions or self._answers_to(text)
        places = min(len(interventions), max(_MOST_INTERVENTIONS, most - len(others)))
        return [*others[: most - places], *interventions[:places]]

    def diagnoses_of_record(self, text: str) -> tuple[Hit, ...]:
        """Return the diagnoses that a patient's record names; wider words name none."""
        return tuple(self._diagnoses.find(text, of_a_record=True).hits)

    def interventions(self, text: str, diagnosis_id: str | None = None) -> Answers:
        """Return the interventions that the words ask for, of this diagnosis if one is given."""
        return self._interventions.find(text, diagnosis_id)

    def _beginning_with(self, text: str, most_interventions: int) -> list[Suggested]:
        """Return the items that begin with the text or have a word that does, each once."""
        items: dict[tuple[str, str], Suggested] = {}
        interventions = 0
        for item in self._beginnings.of(text):
            items.setdefault(
                (item.kind, item.intervention_id or item.diagnosis_id or item.name), item
            )
            interventions += item.kind == "intervention"
            if interventions == most_interventions:
                break
        return list(items.values())

    def _hits_of(self, text: str) -> list[Suggested]:
        """Return the diagnoses that the search finds."""
        suggested = []
        for hit in self.diagnoses(text).hits:
            name = self._catalogue.entry(hit.diagnosis_id).diagnosis.name
            matched = "" if hit.matched == name else hit.matched
            suggested.append(Suggested("diagnosis", name, matched, hit.diagnosis_id))
        return suggested

    def _answers_to(self, text: str) -> list[Suggested]:
        """Return the first interventions that the search finds, if the text asks for any."""
        answers = self.interventions(text)
        if answers.is_alone:
            return []
        return [
            Suggested(
                "intervention",
                intervention.title,
                self._catalogue.entry(intervention.diagnosis_id).diagnosis.name,
                intervention.diagnosis_id,
                intervention.id,
            )
            for intervention in answers.interventions[:_MOST_INTERVENTIONS]
        ]
