"""The closed lists of the domain as the OpenAPI document describes them."""

from __future__ import annotations

from enum import StrEnum

from evref.domain.catalogue.vocabulary import MEANINGS


def value_by_value(kind: type[StrEnum], introduction: str) -> str:
    """The introduction, then a list of the values with their meanings, in CommonMark."""
    return "\n".join([introduction, "", *(f"- `{value}`: {MEANINGS[value]}" for value in kind)])
