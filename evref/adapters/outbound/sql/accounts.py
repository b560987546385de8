"""Institutions, members, invitations, sessions, sign-in attempts and shared secrets in SQL."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy import text as sql

from evref.adapters.outbound.sql.engine import Source, SqlPart, Transaction
from evref.adapters.outbound.sql.tables import (
    institutions,
    invitations,
    members,
    proxy_domains,
    proxy_sign_ins,
    sessions,
    shared_secrets,
    sign_in_failures,
    written,
)
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import ProxySignIn
from evref.domain.accounts.session import MOST_SESSIONS, Session
from evref.domain.accounts.slowdown import Failures
from evref.domain.errors import NotFoundError
from evref.domain.principal import Role
from evref.ports.accounts import (
    AccountChanges,
    Accounts,
    SessionStore,
    SharedSecrets,
    SignInAttempts,
)

_LOCK_DOMAINS = sql("LOCK TABLE proxy_domains IN SHARE ROW EXCLUSIVE MODE")


class SqlAccounts(Accounts):
    def __init__(self, source: Source) -> None:
        self._source = source

    def institution(self, institution_id: str) -> Institution:
        query = select(institutions).where(institutions.c.id == institution_id)
        return _institution(self._source.one(query, "institution", institution_id))

    def institution_named(self, name: str) -> Institution:
        query = select(institutions).where(institutions.c.name == name)
        return _institution(self._source.one(query, "institution", name))

    def institutions(self) -> tuple[Institution, ...]:
        all_institutions = map(_institution, self._source.find_all(select(institutions)))
        return tuple(sorted(all_institutions, key=lambda institution: institution.name))

    def member(self, member_id: str) -> Member:
        query = select(members).where(members.c.id == member_id)
        return _member(self._source.one(query, "member", member_id))

    def member_with_email(self, email: str) -> Member:
        query = select(members).where(members.c.email == email)
        return _member(self._source.one(query, "member", email))

    def members(self) -> tuple[Member, ...]:
        return _by_email(self._source.find_all(select(members)))

    def members_of(self, institution_id: str) -> tuple[Member, ...]:
        query = select(members).where(members.c.institution_id == institution_id)
        return _by_email(self._source.find_all(query))

    def has_admin(self, institution_id: str, *, besides: str | None = None) -> bool:
        admin = select(members.c.id).where(
            members.c.institution_id == institution_id,
            members.c.role == Role.ADMIN.value,
            members.c.id != (besides or ""),
        )
        return self._source.find(admin.limit(1)) is not None

    def invitation(self, invitation_id: str) -> Invitation:
        query = select(invitations).where(invitations.c.id == invitation_id)
        return _invitation(self._source.one(query, "invitation", invitation_id))

    def invitation_with_digest(self, digest: str) -> Invitation:
        query = select(invitations).where(invitations.c.digest == digest)
        return _invitation(self._source.one(query, "invitation", digest))

    def invitations_to(
        self, institution_id: str, *, email: str | None = None, inviter_id: str | None = None
    ) -> tuple[Invitation, ...]:
        query = select(invitations).where(invitations.c.institution_id == institution_id)
        if email is not None:
            query = query.where(invitations.c.email == email)
        if inviter_id is not None:
            query = query.where(invitations.c.inviter_id == inviter_id)
        invitations_found = sorted(
            map(_invitation, self._source.find_all(query)), key=lambda invitation: invitation.id
        )
        return tuple(
            sorted(invitations_found, key=lambda invitation: invitation.created_at, reverse=True)
        )

    def proxy_sign_ins(self) -> tuple[ProxySignIn, ...]:
        rows = self._source.find_all(
            select(proxy_sign_ins, proxy_domains.c.domain).join(
                proxy_domains, proxy_domains.c.institution_id == proxy_sign_ins.c.institution_id
            )
        )
        domains: dict[tuple[str, str], list[str]] = {}
        for row in rows:
            domains.setdefault((row.institution_id, row.digest), []).append(row.domain)
        return tuple(
            ProxySignIn(institution_id, tuple(sorted(of_institution)), digest)
            for (institution_id, digest), of_institution in domains.items()
        )


class SqlAccountChanges(SqlAccounts, AccountChanges):
    def __init__(self, transaction: Transaction) -> None:
        super().__init__(transaction)
        self._transaction = transaction

    def add_institution(self, institution: Institution) -> None:
        with self._transaction.database.unique("institution", institution.name):
            self._transaction.connection.execute(
                insert(institutions).values(written(institutions, institution))
            )

    def lock(self, institution_id: str) -> None:
        # FOR NO KEY UPDATE, so that rows can still refer to the institution. SQLite has no such
        # lock; its transaction already holds the write lock.
        query = select(institutions.c.id).where(institutions.c.id == institution_id)
        locking = query.with_for_update(key_share=True)
        self._transaction.one(locking, "institution", institution_id)

    def proxy_sign_ins(self) -> tuple[ProxySignIn, ...]:
        # No row can be locked that is not there yet.
        if self._transaction.connection.dialect.name == "postgresql":
            self._transaction.connection.execute(_LOCK_DOMAINS)
        return super().proxy_sign_ins()

    def add_member(self, member: Member) -> None:
        row = {**written(members, member), "password_hash": member.password_hash or ""}
        with self._transaction.database.unique("member", member.email):
            self._transaction.connection.execute(insert(members).values(row))

    def set_role(self, member_id: str, role: Role) -> None:
        statement = update(members).where(members.c.id == member_id)
        self._transaction.connection.execute(statement.values(role=role.value))
        self._remove_sessions(member_id)

    def remove_member(self, member_id: str) -> None:
        connection, is_member = self._transaction.connection, members.c.id == member_id
        # The lock prevents new sessions, which would refer to the member.
        connection.execute(select(members.c.id).where(is_member).with_for_update())
        self._remove_sessions(member_id)
        connection.execute(delete(members).where(is_member))

    def add_invitation(self, invitation: Invitation) -> None:
        row = insert(invitations).values(written(invitations, invitation))
        self._transaction.connection.execute(row)

    def remove_invitation(self, invitation_id: str) -> None:
        statement = delete(invitations).where(invitations.c.id == invitation_id)
        self._transaction.connection.execute(statement)

    def remove_invitations_until(self, institution_id: str, instant: datetime) -> None:
        old = delete(invitations).where(
            invitations.c.institution_id == institution_id, invitations.c.created_at <= instant
        )
        self._transaction.connection.execute(old)

    def set_proxy_sign_in(self, institution_id: str, sign_in: ProxySignIn | None) -> None:
        connection = self._transaction.connection
        self.lock(institution_id)
        for table in (proxy_domains, proxy_sign_ins):
            connection.execute(delete(table).where(table.c.institution_id == institution_id))
        if sign_in is None:
            return
        row = {"institution_id": institution_id, "digest": sign_in.digest}
        connection.execute(insert(proxy_sign_ins).values(row))
        for domain in sign_in.domains:
            with self._transaction.database.unique("domain", domain):
                row = {"institution_id": institution_id, "domain": domain}
                connection.execute(insert(proxy_domains).values(row))

    def set_password(self, member_id: str, password_hash: str | None) -> None:
        statement = update(members).where(members.c.id == member_id)
        row = {"password_hash": password_hash or ""}
        replaced = self._transaction.connection.execute(statement.values(row))
        if replaced.rowcount == 0:
            raise NotFoundError("member", member_id)

    def add_session(self, session: Session) -> None:
        connection = self._transaction.connection
        member = select(members.c.id).where(members.c.id == session.member_id)
        # FOR KEY SHARE: waits for a removal of the member, and prevents it until the commit.
        locked = member.with_for_update(read=True, key_share=True)
        self._transaction.one(locked, "member", session.member_id)
        connection.execute(insert(sessions).values(written(sessions, session)))
        of_member = sessions.c.member_id == session.member_id
        newest_first = (sessions.c.started_at.desc(), sessions.c.digest)
        oldest = select(sessions.c.digest).where(of_member).order_by(*newest_first)
        ended = connection.execute(oldest.offset(MOST_SESSIONS)).scalars().all()
        connection.execute(delete(sessions).where(sessions.c.digest.in_(ended)))

    def _remove_sessions(self, member_id: str) -> None:
        of_member = delete(sessions).where(sessions.c.member_id == member_id)
        self._transaction.connection.execute(of_member)


def _institution(row: Row[Any]) -> Institution:
    return Institution(**row._mapping)  # noqa: SLF001 - a public name of SQLAlchemy's


def _member(row: Row[Any]) -> Member:
    converted = {"role": Role(row.role), "password_hash": row.password_hash or None}
    return Member(**{**row._mapping, **converted})  # noqa: SLF001 - as above


def _invitation(row: Row[Any]) -> Invitation:
    return Invitation(**{**row._mapping, "role": Role(row.role)})  # noqa: SLF001 - as above


def _by_email(rows: Sequence[Row[Any]]) -> tuple[Member, ...]:
    return tuple(sorted(map(_member, rows), key=lambda member: member.email))


class SqlSessionStore(SqlPart, SessionStore):
    def get(self, digest: str) -> Session:
        query = select(sessions).where(sessions.c.digest == digest)
        row = self._database.one(query, "session", digest)
        return Session(**row._mapping)  # noqa: SLF001 - a public name of SQLAlchemy's

    def remove(self, digest: str) -> None:
        with self._database.transaction() as connection:
            connection.execute(delete(sessions).where(sessions.c.digest == digest))

    def remove_started_before(self, instant: datetime, role: Role) -> None:
        with_role = select(members.c.id).where(members.c.role == role.value)
        old = delete(sessions).where(
            sessions.c.started_at < instant, sessions.c.member_id.in_(with_role)
        )
        with self._database.transaction() as connection:
            connection.execute(old)


# Only an existing row can be locked.
_PLACE = sql(
    "INSERT INTO sign_in_failures (name, failures) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING"
)


class SqlSignInAttempts(SqlPart, SignInAttempts):
    def get(self, names: Collection[str]) -> Mapping[str, Failures]:
        stored = select(sign_in_failures).where(sign_in_failures.c.name.in_(names))
        rows = self._database.find_all(stored)
        failures = {row.name: Failures(row.failures, row.last_at) for row in rows}
        return {name: failures.get(name, Failures()) for name in names}

    def change(
        self,
        names: Collection[str],
        change: Callable[[Mapping[str, Failures]], Mapping[str, Failures]],
    ) -> None:
        # Always in the same order, to avoid deadlocks.
        ordered = sorted(names)
        table = sign_in_failures.c
        locked = select(sign_in_failures).where(table.name.in_(ordered)).order_by(table.name)
        with self._database.transaction() as connection:
            for name in ordered:
                connection.execute(_PLACE, {"name": name})
            rows = connection.execute(locked.with_for_update()).all()
            after = change({row.name: Failures(row.failures, row.last_at) for row in rows})
            for name in ordered:
                has_name, failures = table.name == name, after[name]
                if failures == Failures():
                    connection.execute(delete(sign_in_failures).where(has_name))
                else:
                    connection.execute(
                        update(sign_in_failures)
                        .where(has_name)
                        .values(failures=failures.count, last_at=failures.last_at)
                    )

    def remove_older(self, kind: str, instant: datetime) -> None:
        table = sign_in_failures.c
        old = delete(sign_in_failures).where(
            table.name.startswith(f"{kind}:"), table.last_at < instant
        )
        with self._database.transaction() as connection:
            connection.execute(old)


_KEEP = sql(
    "INSERT INTO shared_secrets (name, value) VALUES (:name, :candidate) "
    "ON CONFLICT (name) DO NOTHING"
)


class SqlSharedSecrets(SqlPart, SharedSecrets):
    def keep(self, name: str, candidate: str) -> str:
        stored = select(shared_secrets.c.value).where(shared_secrets.c.name == name)
        with self._database.transaction() as connection:
            connection.execute(_KEEP, {"name": name, "candidate": candidate})
            secret: str = connection.execute(stored).scalar_one()
        return secret
