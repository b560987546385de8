"""Descriptions of the domain's enumerations for the OpenAPI document."""

from __future__ import annotations

from enum import StrEnum

from evref.domain.catalogue.vocabulary import MEANINGS


def value_by_value(kind: type[StrEnum], introduction: str) -> str:
    """Return the introduction and a list of the values with their meanings, in CommonMark."""
    return "\n".join([introduction, "", *(f"- `{value}`: {MEANINGS[value]}" for value in kind)])
