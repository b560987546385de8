"""The card of a diagnosis: a summary of what the sources recommend and advise against.

Other lists of interventions by direction have the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import groupby

from evref.domain.catalogue.evidence import Direction, Evidence, Recommendation
from evref.domain.catalogue.intervention import PHASE_ORDER, Intervention


class CardGroup(StrEnum):
    """The groups of the card, in the order in which they are shown."""

    RECOMMENDED = "recommended"
    TO_CONSIDER = "to_consider"
    SUPPORTED = "supported"
    ADVISED_AGAINST = "advised_against"
    NO_BENEFIT = "no_benefit"
    UNCLEAR = "unclear"


_GROUP_ORDER = {group: place for place, group in enumerate(CardGroup)}

_BY_RECOMMENDATION = {
    Recommendation.STRONG_FOR: CardGroup.RECOMMENDED,
    Recommendation.CONDITIONAL_FOR: CardGroup.TO_CONSIDER,
    Recommendation.CONDITIONAL_AGAINST: CardGroup.ADVISED_AGAINST,
    Recommendation.STRONG_AGAINST: CardGroup.ADVISED_AGAINST,
}
_BY_DIRECTION = {
    Direction.FOR: CardGroup.SUPPORTED,
    Direction.AGAINST: CardGroup.NO_BENEFIT,
    Direction.UNCLEAR: CardGroup.UNCLEAR,
}


def group_of(evidence: Evidence) -> CardGroup:
    """Return the group of an intervention with this evidence."""
    return _BY_RECOMMENDATION.get(evidence.recommendation) or _BY_DIRECTION[evidence.direction]


def in_card_order(
    interventions: Iterable[Intervention], mainstays: Sequence[str]
) -> tuple[Intervention, ...]:
    """Return interventions in listing order by group, then mainstays, then acute before chronic.

    `mainstays` are the ids of those that the diagnosis puts first, in this order.
    """
    places = {mainstay: place for place, mainstay in enumerate(mainstays)}
    return tuple(
        sorted(
            interventions,
            key=lambda intervention: (
                _GROUP_ORDER[group_of(intervention.evidence)],
                places.get(intervention.id, len(places)),
                PHASE_ORDER[intervention.phase],
            ),
        )
    )


def card(
    interventions: Iterable[Intervention], mainstays: Sequence[str]
) -> dict[CardGroup, tuple[Intervention, ...]]:
    """Return the interventions by group, without empty groups. They are given in listing order."""
    in_order = in_card_order(interventions, mainstays)
    return {
        group: tuple(members)
        for group, members in groupby(
            in_order, lambda intervention: group_of(intervention.evidence)
        )
    }
