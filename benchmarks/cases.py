"""The measured requests."""

from __future__ import annotations

from dataclasses import dataclass

LIST = "/api/v1/diagnoses"
INTERVENTIONS = "/api/v1/diagnoses/knee-osteoarthritis/interventions"


@dataclass(frozen=True, slots=True)
class Case:
    """A request, with the name of its key, and its expected status; for a 304 it is conditional."""

    name: str
    path: str
    status: int = 200
    key: str = "busy"


READ = (Case("list", LIST), Case("interventions", INTERVENTIONS))
CASES = (
    *READ,
    Case("304", INTERVENTIONS, 304),
    Case("401", LIST, 401, "mistyped"),
    Case("429", LIST, 429, "spent"),
)
