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
from tests.adapters.sql.databases import KINDS
from tests.contracts.audit import AuditLogContract
from tests.contracts.catalogue import CatalogueStoreContract
from tests.contracts.institutions import InstitutionStoreContract, MemberStoreContract
from tests.contracts.keys import KeyStoreContract
from tests.contracts.secrets import SharedSecretsContract
from tests.contracts.sessions import SessionStoreContract
from tests.contracts.sign_in_attempts import SignInAttemptsContract
from tests.contracts.storage import StorageContract
from tests.contracts.usage import UsageContract
from tests.databases import PreparedDatabases


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/evref.db"
    databases: PreparedDatabases = request.getfixturevalue("prepared_databases")
    return databases.empty(0)


class TestSqlStorage(StorageContract):
    adapter = SqlStorage


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
