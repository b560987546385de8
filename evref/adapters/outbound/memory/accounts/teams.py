"""Teams: the members and the invitations of one institution."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from evref.adapters.outbound.memory.state import MemoryState
from evref.domain.accounts.institution import Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.team import Team
from evref.domain.audit import AuditEntry
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.accounts import teams


class MemoryTeamStore(teams.TeamStore):
    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def invitations(self, institution_id: str) -> tuple[Invitation, ...]:
        with self._state.lock:
            found = [
                invitation
                for invitation in self._state.invitations.values()
                if invitation.institution_id == institution_id
            ]
        found.sort(key=lambda invitation: invitation.id)
        found.sort(key=lambda invitation: invitation.created_at, reverse=True)
        return tuple(found)

    def invitation(self, invitation_id: str) -> Invitation:
        try:
            return self._state.invitations[invitation_id]
        except KeyError:
            raise NotFoundError("invitation", invitation_id) from None

    def invitation_with_digest(self, digest: str) -> Invitation:
        with self._state.lock:
            for invitation in self._state.invitations.values():
                if invitation.digest == digest:
                    return invitation
        raise NotFoundError("invitation", digest)

    def change(
        self,
        institution_id: str,
        change: Callable[[Team], tuple[Team, Sequence[AuditEntry]] | None],
    ) -> Team:
        state = self._state
        with state.lock:
            if institution_id not in state.institutions:
                raise NotFoundError("institution", institution_id)
            before = Team(
                institution_id, self._members(institution_id), self.invitations(institution_id)
            )
            changed = change(before)
            if changed is None:
                return before
            after, entries = changed
            self._refuse_taken(after.members)
            self._remove_members(before, after)
            for member in after.members:
                stored = state.members.get(member.id, member)
                state.members[member.id] = replace(stored, role=member.role)
            for invitation in before.invitations:
                del state.invitations[invitation.id]
            state.invitations |= {invitation.id: invitation for invitation in after.invitations}
            state.audit.extend(entries)
        return after

    def _members(self, institution_id: str) -> tuple[Member, ...]:
        return tuple(
            member
            for member in self._state.members.values()
            if member.institution_id == institution_id
        )

    def _refuse_taken(self, members: Iterable[Member]) -> None:
        ids = {member.email: member.id for member in self._state.members.values()}
        for member in members:
            if ids.get(member.email, member.id) != member.id:
                raise AlreadyExistsError("member", member.email)

    def _remove_members(self, before: Team, after: Team) -> None:
        state = self._state
        removed = {member.id for member in before.members} - {member.id for member in after.members}
        for member_id in removed:
            del state.members[member_id]
        for session in list(state.sessions.values()):
            if session.member_id in removed:
                del state.sessions[session.digest]
