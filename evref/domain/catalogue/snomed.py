"""SNOMED CT codes, read with a map to ICD-10 that the operator loads.

The International edition's map (SNOMED International, "SNOMED CT to ICD-10 Map", reference set of
type ExtendedMap) sorts the rows of a code into groups. Each group adds one code of ICD-10, and a
rule decides which of its rows applies: TRUE always, OTHERWISE TRUE if no earlier one does, and
IFA (if a) depends on the patient's age, sex or other findings. A request says nothing about the
patient, so each row of a group is a branch that may apply.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.record_code import Classification, Edition, RecordCode, read_part

Groups: TypeAlias = tuple[tuple[str, ...], ...]
"""The targets of a code in ICD-10: of each group its branches; "" is a branch without a target."""

NOT_IN_MAP = "is not in the map of SNOMED CT that the operator has loaded"
NO_MAP = "cannot be read: the operator has loaded no map of SNOMED CT"


def branches(rows: Iterable[tuple[int, bool, str]]) -> tuple[str, ...]:
    """Return the targets of a group's rows, which are its branches.

    A row is its priority, whether it applies to every patient (no IFA rule), and its target.
    Without a row that always applies, a patient may have no target.

    >>> branches([(2, True, "M17.9"), (1, False, "M17.0")])
    ('M17.0', 'M17.9')
    >>> branches([(1, False, "M17.0")])
    ('M17.0', '')
    """
    in_order = sorted(rows)
    targets = [target for _, _, target in in_order]
    is_complete = any(always_applies for _, always_applies, _ in in_order)
    return tuple(dict.fromkeys(targets if is_complete else [*targets, ""]))


@dataclass(frozen=True)
class SnomedMap:
    """The targets of each code, also of those without a diagnosis, which may be added later.

    `edition` is that of the targets, if it is known.
    """

    edition: Edition | None
    groups: Mapping[int, Groups]

    def resolve(self, code: RecordCode) -> RecordCode:
        """Return a code of SNOMED CT with its targets, or with an error if it is not in the map."""
        if code.targets:
            return code
        groups = None if code.read_as is None else self.groups.get(int(code.read_as))
        if groups is None:
            return replace(code, read_as=None, error=code.error or NOT_IN_MAP)
        targets = tuple(tuple(map(self._target, alternatives)) for alternatives in groups)
        read_as = [target.read_as for group in targets for branch in group for target in branch]
        # Some codes are in the map without a target.
        shown = ", ".join(dict.fromkeys(filter(None, read_as)))
        return replace(code, read_as=shown or code.read_as, targets=targets)

    def _target(self, text: str) -> tuple[RecordCode, ...]:
        return read_part(Classification.ICD_10, text, self.edition) if text else ()

    def count_leading_to(self, catalogue: Catalogue) -> int:
        """Return how many codes lead to a diagnosis of the catalogue."""
        texts = {text for groups in self.groups.values() for group in groups for text in group}
        leading = {
            text
            for text in texts
            if any(match.fits for match in catalogue.matches(self._target(text)))
        }
        return sum(
            any(not leading.isdisjoint(group) for group in groups)
            for groups in self.groups.values()
        )


@dataclass(frozen=True)
class LoadedMap:
    """A map, when it was loaded and by whom: the operating system's name of the user."""

    map: SnomedMap
    loaded_at: datetime
    loaded_by: str
