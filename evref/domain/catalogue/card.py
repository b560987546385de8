"""The card of a diagnosis: what the sources recommend, and what they advise against, at a glance.

Interventions that are shown by what is said about them have the same order.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from evref.domain.catalogue.evidence import Direction, Evidence, Recommendation
from evref.domain.catalogue.intervention import PHASE_ORDER, Intervention


class CardGroup(StrEnum):
    """The groups of the card, in the order in which they are shown."""

    RECOMMENDED = "recommended"
    TO_CONSIDER = "to_consider"
    AGAINST = "advised_against"
    NOT_GRADED = "no_graded_recommendation"


_GROUP_ORDER = {group: place for place, group in enumerate(CardGroup)}


def group_of(evidence: Evidence) -> CardGroup:
    """Return the group of an intervention with this evidence."""
    if evidence.direction is Direction.AGAINST:
        return CardGroup.AGAINST
    if evidence.recommendation is Recommendation.STRONG_FOR:
        return CardGroup.RECOMMENDED
    if evidence.recommendation is Recommendation.CONDITIONAL_FOR:
        return CardGroup.TO_CONSIDER
    return CardGroup.NOT_GRADED


def in_card_order(interventions: Iterable[Intervention]) -> tuple[Intervention, ...]:
    """Return interventions in listing order by group, then acute before chronic."""
    return tuple(
        sorted(
            interventions,
            key=lambda each: (_GROUP_ORDER[group_of(each.evidence)], PHASE_ORDER[each.phase]),
        )
    )


def card(interventions: Iterable[Intervention]) -> dict[CardGroup, tuple[Intervention, ...]]:
    """Return the groups that have interventions, which are given in listing order."""
    groups: dict[CardGroup, tuple[Intervention, ...]] = {}
    for each in in_card_order(interventions):
        group = group_of(each.evidence)
        groups[group] = (*groups.get(group, ()), each)
    return groups
