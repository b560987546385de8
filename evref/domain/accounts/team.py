"""The team of an institution: its members and its open invitations, changed as a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from evref.domain.accounts.institution import Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import REMOVAL_LENGTH, removal_digest
from evref.domain.errors import AlreadyExistsError, LastAdminError, NotFoundError
from evref.domain.principal import Role


@dataclass(frozen=True, slots=True)
class Removal:
    """That a member was removed: a hash of the address, and when."""

    digest: str
    removed_at: datetime


@dataclass(frozen=True, slots=True)
class Team:
    """The members of an institution, the invitations to it, and the removals of members.

    If there are members, at least one is an admin. The inviter of each invitation is an admin, or
    the operator. An e-mail has at most one invitation, and none if a member has it.
    """

    institution_id: str
    members: tuple[Member, ...] = ()
    invitations: tuple[Invitation, ...] = ()
    removals: tuple[Removal, ...] = ()

    def member(self, member_id: str) -> Member:
        """Return the member with this id.

        Raises:
            NotFoundError: If there is none in this team.

        """
        for member in self.members:
            if member.id == member_id:
                return member
        raise NotFoundError("member", member_id)

    def invitation(self, invitation_id: str) -> Invitation:
        """Return the invitation with this id.

        Raises:
            NotFoundError: If there is none in this team.

        """
        for invitation in self.invitations:
            if invitation.id == invitation_id:
                return invitation
        raise NotFoundError("invitation", invitation_id)

    def at(self, instant: datetime) -> Team:
        """Return the team without the invitations that have expired at this instant, and without
        the removals that are forgotten by then.
        """
        kept = tuple(each for each in self.removals if instant < each.removed_at + REMOVAL_LENGTH)
        open_ones = self._without(lambda invitation: not invitation.is_open_at(instant))
        return replace(open_ones, removals=kept)

    def has_removed(self, email: str) -> bool:
        """Return whether the member with this address was removed."""
        digest = removal_digest(self.institution_id, email)
        return any(each.digest == digest for each in self.removals)

    def invitation_of(self, email: str) -> Invitation | None:
        """Return the invitation to this address."""
        return next((each for each in self.invitations if each.email == email), None)

    def with_member(self, member: Member) -> Team:
        """Return the team with a new member, and without an invitation to the same e-mail or a
        removal of it.

        Raises:
            LastAdminError: If the first member is not an admin.

        """
        rest = self._without(lambda invitation: invitation.email == member.email)
        return _with_admin(
            replace(
                rest,
                members=(*self.members, member),
                removals=self._removals_but(member.email),
            )
        )

    def with_role(self, member_id: str, role: Role) -> Team:
        """Return the team with another role of a member.

        If the new role is not admin, the member's invitations are revoked.

        Raises:
            NotFoundError: If the member is not in this team.
            LastAdminError: If the team would have no admin.

        """
        changed = replace(self.member(member_id), role=role)
        members = tuple(changed if each.id == member_id else each for each in self.members)
        team = self if role is Role.ADMIN else self._without_invitations_by(member_id)
        return _with_admin(replace(team, members=members))

    def without_member(self, member_id: str, instant: datetime) -> Team:
        """Return the team without a member and their invitations.

        Raises:
            NotFoundError: If the member is not in this team.
            LastAdminError: If the team would have no admin.

        """
        removed = self.member(member_id)
        members = tuple(each for each in self.members if each != removed)
        digest = removal_digest(self.institution_id, removed.email)
        return _with_admin(
            replace(
                self._without_invitations_by(member_id),
                members=members,
                removals=(*self._removals_but(removed.email), Removal(digest, instant)),
            )
        )

    def with_invitation(self, invitation: Invitation) -> Team:
        """Return the team with an invitation, which replaces an earlier one to the same e-mail.

        Raises:
            AlreadyExistsError: If a member of this team has the e-mail.
            LastAdminError: If the first member would not be an admin.

        """
        if any(member.email == invitation.email for member in self.members):
            raise AlreadyExistsError("member", invitation.email)
        if not self.members and invitation.role is not Role.ADMIN:
            raise LastAdminError
        rest = self._without(lambda earlier: earlier.email == invitation.email)
        return replace(rest, invitations=(invitation, *rest.invitations))

    def without_invitation(self, invitation_id: str) -> Team:
        """Return the team without an invitation.

        Raises:
            NotFoundError: If the invitation is not in this team.

        """
        revoked = self.invitation(invitation_id)
        return self._without(lambda invitation: invitation == revoked)

    def _removals_but(self, email: str) -> tuple[Removal, ...]:
        digest = removal_digest(self.institution_id, email)
        return tuple(each for each in self.removals if each.digest != digest)

    def _without_invitations_by(self, member_id: str) -> Team:
        return self._without(lambda invitation: invitation.inviter_id == member_id)

    def _without(self, is_left_out: Callable[[Invitation], bool]) -> Team:
        kept = tuple(each for each in self.invitations if not is_left_out(each))
        return replace(self, invitations=kept)


def _with_admin(team: Team) -> Team:
    if all(member.role is not Role.ADMIN for member in team.members):
        raise LastAdminError
    return team
