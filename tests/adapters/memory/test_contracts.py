"""Contract tests of the storage in memory."""

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.testing import StorageContract


@pytest.fixture
def storage() -> MemoryStorage:
    return MemoryStorage()


class TestMemoryStorage(StorageContract):
    pass
