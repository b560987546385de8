"""Institutions by their names, as tests know them."""

from evref.bootstrap.container import Container
from evref.testing.builders import OPERATOR


def institution_id(container: Container, name: str) -> str:
    """The id of the institution with this name."""
    return container.manage_institutions().institution_named(OPERATOR, name).id
