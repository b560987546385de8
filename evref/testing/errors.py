"""Errors that tests of a storage expect."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from evref.domain.errors import EvrefError, NotFoundError


def succeeds(act: Callable[[], object], *errors: type[EvrefError]) -> bool:
    """Return whether the act succeeds; False if it raises one of these errors."""
    try:
        act()
    except errors:
        return False
    return True


@contextmanager
def not_found(kind: str, name: str) -> Iterator[None]:
    """Expect that something of this kind with this name is not found."""
    with pytest.raises(NotFoundError) as caught:
        yield
    assert (caught.value.kind, caught.value.name) == (kind, name)
