"""Institutions and their members in SQL.

Names and e-mails are sorted here and not by the database, whose collation may differ.
"""

from typing import Any

from sqlalchemy import Row, insert, select, update

from evref.adapters.outbound.sql import audit
from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.tables import institutions as institution_table
from evref.adapters.outbound.sql.tables import members as member_table
from evref.domain.accounts.institution import Institution, Member
from evref.domain.audit import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports import institutions


class SqlInstitutionStore(institutions.InstitutionStore):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def add(self, institution: Institution, entry: AuditEntry) -> None:
        taken = AlreadyExistsError("institution", institution.name)
        with self._database.transaction(taken=taken) as connection:
            connection.execute(
                insert(institution_table).values(
                    id=institution.id, name=institution.name, created_at=institution.created_at
                )
            )
            audit.append(connection, entry)

    def named(self, name: str) -> Institution:
        wanted = select(institution_table).where(institution_table.c.name == name)
        row = self._database.find(wanted)
        if row is None:
            raise NotFoundError("institution", name)
        return _institution(row)

    def get(self, institution_id: str) -> Institution:
        wanted = select(institution_table).where(institution_table.c.id == institution_id)
        row = self._database.find(wanted)
        if row is None:
            raise NotFoundError("institution", institution_id)
        return _institution(row)

    def list(self) -> tuple[Institution, ...]:
        with self._database.connect() as connection:
            rows = connection.execute(select(institution_table)).all()
        return tuple(sorted(map(_institution, rows), key=lambda institution: institution.name))


class SqlMemberStore(institutions.MemberStore):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def add(self, member: Member, entry: AuditEntry) -> None:
        taken = AlreadyExistsError("member", member.email)
        with self._database.transaction(taken=taken) as connection:
            connection.execute(
                insert(member_table).values(
                    id=member.id,
                    institution_id=member.institution_id,
                    email=member.email,
                    password_hash=member.password_hash,
                    created_at=member.created_at,
                )
            )
            audit.append(connection, entry)

    def with_email(self, email: str) -> Member:
        wanted = select(member_table).where(member_table.c.email == email)
        row = self._database.find(wanted)
        if row is None:
            raise NotFoundError("member", email)
        return _member(row)

    def get(self, member_id: str) -> Member:
        row = self._database.find(select(member_table).where(member_table.c.id == member_id))
        if row is None:
            raise NotFoundError("member", member_id)
        return _member(row)

    def list(self) -> tuple[Member, ...]:
        with self._database.connect() as connection:
            rows = connection.execute(select(member_table)).all()
        return tuple(sorted(map(_member, rows), key=lambda member: member.email))

    def set_password(self, member_id: str, password_hash: str, entry: AuditEntry) -> None:
        replacement = (
            update(member_table)
            .where(member_table.c.id == member_id)
            .values(password_hash=password_hash)
        )
        with self._database.transaction() as connection:
            if connection.execute(replacement).rowcount == 0:
                raise NotFoundError("member", member_id)
            audit.append(connection, entry)


def _institution(row: Row[Any]) -> Institution:
    return Institution(id=row.id, name=row.name, created_at=row.created_at)


def _member(row: Row[Any]) -> Member:
    return Member(
        id=row.id,
        institution_id=row.institution_id,
        email=row.email,
        password_hash=row.password_hash,
        created_at=row.created_at,
    )
