"""Storage in a SQL database, through SQLAlchemy Core; one store for each port.

Only `engine` knows the kind of database. The stores' statements run on any database that supports
`INSERT … ON CONFLICT … RETURNING`, such as SQLite and PostgreSQL.
"""

from evref.adapters.outbound.sql.audit import SqlAuditLog
from evref.adapters.outbound.sql.catalogue import SqlCatalogueStore
from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.institutions import SqlInstitutionStore, SqlMemberStore
from evref.adapters.outbound.sql.keys import SqlKeyStore
from evref.adapters.outbound.sql.secrets import SqlSharedSecrets
from evref.adapters.outbound.sql.sessions import SqlSessionStore
from evref.adapters.outbound.sql.sign_in_attempts import SqlSignInAttempts
from evref.adapters.outbound.sql.storage import SqlStorage
from evref.adapters.outbound.sql.teams import SqlTeamStore
from evref.adapters.outbound.sql.usage import SqlAdmission, SqlUsageReports

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
