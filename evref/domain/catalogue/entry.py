"""An entry of the catalogue: a diagnosis with its interventions."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from evref.domain.catalogue import content
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.evidence import CardGroup, Recommendation
from evref.domain.catalogue.intervention import PHASE_ORDER, Intervention, Phase, listing_order
from evref.domain.rules import Rules

_GROUP_ORDER = {group: index for index, group in enumerate(CardGroup)}
_GROUPS_ON_CARD = (
    CardGroup.RECOMMENDED,
    CardGroup.ADVISED_AGAINST,
    CardGroup.NO_BENEFIT_FOUND,
    CardGroup.UNCLEAR,
    CardGroup.TO_CONSIDER,
    CardGroup.SUPPORTED,
)


@dataclass(frozen=True)
class Entry:
    """A diagnosis with its interventions, in listing order."""

    diagnosis: Diagnosis
    interventions: tuple[Intervention, ...]

    def __post_init__(self) -> None:
        rules = Rules()
        for intervention in self.interventions:
            rules.require(
                intervention.diagnosis_id == self.diagnosis.id,
                "diagnosis_id",
                f"{intervention.id} belongs to {intervention.diagnosis_id}",
            )
        self._check_mainstays(rules)
        rules.enforce()
        in_order = tuple(sorted(self.interventions, key=listing_order))
        object.__setattr__(self, "interventions", in_order)

    def _check_mainstays(self, rules: Rules) -> None:
        by_id = {intervention.id: intervention for intervention in self.interventions}
        for index, name in enumerate(self.diagnosis.mainstays):
            mainstay = by_id.get(name)
            if mainstay is None:
                reason = f"there is no {name}"
            elif mainstay.evidence.recommendation is not Recommendation.STRONG_FOR:
                reason = f"{name} has {mainstay.evidence.recommendation}"
            elif mainstay.module not in self.diagnosis.enabled_modules:
                reason = f"{name} is hidden because {mainstay.module} is not in enabled_modules"
            else:
                continue
            message = f"must be visible interventions of the diagnosis with strong_for; {reason}"
            rules.refuse("mainstays", message, item=index)

    def visible_interventions(
        self, module: Module | None = None, phase: Phase | None = None
    ) -> tuple[Intervention, ...]:
        """Return the visible interventions, optionally of one module or phase.

        An intervention is visible if its module is enabled for its diagnosis.
        """
        return tuple(
            intervention
            for intervention in self.interventions
            if intervention.module in self.diagnosis.enabled_modules
            and (module is None or intervention.module is module)
            and (phase is None or intervention.phase is phase)
        )

    def in_card_order(
        self, module: Module | None = None, phase: Phase | None = None
    ) -> tuple[Intervention, ...]:
        """Return the visible interventions by group, then mainstays, then acute before chronic."""
        order = {mainstay: index for index, mainstay in enumerate(self.diagnosis.mainstays)}
        return tuple(
            sorted(
                self.visible_interventions(module, phase),
                key=lambda intervention: (
                    _GROUP_ORDER[intervention.evidence.group],
                    order.get(intervention.id, len(order)),
                    PHASE_ORDER[intervention.phase],
                ),
            )
        )

    def card(
        self, module: Module | None = None, phase: Phase | None = None
    ) -> dict[CardGroup, tuple[Intervention, ...]]:
        """Return the visible interventions by group, without empty groups.

        What sources advise against comes right after what they recommend, as pages show it.
        """
        in_order = self.in_card_order(module, phase)
        groups = {
            group: tuple(member for member in in_order if member.evidence.group is group)
            for group in _GROUPS_ON_CARD
        }
        return {group: members for group, members in groups.items() if members}

    @property
    def commonest_phase(self) -> Phase | None:
        """The phase of most visible interventions, the earlier of two; None if there are none."""
        counts = Counter(intervention.phase for intervention in self.visible_interventions())
        return max(Phase, key=lambda phase: counts[phase]) if counts else None

    def hidden_interventions(self) -> tuple[Intervention, ...]:
        """Return the interventions whose modules are not enabled for the diagnosis."""
        enabled = self.diagnosis.enabled_modules
        return tuple(
            intervention
            for intervention in self.interventions
            if intervention.module not in enabled
        )

    @cached_property
    def version(self) -> str:
        """16 hexadecimal digits that change if and only if the visible content changes.

        This is the diagnosis and its visible interventions.
        """
        is_all_visible = not self.hidden_interventions()
        return (self.digest if is_all_visible else _digest(_json(self.visible_record))).hex()[:16]

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of all content, visible or not."""
        return _digest(self.text)

    @property
    def text(self) -> str:
        """All content, visible or not, as canonical JSON."""
        return _json(_record(self.diagnosis, self.interventions))

    @property
    def visible_record(self) -> content.Record:
        """The visible content as a plain record."""
        return _record(self.diagnosis, self.visible_interventions())


def _record(diagnosis: Diagnosis, interventions: Iterable[Intervention]) -> content.Record:
    """Return the content, without the keys of references."""
    return content.content_of(diagnosis) | {
        "interventions": [content.content_of(intervention) for intervention in interventions]
    }


def _json(record: content.Record) -> str:
    return json.dumps(
        record, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str
    )


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
