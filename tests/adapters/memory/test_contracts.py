"""The stores in memory keep to the contracts of their ports."""

import pytest

from evref.adapters.outbound.memory import (
    MemoryAuditLog,
    MemoryCatalogueStore,
    MemoryInstitutionStore,
    MemoryKeyStore,
    MemoryMemberStore,
    MemoryState,
    MemoryStorage,
    MemoryUsage,
)
from tests.contracts.audit import AuditLogContract
from tests.contracts.catalogue import CatalogueStoreContract
from tests.contracts.institutions import InstitutionStoreContract, MemberStoreContract
from tests.contracts.keys import KeyStoreContract
from tests.contracts.storage import StorageContract
from tests.contracts.stores import Stores
from tests.contracts.usage import UsageContract


@pytest.fixture
def stores() -> Stores:
    state = MemoryState()
    return Stores(
        storage=MemoryStorage(state),
        catalogue=MemoryCatalogueStore(state),
        keys=MemoryKeyStore(state),
        usage=MemoryUsage(state),
        institutions=MemoryInstitutionStore(state),
        members=MemoryMemberStore(state),
        audit=MemoryAuditLog(state),
    )


class TestMemoryStorage(StorageContract):
    adapter = MemoryStorage


class TestMemoryCatalogueStore(CatalogueStoreContract):
    adapter = MemoryCatalogueStore


class TestMemoryKeyStore(KeyStoreContract):
    adapter = MemoryKeyStore


class TestMemoryUsage(UsageContract):
    adapter = MemoryUsage


class TestMemoryInstitutionStore(InstitutionStoreContract):
    adapter = MemoryInstitutionStore


class TestMemoryMemberStore(MemberStoreContract):
    adapter = MemoryMemberStore


class TestMemoryAuditLog(AuditLogContract):
    adapter = MemoryAuditLog
