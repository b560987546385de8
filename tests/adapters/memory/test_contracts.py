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
from tests.adapters.memory.stores import stores_in
from tests.contracts.audit import AuditLogContract
from tests.contracts.catalogue import CatalogueStoreContract
from tests.contracts.institutions import InstitutionStoreContract, MemberStoreContract
from tests.contracts.keys import KeyStoreContract
from tests.contracts.secrets import SharedSecretsContract
from tests.contracts.sessions import SessionStoreContract
from tests.contracts.sign_in_attempts import SignInAttemptsContract
from tests.contracts.storage import StorageContract
from tests.contracts.stores import Stores
from tests.contracts.usage import UsageContract


@pytest.fixture
def stores() -> Stores:
    return stores_in(MemoryState())


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


class TestMemorySessionStore(SessionStoreContract):
    adapter = MemorySessionStore


class TestMemorySignInAttempts(SignInAttemptsContract):
    adapter = MemorySignInAttempts


class TestMemorySharedSecrets(SharedSecretsContract):
    adapter = MemorySharedSecrets
