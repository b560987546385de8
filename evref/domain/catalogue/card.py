"""The card of a diagnosis: a summary of what the sources recommend and advise against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from evref.domain.catalogue.evidence import CardGroup
from evref.domain.catalogue.intervention import PHASE_ORDER, Intervention, Phase

_GROUP_ORDER = {group: index for index, group in enumerate(CardGroup)}
_SHOWN = (
    CardGroup.RECOMMENDED,
    CardGroup.ADVISED_AGAINST,
    CardGroup.NO_BENEFIT_FOUND,
    CardGroup.UNCLEAR,
    CardGroup.TO_CONSIDER,
    CardGroup.SUPPORTED,
)


def in_card_order(
    interventions: Iterable[Intervention], mainstays: Sequence[str]
) -> tuple[Intervention, ...]:
    """Return interventions in listing order by group, then mainstays, then acute before chronic.

    `mainstays` are the ids of those that the diagnosis puts first, in this order.
    """
    order = {mainstay: index for index, mainstay in enumerate(mainstays)}
    return tuple(
        sorted(
            interventions,
            key=lambda intervention: (
                _GROUP_ORDER[intervention.evidence.group],
                order.get(intervention.id, len(order)),
                PHASE_ORDER[intervention.phase],
            ),
        )
    )


def card(
    interventions: Iterable[Intervention], mainstays: Sequence[str]
) -> dict[CardGroup, tuple[Intervention, ...]]:
    """Return the interventions by group, without empty groups. They are given in listing order.

    What sources advise against comes right after what they recommend, as pages show it.
    """
    in_order = in_card_order(interventions, mainstays)
    groups = {
        group: tuple(member for member in in_order if member.evidence.group is group)
        for group in _SHOWN
    }
    return {group: members for group, members in groups.items() if members}


def commonest_phase(interventions: Iterable[Intervention]) -> Phase | None:
    """Return the phase of most interventions, the earlier of two; None if there is no one."""
    counts = Counter(intervention.phase for intervention in interventions)
    return max(Phase, key=lambda phase: counts[phase]) if counts else None
