"""Storage in a SQL database, through SQLAlchemy Core.

Only `engine` knows the kind of database. The statements run on any database that supports
`INSERT … ON CONFLICT … RETURNING`, such as SQLite and PostgreSQL.
"""

from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.storage import SqlStorage

__all__ = ["SqlDatabase", "SqlStorage"]
