"""The stores in memory keep to the contracts of their ports."""

import pytest

from evref.adapters.outbound.memory import (
    MemoryAdmission,
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
    MemoryTeamStore,
    MemoryUsageReports,
)
from evref.testing import (
    AdmissionContract,
    AuditLogContract,
    CatalogueStoreContract,
    InstitutionStoreContract,
    KeyStoreContract,
    MemberStoreContract,
    PublishedCatalogueContract,
    SessionStoreContract,
    SharedSecretsContract,
    SignInAttemptsContract,
    StorageConnectionsContract,
    StorageHealthContract,
    StorageSchemaContract,
    Stores,
    TeamStoreContract,
    UsageReportsContract,
)
from tests.adapters.memory.stores import stores_in


@pytest.fixture
def stores() -> Stores:
    return stores_in(MemoryState())


class TestMemoryHealth(StorageHealthContract):
    adapter = MemoryStorage


class TestMemorySchema(StorageSchemaContract):
    adapter = MemoryStorage


class TestMemoryConnections(StorageConnectionsContract):
    adapter = MemoryStorage


class TestMemoryPublishedCatalogue(PublishedCatalogueContract):
    adapter = MemoryCatalogueStore


class TestMemoryCatalogueStore(CatalogueStoreContract):
    adapter = MemoryCatalogueStore


class TestMemoryKeyStore(KeyStoreContract):
    adapter = MemoryKeyStore


class TestMemoryAdmission(AdmissionContract):
    adapter = MemoryAdmission


class TestMemoryUsageReports(UsageReportsContract):
    adapter = MemoryUsageReports


class TestMemoryInstitutionStore(InstitutionStoreContract):
    adapter = MemoryInstitutionStore


class TestMemoryMemberStore(MemberStoreContract):
    adapter = MemoryMemberStore


class TestMemoryTeamStore(TeamStoreContract):
    adapter = MemoryTeamStore


class TestMemoryAuditLog(AuditLogContract):
    adapter = MemoryAuditLog


class TestMemorySessionStore(SessionStoreContract):
    adapter = MemorySessionStore


class TestMemorySignInAttempts(SignInAttemptsContract):
    adapter = MemorySignInAttempts


class TestMemorySharedSecrets(SharedSecretsContract):
    adapter = MemorySharedSecrets
