"""The stores in SQL keep to the contracts of their ports, on each database of the fixture."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from evref.adapters.outbound.sql import (
    SqlAdmission,
    SqlAuditLog,
    SqlCatalogueStore,
    SqlDatabase,
    SqlInstitutionStore,
    SqlKeyStore,
    SqlMemberStore,
    SqlSessionStore,
    SqlSharedSecrets,
    SqlSignInAttempts,
    SqlStorage,
    SqlTeamStore,
    SqlUsageReports,
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
    TeamStoreContract,
    UsageReportsContract,
)
from tests.adapters.sql.databases import KINDS
from tests.databases import PreparedDatabases


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/evref.db"
    databases: PreparedDatabases = request.getfixturevalue("prepared_databases")
    return databases.empty(0)


@pytest.fixture
def database(url: str) -> Iterator[SqlDatabase]:
    # What is tested with it is not how long it waits: the machine may be busy.
    database = SqlDatabase(url, timeout_seconds=60)
    yield database
    database.close()


class TestSqlHealth(StorageHealthContract):
    adapter = SqlStorage


class TestSqlSchema(StorageSchemaContract):
    adapter = SqlStorage


class TestSqlConnections(StorageConnectionsContract):
    adapter = SqlStorage


class TestSqlPublishedCatalogue(PublishedCatalogueContract):
    adapter = SqlCatalogueStore


class TestSqlCatalogueStore(CatalogueStoreContract):
    adapter = SqlCatalogueStore


class TestSqlKeyStore(KeyStoreContract):
    adapter = SqlKeyStore


class TestSqlAdmission(AdmissionContract):
    adapter = SqlAdmission


class TestSqlUsageReports(UsageReportsContract):
    adapter = SqlUsageReports


class TestSqlInstitutionStore(InstitutionStoreContract):
    adapter = SqlInstitutionStore


class TestSqlMemberStore(MemberStoreContract):
    adapter = SqlMemberStore


class TestSqlTeamStore(TeamStoreContract):
    adapter = SqlTeamStore


class TestSqlAuditLog(AuditLogContract):
    adapter = SqlAuditLog


class TestSqlSessionStore(SessionStoreContract):
    adapter = SqlSessionStore


class TestSqlSignInAttempts(SignInAttemptsContract):
    adapter = SqlSignInAttempts


class TestSqlSharedSecrets(SharedSecretsContract):
    adapter = SqlSharedSecrets
