"""A helper that finds institutions by name."""

from evref.bootstrap.container import Container
from evref.testing.builders import OPERATOR


def institution_id(container: Container, name: str) -> str:
    return container.manage_institutions().institution_named(OPERATOR, name).id
