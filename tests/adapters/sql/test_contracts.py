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
from evref.adapters.outbound.sql.tables import metadata
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
from tests.servers import PostgresqlServer


@pytest.fixture(scope="module")
def emptied(prepared: str, postgresql: PostgresqlServer) -> str:
    """The name of a database that each test finds empty: to empty it takes less than to copy it."""
    return postgresql.new_database(prepared)


@pytest.fixture(params=KINDS)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/evref.db"
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    name: str = request.getfixturevalue("emptied")
    tables = [f"DELETE FROM {table.name};" for table in reversed(metadata.sorted_tables)]
    tables.remove("DELETE FROM catalogue_publication;")
    server.execute(
        "".join(tables) + "UPDATE catalogue_publication SET version = NULL, published_at = NULL",
        name,
    )
    return server.url(name)


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
