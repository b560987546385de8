"""Institutions, members and invitations by id."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import ProxySignIn
from evref.domain.accounts.team import Team
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.accounts.accounts import AccountChanges, Accounts

_Record = TypeVar("_Record")


class MemoryAccounts(MemoryPart, Accounts):
    # The dictionaries are replaced by each change, never changed, so readers need no lock.

    def institution(self, institution_id: str) -> Institution:
        return _by_id(self._state.institutions, "institution", institution_id)

    def institution_named(self, name: str) -> Institution:
        return _first(self.institutions(), lambda each: each.name == name, "institution", name)

    def institutions(self) -> tuple[Institution, ...]:
        return tuple(sorted(self._state.institutions.values(), key=lambda each: each.name))

    def member(self, member_id: str) -> Member:
        return _by_id(self._state.members, "member", member_id)

    def member_with_email(self, email: str) -> Member:
        return _first(self.members(), lambda each: each.email == email, "member", email)

    def members(self) -> tuple[Member, ...]:
        return tuple(sorted(self._state.members.values(), key=lambda each: each.email))

    def members_of(self, institution_id: str) -> tuple[Member, ...]:
        return tuple(each for each in self.members() if each.institution_id == institution_id)

    def invitation(self, invitation_id: str) -> Invitation:
        return _by_id(self._state.invitations, "invitation", invitation_id)

    def invitation_with_digest(self, digest: str) -> Invitation:
        found = self._state.invitations.values()
        return _first(found, lambda each: each.digest == digest, "invitation", digest)

    def invitations_to(self, institution_id: str) -> tuple[Invitation, ...]:
        stored = sorted(self._state.invitations.values(), key=lambda each: each.id)
        found = [each for each in stored if each.institution_id == institution_id]
        return tuple(sorted(found, key=lambda each: each.created_at, reverse=True))

    def proxy_sign_ins(self) -> tuple[ProxySignIn, ...]:
        return tuple(self._state.proxy_sign_ins.values())


class MemoryAccountChanges(MemoryAccounts, AccountChanges):
    def add_institution(self, institution: Institution) -> None:
        if any(each.name == institution.name for each in self._state.institutions.values()):
            raise AlreadyExistsError("institution", institution.name)
        self._state.institutions[institution.id] = institution

    def team(self, institution_id: str) -> Team:
        self.institution(institution_id)
        return Team(
            institution_id,
            self.members_of(institution_id),
            self.invitations_to(institution_id),
            self._state.removals.get(institution_id, ()),
        )

    def replace_team(self, team: Team) -> None:
        state, before = self._state, self.team(team.institution_id)
        ids = {member.email: member.id for member in state.members.values()}
        for member in team.members:
            if ids.get(member.email, member.id) != member.id:
                raise AlreadyExistsError("member", member.email)
        later = {member.id: member for member in team.members}
        signed_out = set()
        for member in before.members:
            if member.id not in later:
                del state.members[member.id]
            if member.id not in later or later[member.id].role is not member.role:
                signed_out.add(member.id)
        for session in list(state.sessions.values()):
            if session.member_id in signed_out:
                del state.sessions[session.digest]
        for member in team.members:
            stored = state.members.get(member.id, member)
            state.members[member.id] = replace(stored, role=member.role)
        state.removals[team.institution_id] = team.removals
        for invitation in before.invitations:
            del state.invitations[invitation.id]
        state.invitations |= {invitation.id: invitation for invitation in team.invitations}

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
