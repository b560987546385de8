"""The databases that the stores in SQL are tested on, and their stores."""

from sqlalchemy import Connection, text

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
from evref.testing.stores import Stores

KINDS = ("sqlite", "postgresql")
"""The databases that the stores keep to their contracts on."""


def stores_in(database: SqlDatabase) -> Stores:
    return Stores(
        health=SqlStorage(database),
        schema=SqlStorage(database),
        connections=SqlStorage(database),
        catalogue=SqlCatalogueStore(database),
        keys=SqlKeyStore(database),
        admission=SqlAdmission(database),
        usage_reports=SqlUsageReports(database),
        institutions=SqlInstitutionStore(database),
        members=SqlMemberStore(database),
        teams=SqlTeamStore(database),
        audit=SqlAuditLog(database),
        sessions=SqlSessionStore(database),
        sign_in_attempts=SqlSignInAttempts(database),
        secrets=SqlSharedSecrets(database),
    )


def stop_rows(connection: Connection, table: str, condition: str, *, silently: bool) -> None:
    """From now on the table takes no new row of which the condition is true.

    An insert fails with the error of a full disk; or it succeeds silently without a row.
    """
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        outcome = "IGNORE" if silently else "ABORT, 'disk full'"
        action = f"BEGIN SELECT RAISE({outcome}); END"
    else:
        outcome = "RETURN NULL" if silently else "RAISE 'disk full'"
        connection.execute(
            text(
                "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql"
                f" AS $$ BEGIN {outcome}; END $$"
            )
        )
        action = "EXECUTE FUNCTION stop()"
    each = "" if sqlite else "FOR EACH ROW"
    connection.execute(
        text(f"CREATE TRIGGER stop BEFORE INSERT ON {table} {each} WHEN ({condition}) {action}")
    )
