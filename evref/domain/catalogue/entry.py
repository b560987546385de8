"""An entry of the catalogue: a diagnosis with its interventions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evref.domain.catalogue import content
from evref.domain.catalogue.diagnosis import Diagnosis, Module
from evref.domain.catalogue.evidence import Recommendation
from evref.domain.catalogue.intervention import Intervention, Phase, listing_order
from evref.domain.errors import Fault, InvalidValueError
from evref.domain.rules import Rules


@dataclass(frozen=True)
class Entry:
    """A diagnosis with its interventions, in listing order.

    Raises:
        InvalidValueError: If an intervention belongs to another diagnosis, or a mainstay is not a
            visible intervention that is strongly recommended.

    """

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
        rules.enforce()
        faults = mainstay_faults(
            self.diagnosis.mainstays,
            self.diagnosis.enabled_modules,
            {
                intervention.id: (intervention.module, intervention.evidence.recommendation)
                for intervention in self.interventions
            },
        )
        if faults:
            raise InvalidValueError(faults)
        in_order = tuple(sorted(self.interventions, key=listing_order))
        object.__setattr__(self, "interventions", in_order)

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
        return (self.digest if is_all_visible else _digest(self.visible_record)).hex()[:16]

    @cached_property
    def digest(self) -> bytes:
        """The SHA-256 of all content, visible or not."""
        return _digest(_record(self.diagnosis, self.interventions))

    @property
    def visible_record(self) -> content.Record:
        """The visible content as a plain record."""
        return _record(self.diagnosis, self.visible_interventions())


def mainstay_faults(
    mainstays: Sequence[str],
    enabled_modules: Collection[str],
    interventions: Mapping[str, tuple[str | None, str | None]],
) -> list[Fault]:
    """Return an error for each mainstay that is not visible or not strongly recommended.

    `interventions` are the module and the recommendation by id. None stands for a value that could
    not be read, which is reported separately.
    """
    faults = []
    for place, name in enumerate(mainstays):
        module, recommendation = interventions.get(name, (None, None))
        if name not in interventions:
            reason = f"there is no {name}"
        elif recommendation not in {None, Recommendation.STRONG_FOR}:
            reason = f"{name} has {recommendation}"
        elif module is not None and module not in enabled_modules:
            reason = f"{name} is hidden because {module} is not in enabled_modules"
        else:
            continue
        message = f"must be visible interventions of the diagnosis with strong_for; {reason}"
        faults.append(Fault("mainstays", message, item=place))
    return faults


def _record(diagnosis: Diagnosis, interventions: Iterable[Intervention]) -> content.Record:
    """Return the content, without the keys of references."""
    return content.content_of(diagnosis) | {
        "interventions": [content.content_of(intervention) for intervention in interventions]
    }


def _digest(record: content.Record) -> bytes:
    """Return the SHA-256 of the record as canonical JSON."""
    text = json.dumps(
        record, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str
    )
    return hashlib.sha256(text.encode()).digest()
