"""Institutions, members and invitations in SQL; an institution's row is the lock of its team.

Names and e-mails are sorted here and not by the database, whose collation may differ.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, delete, insert, select, update

from evref.adapters.outbound.sql.engine import Source, Transaction
from evref.adapters.outbound.sql.tables import (
    institutions,
    invitations,
    members,
    proxy_domains,
    proxy_sign_ins,
    removals,
    sessions,
    written,
)
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import ProxySignIn
from evref.domain.accounts.team import Removal, Team
from evref.domain.errors import NotFoundError
from evref.domain.principal import Role
from evref.ports.accounts.accounts import AccountChanges, Accounts


class SqlAccounts(Accounts):
    def __init__(self, source: Source) -> None:
        self._source = source

    def institution(self, institution_id: str) -> Institution:
        wanted = select(institutions).where(institutions.c.id == institution_id)
        return _institution(self._source.one(wanted, "institution", institution_id))

    def institution_named(self, name: str) -> Institution:
        wanted = select(institutions).where(institutions.c.name == name)
        return _institution(self._source.one(wanted, "institution", name))

    def institutions(self) -> tuple[Institution, ...]:
        found = map(_institution, self._source.find_all(select(institutions)))
        return tuple(sorted(found, key=lambda institution: institution.name))

    def member(self, member_id: str) -> Member:
        wanted = select(members).where(members.c.id == member_id)
        return _member(self._source.one(wanted, "member", member_id))

    def member_with_email(self, email: str) -> Member:
        wanted = select(members).where(members.c.email == email)
        return _member(self._source.one(wanted, "member", email))

    def members(self) -> tuple[Member, ...]:
        return _by_email(self._source.find_all(select(members)))

    def members_of(self, institution_id: str) -> tuple[Member, ...]:
        wanted = select(members).where(members.c.institution_id == institution_id)
        return _by_email(self._source.find_all(wanted))

    def invitation(self, invitation_id: str) -> Invitation:
        wanted = select(invitations).where(invitations.c.id == invitation_id)
        return _invitation(self._source.one(wanted, "invitation", invitation_id))

    def invitation_with_digest(self, digest: str) -> Invitation:
        wanted = select(invitations).where(invitations.c.digest == digest)
        return _invitation(self._source.one(wanted, "invitation", digest))

    def invitations_to(self, institution_id: str) -> tuple[Invitation, ...]:
        wanted = select(invitations).where(invitations.c.institution_id == institution_id)
        found = sorted(map(_invitation, self._source.find_all(wanted)), key=lambda each: each.id)
        return tuple(sorted(found, key=lambda each: each.created_at, reverse=True))

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

    def team(self, institution_id: str) -> Team:
        # FOR NO KEY UPDATE, so that a key can be added to the institution meanwhile. SQLite
        # has no such lock; its transaction already holds the write lock.
        this = select(institutions.c.id).where(institutions.c.id == institution_id)
        locked = this.with_for_update(key_share=True)
        self._transaction.one(locked, "institution", institution_id)
        return self._stored(institution_id)

    def replace_team(self, team: Team) -> None:
        connection = self._transaction.connection
        before = self._stored(team.institution_id)
        # First, because invitations refer to their inviters, and an e-mail has one invitation.
        for invitation in set(before.invitations) - set(team.invitations):
            connection.execute(delete(invitations).where(invitations.c.id == invitation.id))
        earlier = {member.id: member for member in before.members}
        later = {member.id: member for member in team.members}
        for member_id in earlier.keys() - later.keys():
            self._remove_member(member_id)
        for member_id, member in later.items():
            if member_id not in earlier:
                with self._transaction.database.unique("member", member.email):
                    connection.execute(insert(members).values(_row(member)))
            elif member.role is not earlier[member_id].role:
                this = update(members).where(members.c.id == member_id)
                connection.execute(this.values(role=member.role.value))
                connection.execute(delete(sessions).where(sessions.c.member_id == member_id))
        for removal in set(before.removals) - set(team.removals):
            connection.execute(delete(removals).where(removals.c.digest == removal.digest))
        for removal in set(team.removals) - set(before.removals):
            row = {"institution_id": team.institution_id, **asdict(removal)}
            connection.execute(insert(removals).values(row))
        for invitation in set(team.invitations) - set(before.invitations):
            connection.execute(insert(invitations).values(written(invitations, invitation)))

    def set_proxy_sign_in(self, institution_id: str, sign_in: ProxySignIn | None) -> None:
        connection = self._transaction.connection
        self.team(institution_id)
        for each in (proxy_domains, proxy_sign_ins):
            connection.execute(delete(each).where(each.c.institution_id == institution_id))
        if sign_in is None:
            return
        row = {"institution_id": institution_id, "digest": sign_in.digest}
        connection.execute(insert(proxy_sign_ins).values(row))
        for domain in sign_in.domains:
            with self._transaction.database.unique("domain", domain):
                row = {"institution_id": institution_id, "domain": domain}
                connection.execute(insert(proxy_domains).values(row))

    def set_password(self, member_id: str, password_hash: str | None) -> None:
        this = update(members).where(members.c.id == member_id)
        row = {"password_hash": password_hash or ""}
        replaced = self._transaction.connection.execute(this.values(row))
        if replaced.rowcount == 0:
            raise NotFoundError("member", member_id)

    def _stored(self, institution_id: str) -> Team:
        kept = select(removals).where(removals.c.institution_id == institution_id)
        return Team(
            institution_id,
            self.members_of(institution_id),
            self.invitations_to(institution_id),
            tuple(Removal(row.digest, row.removed_at) for row in self._source.find_all(kept)),
        )

    def _remove_member(self, member_id: str) -> None:
        connection, this = self._transaction.connection, members.c.id == member_id
        # The lock prevents new sessions, which would refer to the member.
        connection.execute(select(members.c.id).where(this).with_for_update())
        connection.execute(delete(sessions).where(sessions.c.member_id == member_id))
        connection.execute(delete(members).where(this))


def _institution(row: Row[Any]) -> Institution:
    return Institution(**row._mapping)  # noqa: SLF001 - a public name of SQLAlchemy's


def _member(row: Row[Any]) -> Member:
    converted = {"role": Role(row.role), "password_hash": row.password_hash or None}
    return Member(**{**row._mapping, **converted})  # noqa: SLF001 - as above


def _row(member: Member) -> dict[str, Any]:
    return {**written(members, member), "password_hash": member.password_hash or ""}


def _invitation(row: Row[Any]) -> Invitation:
    return Invitation(**{**row._mapping, "role": Role(row.role)})  # noqa: SLF001 - as above


def _by_email(rows: Sequence[Row[Any]]) -> tuple[Member, ...]:
    return tuple(sorted(map(_member, rows), key=lambda member: member.email))
