"""Teams in SQL: members and invitations of an institution, whose row is the lock of its team."""

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update
from sqlalchemy import text as sql

from evref.adapters.outbound.sql import audit
from evref.adapters.outbound.sql.accounts.institutions import member_of
from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.tables import Instant, institutions, invitations, members, sessions
from evref.domain.accounts.institution import Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.team import Team
from evref.domain.audit import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.domain.principal import Role
from evref.ports.accounts import teams

# Returns no row if the e-mail is taken, also by a concurrent transaction.
_ADD_MEMBER = sql(
    "INSERT INTO members (id, institution_id, email, role, password_hash, created_at)"
    " VALUES (:id, :institution_id, :email, :role, :password_hash, :created_at)"
    " ON CONFLICT (email) DO NOTHING RETURNING id"
).bindparams(bindparam("created_at", type_=Instant))


class SqlTeamStore(teams.TeamStore):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def invitations(self, institution_id: str) -> tuple[Invitation, ...]:
        its_own = invitations.c.institution_id == institution_id
        return _ordered(self._database.find_all(select(invitations).where(its_own)))

    def invitation(self, invitation_id: str) -> Invitation:
        row = self._database.find(select(invitations).where(invitations.c.id == invitation_id))
        if row is None:
            raise NotFoundError("invitation", invitation_id)
        return _invitation(row)

    def invitation_with_digest(self, digest: str) -> Invitation:
        row = self._database.find(select(invitations).where(invitations.c.digest == digest))
        if row is None:
            raise NotFoundError("invitation", digest)
        return _invitation(row)

    def change(
        self,
        institution_id: str,
        change: Callable[[Team], tuple[Team, Sequence[AuditEntry]] | None],
    ) -> Team:
        this = select(institutions.c.id).where(institutions.c.id == institution_id)
        # First without a transaction: an unknown institution should not block others.
        if self._database.find(this) is None:
            raise NotFoundError("institution", institution_id)
        with self._database.transaction() as connection:
            # FOR NO KEY UPDATE, so that a key can be added to the institution meanwhile. SQLite
            # has no such lock; its transaction already holds the write lock.
            connection.execute(this.with_for_update(key_share=True))
            before = _team(connection, institution_id)
            changed = change(before)
            if changed is None:
                return before
            after, entries = changed
            _write(connection, before, after)
            for entry in entries:
                audit.append(connection, entry)
        return after


def _team(connection: Connection, institution_id: str) -> Team:
    found = connection.execute(select(members).where(members.c.institution_id == institution_id))
    invited = select(invitations).where(invitations.c.institution_id == institution_id)
    return Team(
        institution_id, tuple(map(member_of, found)), _ordered(connection.execute(invited).all())
    )


def _write(connection: Connection, before: Team, after: Team) -> None:
    # First, because invitations refer to their inviters, and an e-mail has one invitation.
    for invitation in set(before.invitations) - set(after.invitations):
        connection.execute(delete(invitations).where(invitations.c.id == invitation.id))
    earlier = {member.id: member for member in before.members}
    later = {member.id: member for member in after.members}
    for member_id in earlier.keys() - later.keys():
        _remove_member(connection, member_id)
    for member_id, member in later.items():
        if member_id not in earlier:
            _add_member(connection, member)
        elif member.role is not earlier[member_id].role:
            this = update(members).where(members.c.id == member_id)
            connection.execute(this.values(role=member.role.value))
    for invitation in set(after.invitations) - set(before.invitations):
        connection.execute(insert(invitations).values(**_written(invitation)))


def _add_member(connection: Connection, member: Member) -> None:
    values = {
        "id": member.id,
        "institution_id": member.institution_id,
        "email": member.email,
        "role": member.role.value,
        "password_hash": member.password_hash,
        "created_at": member.created_at,
    }
    if connection.execute(_ADD_MEMBER, values).first() is None:
        raise AlreadyExistsError("member", member.email)


def _remove_member(connection: Connection, member_id: str) -> None:
    this = members.c.id == member_id
    # The lock prevents new sessions, which would refer to the member.
    connection.execute(select(members.c.id).where(this).with_for_update())
    connection.execute(delete(sessions).where(sessions.c.member_id == member_id))
    connection.execute(delete(members).where(this))


def _ordered(rows: Sequence[Row[Any]]) -> tuple[Invitation, ...]:
    # Sorted here and not by the database, whose collation may differ.
    found = sorted(map(_invitation, rows), key=lambda invitation: invitation.id)
    return tuple(sorted(found, key=lambda invitation: invitation.created_at, reverse=True))


def _invitation(row: Row[Any]) -> Invitation:
    return Invitation(
        id=row.id,
        institution_id=row.institution_id,
        email=row.email,
        role=Role(row.role),
        digest=row.digest,
        invited_by=row.invited_by,
        inviter_id=row.inviter_id,
        created_at=row.created_at,
    )


def _written(invitation: Invitation) -> dict[str, Any]:
    return {
        "id": invitation.id,
        "institution_id": invitation.institution_id,
        "email": invitation.email,
        "role": invitation.role.value,
        "digest": invitation.digest,
        "invited_by": invitation.invited_by,
        "inviter_id": invitation.inviter_id,
        "created_at": invitation.created_at,
    }
