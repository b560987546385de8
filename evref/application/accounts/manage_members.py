"""Manage the members of an institution: invite, list, change and remove them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from evref.application.accounts.bulkhead import Bulkhead
from evref.application.accounts.new_password import check_new_password
from evref.application.identifiers import new_id
from evref.domain.accounts.institution import Institution, Member, normalised_email
from evref.domain.accounts.invitation import Invitation, InvitationToken, unknown_invitation
from evref.domain.accounts.sign_in import network
from evref.domain.accounts.team import Team
from evref.domain.audit import Action, AuditEntry, Subject, SubjectKind, record
from evref.domain.errors import NotAllowedError, NotFoundError
from evref.domain.principal import (
    InstitutionMember,
    Principal,
    Right,
    Role,
    authorise,
    authorise_in,
)
from evref.domain.redaction import refuse_keys
from evref.ports.accounts.institutions import InstitutionStore, MemberStore
from evref.ports.accounts.passwords import PasswordGuesser, PasswordHasher
from evref.ports.accounts.teams import TeamStore
from evref.ports.clock import Clock
from evref.ports.randomness import Randomness


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """A new invitation with the token of its link, which is not stored."""

    invitation: Invitation
    token: InvitationToken


@dataclass(frozen=True, slots=True)
class InvitationInInstitution:
    """An invitation with its institution."""

    invitation: Invitation
    institution: Institution


class ManageMembers:
    """Manages members for admins of their institution and for the operator.

    For a member, a member or an invitation of another institution does not exist: `NotFoundError`.
    Nobody sets the password of somebody else here.
    """

    def __init__(
        self,
        *,
        institutions: InstitutionStore,
        members: MemberStore,
        teams: TeamStore,
        bulkhead: Bulkhead,
        passwords: PasswordHasher,
        guesser: PasswordGuesser,
        clock: Clock,
        randomness: Randomness,
    ) -> None:
        self._institutions = institutions
        self._members = members
        self._teams = teams
        self._bulkhead = bulkhead
        self._passwords = passwords
        self._guesser = guesser
        self._clock = clock
        self._randomness = randomness

    def list(
        self, principal: Principal, institution_id: str, *, to_change: bool = False
    ) -> tuple[Member, ...]:
        """Return the members of an institution, ordered by e-mail, to see or `to_change` them.

        Raises:
            NotFoundError: If the institution is not the member's own.
            NotAllowedError: If the principal may not do this.

        """
        unseen = NotFoundError("institution", institution_id)
        right = Right.CHANGE_MEMBERS if to_change else Right.SEE_MEMBERS
        authorise_in(institution_id, principal, right, unseen=unseen)
        return self._members.of_institution(institution_id)

    def invitations(self, principal: Principal, institution_id: str) -> tuple[Invitation, ...]:
        """Return the open invitations to an institution, newest first.

        Raises:
            NotFoundError: If the institution is not the member's own.
            NotAllowedError: If the principal may not see invitations.

        """
        unseen = NotFoundError("institution", institution_id)
        authorise_in(institution_id, principal, Right.CHANGE_MEMBERS, unseen=unseen)
        instant = self._clock.now()
        return tuple(
            invitation
            for invitation in self._teams.invitations(institution_id)
            if invitation.is_open_at(instant)
        )

    def invite(
        self, principal: Principal, institution_id: str, *, email: str, role: Role
    ) -> NewInvitation:
        """Invite a person to an institution, and return the token of the link.

        The invitation replaces an earlier one to the same e-mail. Whether the e-mail is that of a
        member of another institution is not revealed.

        Raises:
            NotFoundError: If there is no such institution.
            NotAllowedError: If the principal may not invite.
            InvalidValueError: If the e-mail breaks a rule.
            AlreadyExistsError: If the person is already a member of the institution.
            LastAdminError: If the institution has no member, and the role is not that of an admin.

        """
        unseen = NotFoundError("institution", institution_id)
        authorise_in(institution_id, principal, Right.CHANGE_MEMBERS, unseen=unseen)
        refuse_keys("email", email)
        token = InvitationToken.make(self._randomness.below(InvitationToken.SECRETS))
        invitation = Invitation(
            id=new_id(self._randomness),
            institution_id=institution_id,
            email=normalised_email(email),
            role=role,
            digest=token.digest,
            invited_by=principal.name,
            inviter_id=principal.member_id,
            created_at=self._clock.now(),
        )
        detail = (
            f"e-mail {invitation.email}, role {role}, "
            f"valid until {invitation.ends_at:%Y-%m-%d %H:%M} UTC"
        )
        entry = self._entry(principal, Action.MEMBER_INVITED, invitation, detail)
        self._change(
            principal, institution_id, lambda team: (team.with_invitation(invitation), entry)
        )
        return NewInvitation(invitation, token)

    def revoke_invitation(self, principal: Principal, invitation_id: str) -> None:
        """Revoke an open invitation.

        Raises:
            NotFoundError: If there is no such open invitation.
            NotAllowedError: If the principal may not revoke it.

        """
        invitation = self._teams.invitation(invitation_id)
        unseen = NotFoundError("invitation", invitation_id)
        authorise_in(invitation.institution_id, principal, Right.CHANGE_MEMBERS, unseen=unseen)
        self._change(
            principal,
            invitation.institution_id,
            lambda team: (team.without_invitation(invitation_id), None),
        )

    def invitation(self, token_text: str) -> InvitationInInstitution:
        """Return the open invitation whose link has this token.

        Raises:
            NotFoundError: If there is none; the error is the same for each reason.

        """
        digest = InvitationToken(token_text).digest
        try:
            invitation = self._teams.invitation_with_digest(digest)
        except NotFoundError:
            raise unknown_invitation() from None
        if not invitation.is_open_at(self._clock.now()):
            raise unknown_invitation()
        return InvitationInInstitution(
            invitation, self._institutions.get(invitation.institution_id)
        )

    def check_acceptance(self, token_text: str, *, password: str, address: str) -> None:
        """Check whether the invitation can be accepted with this password, and change nothing.

        Raises:
            NotFoundError: If there is no such open invitation.
            InvalidValueError: If the password breaks a rule.
            BusyError: If too many passwords are being checked.

        """
        with self._approved(self.invitation(token_text), password, address):
            pass

    def accept(self, token_text: str, *, password: str, address: str) -> Member:
        """Accept the invitation whose link has this token, and return the new member.

        `address` is the IP address of the person. Of several concurrent calls, one succeeds.

        Raises:
            NotFoundError: If there is no such open invitation; the error is the same for each
                reason.
            InvalidValueError: If the password breaks a rule.
            AlreadyExistsError: If the e-mail is that of a member of another institution.
            BusyError: If too many passwords are being checked; nothing is changed.

        """
        found = self.invitation(token_text)
        invitation, institution = found.invitation, found.institution
        with self._approved(found, password, address):
            password_hash = self._passwords.hash(password)
        member = Member(
            id=new_id(self._randomness),
            institution_id=institution.id,
            email=invitation.email,
            role=invitation.role,
            password_hash=password_hash,
            created_at=self._clock.now(),
        )
        detail = f"e-mail {member.email}, role {member.role}, invited by {invitation.invited_by}"
        entry = self._entry(member.principal, Action.MEMBER_JOINED, member, detail)

        def join(before: Team) -> tuple[Team, list[AuditEntry]]:
            if invitation not in before.at(member.created_at).invitations:
                raise unknown_invitation()
            return before.with_member(member), [entry]

        self._teams.change(institution.id, join)
        return member

    def set_role(self, principal: Principal, member_id: str, role: Role) -> Member:
        """Change the role of a member, and return the member.

        A member who is no longer an admin has no open invitations any more. If the role is the
        same, nothing changes and the audit log has no entry.

        Raises:
            NotFoundError: If there is no such member.
            NotAllowedError: If the principal may not change members.
            LastAdminError: If the institution would have no admin.

        """

        def change(team: Team) -> tuple[Team, AuditEntry] | None:
            member = team.member(member_id)
            if member.role is role:
                return None
            detail = f"e-mail {member.email}, role from {member.role} to {role}"
            entry = self._entry(principal, Action.MEMBER_ROLE_CHANGED, member, detail)
            return team.with_role(member_id, role), entry

        institution_id = self._institution_of(principal, member_id)
        return self._change(principal, institution_id, change).member(member_id)

    def remove(self, principal: Principal, member_id: str) -> None:
        """Remove a member, with their sessions and open invitations.

        Raises:
            NotFoundError: If there is no such member.
            NotAllowedError: If the principal may not change members.
            LastAdminError: If the institution would have no admin.

        """

        def change(team: Team) -> tuple[Team, AuditEntry]:
            member = team.member(member_id)
            detail = f"e-mail {member.email}, role {member.role}"
            entry = self._entry(principal, Action.MEMBER_REMOVED, member, detail)
            return team.without_member(member_id), entry

        self._change(principal, self._institution_of(principal, member_id), change)

    @contextmanager
    def _approved(
        self, found: InvitationInInstitution, password: str, address: str
    ) -> Iterator[None]:
        with self._bulkhead.place(network(address)):
            check_new_password(
                password,
                self._guesser,
                email=found.invitation.email,
                institution=found.institution,
            )
            yield

    def _institution_of(self, principal: Principal, member_id: str) -> str:
        """Return the institution of a member whom the principal may change."""
        member = self._members.get(member_id)
        unseen = NotFoundError("member", member_id)
        authorise_in(member.institution_id, principal, Right.CHANGE_MEMBERS, unseen=unseen)
        return member.institution_id

    def _change(
        self,
        principal: Principal,
        institution_id: str,
        change: Callable[[Team], tuple[Team, AuditEntry | None] | None],
    ) -> Team:
        def checked(before: Team) -> tuple[Team, list[AuditEntry]] | None:
            _authorise_again(principal, before)
            instant = self._clock.now()
            changed = change(before.at(instant))
            if changed is None:
                return None
            after, entry = changed
            revoked = revocations(principal, instant, before, after)
            return after, [*revoked, *([] if entry is None else [entry])]

        return self._teams.change(institution_id, checked)

    def _entry(
        self, principal: Principal, action: Action, about: Member | Invitation, detail: str
    ) -> AuditEntry:
        kind = SubjectKind.MEMBER if isinstance(about, Member) else SubjectKind.INVITATION
        return record(
            principal,
            self._clock.now(),
            action,
            detail,
            institution_id=about.institution_id,
            subject=Subject(kind, about.id),
        )


def revocations(
    principal: Principal, instant: datetime, before: Team, after: Team
) -> list[AuditEntry]:
    """Return an audit entry for each invitation that a change of the principal revokes."""
    return [
        record(
            principal,
            instant,
            Action.INVITATION_REVOKED,
            f"e-mail {each.email}, role {each.role}, invited by {each.invited_by}",
            institution_id=each.institution_id,
            subject=Subject(SubjectKind.INVITATION, each.id),
        )
        for each in before.at(instant).invitations
        if each not in after.invitations
    ]


def _authorise_again(principal: Principal, team: Team) -> None:
    """Check the right within the change: an admin may have been demoted since the request."""
    if isinstance(principal, InstitutionMember):
        try:
            principal = team.member(principal.member_id).principal
        except NotFoundError:
            raise NotAllowedError from None
    authorise(principal, Right.CHANGE_MEMBERS)
