"""The base of the contracts of ports that store nothing, and the errors that contracts expect."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest

from evref.domain.errors import EvrefError, NotFoundError


class Contract:
    """To test an adapter, inherit from the contract and set `adapter`, which has no arguments."""

    port: ClassVar[type[Any]]
    adapter: ClassVar[type[Any]]

    @pytest.fixture
    def instance(self) -> Any:  # noqa: ANN401 - what the port is
        return self.adapter()


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
    assert str(caught.value) == str(NotFoundError(kind, name))
