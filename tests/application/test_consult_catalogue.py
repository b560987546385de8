"""Whoever has a key gets the catalogue, and is counted; nobody is counted without getting it."""

import pytest

from evref.application.consult_catalogue import ConsultCatalogue
from evref.domain.access.permission import Permission
from evref.domain.errors import InvalidApiKeyError


@pytest.mark.parametrize("token", ["", "evref_", "evref_" + "a" * 46, "x" * 1000])
def test_a_malformed_token_reaches_no_storage(token: str) -> None:
    """Neither that of the catalogue nor that of the keys."""
    nothing = None  # has no method that could be called

    with pytest.raises(InvalidApiKeyError):
        ConsultCatalogue(nothing, nothing)(token, Permission.READ)  # type: ignore[arg-type]
