"""Institutions, members, invitations, sessions, sign-in attempts and shared secrets."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import ProxySignIn
from evref.domain.accounts.session import MOST_SESSIONS, Session
from evref.domain.accounts.slowdown import Failures
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.domain.principal import Role
from evref.ports.accounts import (
    AccountChanges,
    Accounts,
    SessionStore,
    SharedSecrets,
    SignInAttempts,
)

_Record = TypeVar("_Record")


class MemoryAccounts(MemoryPart, Accounts):
    # The dictionaries are replaced by each change, never changed, so readers need no lock.

    def institution(self, institution_id: str) -> Institution:
        return _by_id(self._state.institutions, "institution", institution_id)

    def institution_named(self, name: str) -> Institution:
        return _first(
            self.institutions(), lambda institution: institution.name == name, "institution", name
        )

    def institutions(self) -> tuple[Institution, ...]:
        return tuple(
            sorted(self._state.institutions.values(), key=lambda institution: institution.name)
        )

    def member(self, member_id: str) -> Member:
        return _by_id(self._state.members, "member", member_id)

    def member_with_email(self, email: str) -> Member:
        return _first(self.members(), lambda member: member.email == email, "member", email)

    def members(self) -> tuple[Member, ...]:
        return tuple(sorted(self._state.members.values(), key=lambda member: member.email))

    def members_of(self, institution_id: str) -> tuple[Member, ...]:
        return tuple(member for member in self.members() if member.institution_id == institution_id)

    def has_admin(self, institution_id: str, *, besides: str | None = None) -> bool:
        return any(
            member.role is Role.ADMIN and member.id != besides
            for member in self.members_of(institution_id)
        )

    def invitation(self, invitation_id: str) -> Invitation:
        return _by_id(self._state.invitations, "invitation", invitation_id)

    def invitation_with_digest(self, digest: str) -> Invitation:
        invitations = self._state.invitations.values()
        return _first(
            invitations, lambda invitation: invitation.digest == digest, "invitation", digest
        )

    def invitations_to(
        self, institution_id: str, *, email: str | None = None, inviter_id: str | None = None
    ) -> tuple[Invitation, ...]:
        stored = sorted(self._state.invitations.values(), key=lambda invitation: invitation.id)
        invitations = [
            invitation
            for invitation in stored
            if invitation.institution_id == institution_id
            and email in {None, invitation.email}
            and inviter_id in {None, invitation.inviter_id}
        ]
        return tuple(
            sorted(invitations, key=lambda invitation: invitation.created_at, reverse=True)
        )

    def proxy_sign_ins(self) -> tuple[ProxySignIn, ...]:
        return tuple(self._state.proxy_sign_ins.values())


class MemoryAccountChanges(MemoryAccounts, AccountChanges):
    def add_institution(self, institution: Institution) -> None:
        if any(other.name == institution.name for other in self._state.institutions.values()):
            raise AlreadyExistsError("institution", institution.name)
        self._state.institutions[institution.id] = institution

    def lock(self, institution_id: str) -> None:
        self.institution(institution_id)

    def add_member(self, member: Member) -> None:
        if any(other.email == member.email for other in self._state.members.values()):
            raise AlreadyExistsError("member", member.email)
        self._state.members[member.id] = member

    def set_role(self, member_id: str, role: Role) -> None:
        self._state.members[member_id] = replace(self.member(member_id), role=role)
        self._remove_sessions(member_id)

    def remove_member(self, member_id: str) -> None:
        del self._state.members[member_id]
        self._remove_sessions(member_id)

    def _remove_sessions(self, member_id: str) -> None:
        for session in list(self._state.sessions.values()):
            if session.member_id == member_id:
                del self._state.sessions[session.digest]

    def add_invitation(self, invitation: Invitation) -> None:
        self._state.invitations[invitation.id] = invitation

    def remove_invitation(self, invitation_id: str) -> None:
        del self._state.invitations[invitation_id]

    def remove_invitations_until(self, institution_id: str, instant: datetime) -> None:
        for invitation in self.invitations_to(institution_id):
            if invitation.created_at <= instant:
                self.remove_invitation(invitation.id)

    def set_proxy_sign_in(self, institution_id: str, sign_in: ProxySignIn | None) -> None:
        self.institution(institution_id)
        self._state.proxy_sign_ins.pop(institution_id, None)
        if sign_in is None:
            return
        for other in self._state.proxy_sign_ins.values():
            for domain in other.domains:
                if domain in sign_in.domains:
                    raise AlreadyExistsError("domain", domain)
        self._state.proxy_sign_ins[institution_id] = sign_in

    def set_password(self, member_id: str, password_hash: str | None) -> None:
        member = self.member(member_id)
        self._state.members[member_id] = replace(member, password_hash=password_hash)

    def add_session(self, session: Session) -> None:
        self.member(session.member_id)
        self._state.sessions[session.digest] = session
        of_member = [
            other for other in self._state.sessions.values() if other.member_id == session.member_id
        ]
        of_member.sort(key=lambda other: other.started_at, reverse=True)
        for ended in of_member[MOST_SESSIONS:]:
            del self._state.sessions[ended.digest]


def _by_id(records: Mapping[str, _Record], kind: str, record_id: str) -> _Record:
    try:
        return records[record_id]
    except KeyError:
        raise NotFoundError(kind, record_id) from None


def _first(
    records: Iterable[_Record], is_wanted: Callable[[_Record], bool], kind: str, name: str
) -> _Record:
    for record in records:
        if is_wanted(record):
            return record
    raise NotFoundError(kind, name)


class MemorySessionStore(MemoryPart, SessionStore):
    def get(self, digest: str) -> Session:
        return _by_id(self._state.sessions, "session", digest)

    def remove(self, digest: str) -> None:
        with self._state.lock:
            self._state.sessions.pop(digest, None)

    def remove_started_before(self, instant: datetime, role: Role) -> None:
        with self._state.lock:
            for session in list(self._state.sessions.values()):
                member = self._state.members[session.member_id]
                if session.started_at < instant and member.role is role:
                    del self._state.sessions[session.digest]


class MemorySignInAttempts(MemoryPart, SignInAttempts):
    def get(self, names: Collection[str]) -> Mapping[str, Failures]:
        return {name: self._state.failures.get(name, Failures()) for name in names}

    def change(
        self,
        names: Collection[str],
        change: Callable[[Mapping[str, Failures]], Mapping[str, Failures]],
    ) -> None:
        kept = self._state.failures
        with self._state.lock:
            after = change(self.get(names))
            for name in names:
                if after[name] == Failures():
                    kept.pop(name, None)
                else:
                    kept[name] = after[name]

    def remove_older(self, kind: str, instant: datetime) -> None:
        with self._state.lock:
            for name, failures in list(self._state.failures.items()):
                if name.startswith(f"{kind}:") and (
                    failures.last_at is None or failures.last_at < instant
                ):
                    del self._state.failures[name]


class MemorySharedSecrets(MemoryPart, SharedSecrets):
    def keep(self, name: str, candidate: str) -> str:
        with self._state.lock:
            return self._state.secrets.setdefault(name, candidate)
