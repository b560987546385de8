"""The stores in memory keep to the contracts of their ports."""

import pytest

from evref.adapters.outbound.memory import (
    MemoryAuditLog,
    MemoryCatalogueStore,
    MemoryInstitutionStore,
    MemoryKeyStore,
    MemoryMemberStore,
    MemorySessionStore,
    MemorySharedSecrets,
    MemorySignInAttempts,
    MemoryState,
    MemoryStorage,
    MemoryUsage,
)
from evref.testing import (
    AuditLogContract,
    CatalogueStoreContract,
    InstitutionStoreContract,
    KeyStoreContract,
    MemberStoreContract,
    PublishedCatalogueContract,
    SessionStoreContract,
    SharedSecretsContract,
    SignInAttemptsContract,
    StorageContract,
    Stores,
    UsageContract,
)
from tests.adapters.memory.stores import stores_in


@pytest.fixture
def stores() -> Stores:
    return stores_in(MemoryState())


class TestMemoryStorage(StorageContract):
    adapter = MemoryStorage


class TestMemoryPublishedCatalogue(PublishedCatalogueContract):
    adapter = MemoryCatalogueStore


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


class TestMemorySessionStore(SessionStoreContract):
    adapter = MemorySessionStore


class TestMemorySignInAttempts(SignInAttemptsContract):
    adapter = MemorySignInAttempts


class TestMemorySharedSecrets(SharedSecretsContract):
    adapter = MemorySharedSecrets
