"""Institutions and their members by id."""

from dataclasses import replace

from evref.adapters.outbound.memory.state import MemoryState
from evref.domain.accounts.institution import Institution, Member
from evref.domain.audit import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.accounts import institutions


class MemoryInstitutionStore(institutions.InstitutionStore):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def add(self, institution: Institution, entry: AuditEntry) -> None:
        with self._state.lock:
            if any(known.name == institution.name for known in self._state.institutions.values()):
                raise AlreadyExistsError("institution", institution.name)
            self._state.institutions[institution.id] = institution
            self._state.audit.append(entry)

    def named(self, name: str) -> Institution:
        for institution in self.list():
            if institution.name == name:
                return institution
        raise NotFoundError("institution", name)

    def get(self, institution_id: str) -> Institution:
        try:
            return self._state.institutions[institution_id]
        except KeyError:
            raise NotFoundError("institution", institution_id) from None

    def list(self) -> tuple[Institution, ...]:
        with self._state.lock:
            found = list(self._state.institutions.values())
        return tuple(sorted(found, key=lambda institution: institution.name))


class MemoryMemberStore(institutions.MemberStore):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def with_email(self, email: str) -> Member:
        for member in self.list():
            if member.email == email:
                return member
        raise NotFoundError("member", email)

    def get(self, member_id: str) -> Member:
        try:
            return self._state.members[member_id]
        except KeyError:
            raise NotFoundError("member", member_id) from None

    def list(self) -> tuple[Member, ...]:
        with self._state.lock:
            found = list(self._state.members.values())
        return tuple(sorted(found, key=lambda member: member.email))

    def of_institution(self, institution_id: str) -> tuple[Member, ...]:
        return tuple(member for member in self.list() if member.institution_id == institution_id)

    def set_password(self, member_id: str, password_hash: str, entry: AuditEntry) -> None:
        with self._state.lock:
            member = self.get(member_id)
            self._state.members[member_id] = replace(member, password_hash=password_hash)
            self._state.audit.append(entry)
