"""Sessions in SQL."""

from datetime import datetime

from sqlalchemy import delete, insert, select

from evref.adapters.outbound.sql.engine import SqlPart
from evref.adapters.outbound.sql.tables import members, written
from evref.adapters.outbound.sql.tables import sessions as session_table
from evref.domain.accounts.sign_in import Session
from evref.domain.errors import NotFoundError
from evref.ports.accounts import sessions


class SqlSessionStore(SqlPart, sessions.SessionStore):
    def add(self, session: Session) -> None:
        row = insert(session_table).values(written(session_table, session))
        member = select(members.c.id).where(members.c.id == session.member_id)
        with self._database.transaction() as connection:
            # FOR KEY SHARE: waits for a removal of the member, and prevents it until the commit.
            locked = member.with_for_update(read=True, key_share=True)
            if connection.execute(locked).first() is None:
                raise NotFoundError("member", session.member_id)
            connection.execute(row)

    def get(self, digest: str) -> Session:
        wanted = select(session_table).where(session_table.c.digest == digest)
        row = self._database.one(wanted, "session", digest)
        return Session(**row._mapping)  # noqa: SLF001 - a public name of SQLAlchemy's

    def remove(self, digest: str) -> None:
        with self._database.transaction() as connection:
            connection.execute(delete(session_table).where(session_table.c.digest == digest))

    def remove_started_before(self, instant: datetime) -> None:
        old = delete(session_table).where(session_table.c.started_at < instant)
        with self._database.transaction() as connection:
            connection.execute(old)
