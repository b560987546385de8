"""Storage in a SQL database, through SQLAlchemy Core; one store for each port.

Only `engine` knows the kind of database. The stores' statements run on any database that supports
`INSERT … ON CONFLICT … RETURNING`, such as SQLite and PostgreSQL.
"""

from evref.adapters.outbound.sql.access.keys import SqlKeyStore
from evref.adapters.outbound.sql.access.usage import SqlAdmission, SqlUsageReports
from evref.adapters.outbound.sql.accounts.institutions import SqlInstitutionStore, SqlMemberStore
from evref.adapters.outbound.sql.accounts.secrets import SqlSharedSecrets
from evref.adapters.outbound.sql.accounts.sessions import SqlSessionStore
from evref.adapters.outbound.sql.accounts.sign_in_attempts import SqlSignInAttempts
from evref.adapters.outbound.sql.accounts.teams import SqlTeamStore
from evref.adapters.outbound.sql.audit import SqlAuditLog
from evref.adapters.outbound.sql.catalogue.store import SqlCatalogueStore
from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.storage import SqlStorage

__all__ = [
    "SqlAdmission",
    "SqlAuditLog",
    "SqlCatalogueStore",
    "SqlDatabase",
    "SqlInstitutionStore",
    "SqlKeyStore",
    "SqlMemberStore",
    "SqlSessionStore",
    "SqlSharedSecrets",
    "SqlSignInAttempts",
    "SqlStorage",
    "SqlTeamStore",
    "SqlUsageReports",
]
