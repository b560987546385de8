"""The databases that the stores in SQL are tested on, and their stores."""

from collections.abc import Callable
from pathlib import Path

from evref.adapters.outbound.sql import (
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
    SqlUsage,
)
from tests.contracts.stores import Stores

NEW_DATABASES: dict[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: f"sqlite:///{folder}/evref.db",
}
"""By name, the URL of a new, empty database; a folder of the test's own is given."""


def stores_in(database: SqlDatabase) -> Stores:
    return Stores(
        storage=SqlStorage(database),
        catalogue=SqlCatalogueStore(database),
        keys=SqlKeyStore(database),
        usage=SqlUsage(database),
        institutions=SqlInstitutionStore(database),
        members=SqlMemberStore(database),
        audit=SqlAuditLog(database),
        sessions=SqlSessionStore(database),
        sign_in_attempts=SqlSignInAttempts(database),
        secrets=SqlSharedSecrets(database),
    )
