"""The search of a catalogue: what people type leads to diagnoses and to interventions."""

from __future__ import annotations

from dataclasses import dataclass

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.search.folding import Forms, fold
from evref.domain.catalogue.search.interventions import (
    Answers,
    InterventionIndex,
    InterventionSearch,
)
from evref.domain.catalogue.search.lexicon import Lexicon, WiderWord
from evref.domain.catalogue.search.names import Hit, NameIndex, names_of
from evref.domain.catalogue.search.suggestions import SHORTEST, Beginnings, Suggested

_MOST_INTERVENTIONS = 3


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A diagnosis that may be meant, and its name or term that is near the text."""

    diagnosis_id: str
    name: str
    term: str


@dataclass(frozen=True, slots=True)
class Named:
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
        index = InterventionIndex(catalogue.entries, lexicon)
        names = [
            name
            for entry in catalogue.entries
            for name in names_of(entry.diagnosis, lexicon, folded)
        ]
        self._names = NameIndex(names, lexicon, index.right)
        self._interventions = InterventionSearch(index, self._names, lexicon)
        self._beginnings = Beginnings(
            catalogue, lexicon, names, index.interventions, index.titles_written
        )

    def diagnoses(self, text: str) -> Named:
        """Return the diagnoses that the words name that someone typed."""
        hits, wider = self._names.find(text)
        near = {} if hits else self._names.near(text)
        return Named(
            tuple(hits),
            tuple(
                Suggestion(diagnosis_id, self._catalogue.entry(diagnosis_id).diagnosis.name, term)
                for diagnosis_id, term in near.items()
            ),
            wider,
        )

    def absent(self, text: str) -> str | None:
        """Return the words of the text that name a condition which the catalogue lacks."""
        return self._names.absent(text)

    def unknown(self, text: str) -> tuple[str, ...]:
        """Return the words that the catalogue and the lexicon lack; the text if it has no words."""
        return self._interventions.unknown(text)

    def suggestions(self, text: str, most: int) -> list[Suggested]:
        """Return what to suggest to someone who types the text: what begins with it comes first."""
        if len(text.strip()) < SHORTEST:
            return []
        found: dict[tuple[str, str], Suggested] = {}
        interventions_left = most
        for one in self._beginnings.of(text):
            found.setdefault((one.kind, one.intervention_id or one.diagnosis_id or one.name), one)
            interventions_left -= one.kind == "intervention"
            if not interventions_left:
                break
        if not found:
            named = self.diagnoses(text)
            for hit in named.hits:
                name = self._catalogue.entry(hit.diagnosis_id).diagnosis.name
                why = "" if hit.matched == name else hit.matched
                found["diagnosis", hit.diagnosis_id] = Suggested(
                    "diagnosis", name, why, hit.diagnosis_id
                )
        # Some places are for interventions, if there are any.
        interventions = [one for one in found.values() if one.kind == "intervention"]
        others = [one for one in found.values() if one.kind != "intervention"]
        if not interventions:
            interventions = [
                Suggested(
                    "intervention",
                    one.title,
                    self._catalogue.entry(one.diagnosis_id).diagnosis.name,
                    one.diagnosis_id,
                    one.id,
                )
                for answers in [self.interventions(text)]
                if not answers.is_alone
                for one in answers.interventions[:_MOST_INTERVENTIONS]
            ]
        kept = min(len(interventions), max(_MOST_INTERVENTIONS, most - len(others)))
        return [*others[: most - kept], *interventions[:kept]]

    def diagnoses_of_record(self, text: str) -> tuple[Hit, ...]:
        """Return the diagnoses that a patient's record names: no wider word stands for one."""
        return tuple(self._names.find(text, of_a_record=True)[0])

    def interventions(self, text: str, diagnosis_id: str | None = None) -> Answers:
        """Return the interventions that the words ask for, of this diagnosis if one is given."""
        return self._interventions.find(text, diagnosis_id)
