"""The measured requests, which are the same for every server."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

LIST = "/api/v1/diagnoses"
INTERVENTIONS = "/api/v1/diagnoses/knee-osteoarthritis/interventions"


class Holder(StrEnum):
    """The key that a request carries."""

    BUSY = "busy"
    """A key with the highest limit."""
    SPENT = "spent"
    """A key that has used up its limit."""
    MISTYPED = "mistyped"
    """A key that does not exist."""


@dataclass(frozen=True, slots=True)
class Case:
    """A request and its expected status.

    A conditional request sends the ETag of the response, so it gets 304.
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
