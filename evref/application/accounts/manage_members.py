"""Manage the members of an institution: invite, list, change and remove them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evref.application.accounts.shared.audit import record, replace_team
from evref.domain.accounts.institution import Member, normalised_email
from evref.domain.accounts.invitation import Invitation, InvitationToken
from evref.domain.accounts.team import Team
from evref.domain.audit import Action
from evref.domain.errors import InvalidValueError, NotAllowedError, NotFoundError, changed_meanwhile
from evref.domain.identifiers import IDS, new_id
from evref.domain.principal import (
    InstitutionMember,
    Principal,
    Right,
    Role,
    authorise,
    authorise_in,
)
from evref.domain.redaction import refuse_keys
from evref.ports.clock import Clock
from evref.ports.randomness import Randomness
from evref.ports.storage import Changes, Storage


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """A new invitation with the token of its link, which is not stored."""

    invitation: Invitation
    token: InvitationToken


@dataclass(kw_only=True, eq=False)
class ManageMembers:
    """Manages members for admins of their institution and for the operator.

    Each method raises `NotAllowedError` if the principal may not do it, and `NotFoundError` if the
    institution, member or invitation does not exist, as another institution's does not for a
    member.
    """

    storage: Storage
    clock: Clock
    randomness: Randomness

    def list(
        self, principal: Principal, institution_id: str, *, to_change: bool = False
    ) -> tuple[Member, ...]:
        """Return the members of an institution, ordered by e-mail, to see or `to_change` them."""
        right = Right.CHANGE_MEMBERS if to_change else Right.SEE_MEMBERS
        authorise_in(institution_id, principal, right)
        return self.storage.accounts.members_of(institution_id)

    def invitations(self, principal: Principal, institution_id: str) -> tuple[Invitation, ...]:
        """Return the open invitations to an institution, newest first."""
        authorise_in(institution_id, principal, Right.CHANGE_MEMBERS)
        instant = self.clock.now()
        return tuple(
            invitation
            for invitation in self.storage.accounts.invitations_to(institution_id)
            if invitation.is_open_at(instant)
        )

    def invite(
        self, principal: Principal, institution_id: str, *, email: str, role: Role
    ) -> NewInvitation:
        """Invite a person to an institution, and return the token of the link.

        The invitation replaces an earlier one to the same e-mail. Whether a member of
        another institution has the e-mail is not revealed.

        Raises:
            InvalidValueError: If the e-mail breaks a rule.
            AlreadyExistsError: If the person is already a member of the institution.
            LastAdminError: If the institution has no member, and the role is not admin.

        """
        authorise_in(institution_id, principal, Right.CHANGE_MEMBERS)
        refuse_keys("email", email)
        token = InvitationToken.make(self.randomness.below(InvitationToken.SECRETS))
        invitation = Invitation(
            id=new_id(self.randomness.below(IDS)),
            institution_id=institution_id,
            email=normalised_email(email),
            role=role,
            digest=token.digest,
            invited_by=principal.name,
            inviter_id=principal.member_id,
            created_at=self.clock.now(),
        )
        detail = (
            f"e-mail {invitation.email}, role {role}, "
            f"valid until {invitation.ends_at:%Y-%m-%d %H:%M} UTC"
        )
        with self._changing(principal, institution_id) as (changes, before):
            after = before.at(changes.instant).with_invitation(invitation)
            replace_team(changes, before, after)
            record(changes, Action.MEMBER_INVITED, invitation, detail)
        return NewInvitation(invitation, token)

    def revoke_invitation(self, principal: Principal, invitation_id: str) -> None:
        """Revoke an open invitation.

        Raises:
            NotFoundError: If the invitation does not exist or is not open.

        """
        invitation = self.storage.accounts.invitation(invitation_id)
        unseen = NotFoundError("invitation", invitation_id)
        authorise_in(invitation.institution_id, principal, Right.CHANGE_MEMBERS, unseen=unseen)
        with self._changing(principal, invitation.institution_id) as (changes, before):
            after = before.at(changes.instant).without_invitation(invitation_id)
            replace_team(changes, before, after)

    def set_role(
        self, principal: Principal, member_id: str, role: Role, *, seen: Role | None = None
    ) -> Member:
        """Change the role of a member, and return the member.

        The open invitations of a former admin are revoked. If the role is the
        same, nothing changes and the audit log has no entry. `seen` is the role that the member
        had when a person decided to change it.

        Raises:
            InvalidValueError: If the role has changed since it was seen.
            LastAdminError: If the institution would have no admin.

        """
        institution_id = self._institution_of(principal, member_id)
        with self._changing(principal, institution_id) as (changes, before):
            member = before.member(member_id)
            if member.role is role:
                return member
            if seen not in {None, member.role}:
                raise InvalidValueError([changed_meanwhile("role", member.role)])
            after = before.at(changes.instant).with_role(member_id, role)
            replace_team(changes, before, after)
            detail = f"e-mail {member.email}, role from {member.role} to {role}"
            record(changes, Action.MEMBER_ROLE_CHANGED, member, detail)
        return after.member(member_id)

    def remove(self, principal: Principal, member_id: str) -> None:
        """Remove a member, with their sessions and open invitations.

        Raises:
            LastAdminError: If the institution would have no admin.

        """
        institution_id = self._institution_of(principal, member_id)
        with self._changing(principal, institution_id) as (changes, before):
            member = before.member(member_id)
            after = before.at(changes.instant).without_member(member_id, changes.instant)
            replace_team(changes, before, after)
            detail = f"e-mail {member.email}, role {member.role}"
            record(changes, Action.MEMBER_REMOVED, member, detail)

    def _institution_of(self, principal: Principal, member_id: str) -> str:
        """Return the institution of a member whom the principal may change."""
        member = self.storage.accounts.member(member_id)
        unseen = NotFoundError("member", member_id)
        authorise_in(member.institution_id, principal, Right.CHANGE_MEMBERS, unseen=unseen)
        return member.institution_id

    @contextmanager
    def _changing(
        self, principal: Principal, institution_id: str
    ) -> Iterator[tuple[Changes, Team]]:
        """Begin a unit of work; yield it with the team, expired invitations included."""
        with self.storage.changes(principal, self.clock.now()) as changes:
            team = changes.accounts.team(institution_id)
            _authorise_again(principal, team)
            yield changes, team


def _authorise_again(principal: Principal, team: Team) -> None:
    """Check the right within the change: an admin may have been demoted since the request."""
    if isinstance(principal, InstitutionMember):
        try:
            principal = team.member(principal.member_id).principal
        except NotFoundError:
            raise NotAllowedError from None
    authorise(principal, Right.CHANGE_MEMBERS)
