"""The stores in SQL keep to the contracts of their ports, on each database of the fixture."""

from pathlib import Path

import pytest

from evref.adapters.outbound.sql import (
    SqlAuditLog,
    SqlCatalogueStore,
    SqlInstitutionStore,
    SqlKeyStore,
    SqlMemberStore,
    SqlSessionStore,
    SqlSharedSecrets,
    SqlSignInAttempts,
    SqlStorage,
    SqlUsage,
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
    UsageContract,
)
from tests.adapters.sql.databases import KINDS
from tests.databases import PreparedDatabases


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/evref.db"
    databases: PreparedDatabases = request.getfixturevalue("prepared_databases")
    return databases.empty(0)


class TestSqlStorage(StorageContract):
    adapter = SqlStorage


class TestSqlPublishedCatalogue(PublishedCatalogueContract):
    adapter = SqlCatalogueStore


class TestSqlCatalogueStore(CatalogueStoreContract):
    adapter = SqlCatalogueStore


class TestSqlKeyStore(KeyStoreContract):
    adapter = SqlKeyStore


class TestSqlUsage(UsageContract):
    adapter = SqlUsage


class TestSqlInstitutionStore(InstitutionStoreContract):
    adapter = SqlInstitutionStore


class TestSqlMemberStore(MemberStoreContract):
    adapter = SqlMemberStore


class TestSqlAuditLog(AuditLogContract):
    adapter = SqlAuditLog


class TestSqlSessionStore(SessionStoreContract):
    adapter = SqlSessionStore


class TestSqlSignInAttempts(SignInAttemptsContract):
    adapter = SqlSignInAttempts


class TestSqlSharedSecrets(SharedSecretsContract):
    adapter = SqlSharedSecrets
