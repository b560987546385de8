"""Institutions and their members in SQL.

Names and e-mails are sorted here and not by the database, whose collation may differ.
"""

from typing import Any

from sqlalchemy import Row, Select, insert, select, update

from evref.adapters.outbound.sql import audit
from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.tables import institutions as institution_table
from evref.adapters.outbound.sql.tables import members as member_table
from evref.domain.accounts.institution import Institution, Member
from evref.domain.audit import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.domain.principal import Role
from evref.ports.accounts import institutions


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

    def with_email(self, email: str) -> Member:
        wanted = select(member_table).where(member_table.c.email == email)
        row = self._database.find(wanted)
        if row is None:
            raise NotFoundError("member", email)
        return member_of(row)

    def get(self, member_id: str) -> Member:
        row = self._database.find(select(member_table).where(member_table.c.id == member_id))
        if row is None:
            raise NotFoundError("member", member_id)
        return member_of(row)

    def list(self) -> tuple[Member, ...]:
        return self._by_email(select(member_table))

    def of_institution(self, institution_id: str) -> tuple[Member, ...]:
        its_own = member_table.c.institution_id == institution_id
        return self._by_email(select(member_table).where(its_own))

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

    def _by_email(self, wanted: Select[Any]) -> tuple[Member, ...]:
        found = map(member_of, self._database.find_all(wanted))
        return tuple(sorted(found, key=lambda member: member.email))


def _institution(row: Row[Any]) -> Institution:
    return Institution(id=row.id, name=row.name, created_at=row.created_at)


def member_of(row: Row[Any]) -> Member:
    """Return the member in a row of the table."""
    return Member(
        id=row.id,
        institution_id=row.institution_id,
        email=row.email,
        role=Role(row.role),
        password_hash=row.password_hash,
        created_at=row.created_at,
    )
