"""The metadata of responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.vocabulary import DISCLAIMER

LicenceOf: TypeAlias = Callable[[Catalogue], str | None]
"""Returns the address of a catalogue's licence, or None."""


def meta(catalogue: Catalogue, licence_of: LicenceOf) -> dict[str, Any]:
    """Return the metadata of every response with data of this catalogue."""
    return {
        "catalogue_version": catalogue.version,
        "licence": licence_of(catalogue),
        "disclaimer": DISCLAIMER,
    }
