"""The order of the interventions that a query finds."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from evref.domain.catalogue.search.concepts import BEYOND_TITLE, NOWHERE, Concept
from evref.domain.catalogue.search.intervention_index import Traits
from evref.domain.catalogue.search.synonyms import Likeness

_MOST_MENTIONS = 5
"""Further mentions of a word in a summary do not count."""


class Tier(IntEnum):
    """How much of a query is in the title of an intervention, the most first."""

    WHOLE_TITLE = 0
    """The title has all words of the query and no others, except words that say little."""
    TITLE = 1
    """The title has all words of the query."""
    SYNONYMS_IN_TITLE = 2
    """The title has all of them, some as synonyms or kinds."""
    SUMMARY = 3
    """Some are in the summary or in the cautions only."""


class Rank(NamedTuple):
    """How well an intervention answers a query; of two ranks, the smaller is the better."""

    tier: Tier
    beyond_title: int
    """The rarity of the required concepts that are not in the title, as a sum."""
    kinds: int
    """The number of concepts for which there is only a wider word or a kind, in the title."""
    unlikeness: int
    """The sum of the likenesses of the required concepts."""
    optional_missing: int
    """The number of concepts that are not required and not in the title."""
    diagnosis_order: int
    """The position of the diagnosis in the list of the wider word in the query."""
    negative_finer: int
    """The number of words in the title that say which form of the diagnosis, negative."""
    negative_mentions: int
    """How many times the summary and the cautions have what is not in the title, negative."""
    is_ungraded: bool
    is_no_mainstay: bool
    begins_otherwise: bool
    """Whether the title begins with no word of the query."""
    rest_of_title: float
    """The part of the title that is not in the query."""


class NamingWords(NamedTuple):
    """How many of the words that name the diagnosis in a query are in the title."""

    words: int
    finer: int
    """Without those of its own name: the attack of an asthma attack."""


NO_NAMING_WORDS = NamingWords(0, 0)


class Candidate(NamedTuple):
    """An intervention that has some of the required concepts of a query."""

    number: int
    missing: tuple[str, ...]
    """The words of the other required concepts."""
    rank: Rank
    concepts: list[Concept]


def rank(
    number: int,
    concepts: Iterable[Concept],
    traits: Traits,
    diagnosis_order: int,
    naming: NamingWords,
) -> Rank:
    """Return the rank of the intervention with this number."""
    places: list[int] = []
    beyond_title = kinds = optional_missing = mentions = 0
    words_matched = naming.words
    begins = False
    for concept in concepts:
        place = concept.nearest(number)
        is_in_title = place < BEYOND_TITLE
        if is_in_title:
            words_matched += concept.matches[place][number]
            begins = begins or traits.first_word in concept.first_words
        if not concept.is_required:
            optional_missing += not is_in_title
            continue
        if not is_in_title:
            beyond_title += concept.rarity
        if place < NOWHERE:
            places.append(place)
            mentions += 0 if is_in_title else min(concept.matches[place][number], _MOST_MENTIONS)
        if is_in_title and place > Likeness.SYNONYM:
            kinds += not _has_itself_beyond_title(concept, number)
    if not places or any(places):
        tier = Tier.SUMMARY if beyond_title else Tier.SYNONYMS_IN_TITLE
    elif optional_missing or words_matched < traits.title_length:
        tier = Tier.TITLE
    else:
        tier = Tier.WHOLE_TITLE
    return Rank(
        tier,
        beyond_title,
        kinds,
        sum(place % BEYOND_TITLE for place in places),
        optional_missing,
        diagnosis_order,
        -naming.finer,
        -mentions,
        traits.is_ungraded,
        traits.is_no_mainstay,
        not begins,
        1 - words_matched / max(traits.title_length, 1),
    )


def _has_itself_beyond_title(concept: Concept, number: int) -> bool:
    """Return whether the summary or the cautions have the words of the concept or a synonym."""
    return number in concept.matches[BEYOND_TITLE + Likeness.SAME]
