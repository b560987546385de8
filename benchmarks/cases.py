"""The requests that are measured; every server that is compared understands the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LIST = "/api/v1/diagnoses"
INTERVENTIONS = "/api/v1/diagnoses/knee-osteoarthritis/interventions"


class Holder(StrEnum):
    """Whose key a request carries."""

    BUSY = "busy"
    """One that may ask as often as it likes."""
    SPENT = "spent"
    """One that has used up its limit."""
    MISTYPED = "mistyped"
    """One that nobody has."""


@dataclass(frozen=True, slots=True)
class Case:
    """A request, and the status that it must get.

    A conditional one already has the answer, and so is told with 304 that it is still right.
    """

    name: str
    path: str
    status: int = 200
    holder: Holder = Holder.BUSY
    is_conditional: bool = False


CASES = (
    Case("list", LIST),
    Case("interventions", INTERVENTIONS),
    Case("filtered", f"{INTERVENTIONS}?module=home"),
    Case("304", INTERVENTIONS, 304, is_conditional=True),
    Case("401", LIST, 401, Holder.MISTYPED),
    Case("429", LIST, 429, Holder.SPENT),
)
