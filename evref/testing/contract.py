"""The base of the contracts of ports that store nothing."""

from typing import Any, ClassVar

import pytest


class Contract:
    """To test an adapter, inherit from the contract and set `adapter`, which has no arguments."""

    port: ClassVar[type[Any]]
    adapter: ClassVar[type[Any]]

    @pytest.fixture
    def instance(self) -> Any:  # noqa: ANN401 - what the port is
        return self.adapter()
