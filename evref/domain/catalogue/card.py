"""The card of a diagnosis: a summary of what the sources recommend and advise against.

Other lists of interventions by direction have the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from evref.domain.catalogue.evidence import CardGroup
from evref.domain.catalogue.intervention import PHASE_ORDER, Intervention

_GROUP_ORDER = {group: place for place, group in enumerate(CardGroup)}


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
                _GROUP_ORDER[intervention.evidence.group],
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
        for group, members in groupby(in_order, lambda intervention: intervention.evidence.group)
    }
