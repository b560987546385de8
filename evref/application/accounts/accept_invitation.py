"""Accept an invitation: the person with the link becomes a member."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from evref.application.accounts.shared.audit import record
from evref.application.accounts.shared.bulkhead import Bulkhead
from evref.application.accounts.shared.new_password import check_new_password
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation, InvitationToken, unknown_invitation
from evref.domain.accounts.sign_in import network
from evref.domain.audit import Action
from evref.domain.errors import NotFoundError
from evref.domain.identifiers import IDS, new_id
from evref.ports.accounts.passwords import PasswordGuesser, PasswordHasher
from evref.ports.clock import Clock
from evref.ports.randomness import Randomness
from evref.ports.storage import Storage


@dataclass(frozen=True, slots=True)
class InvitationInInstitution:
    """An invitation with its institution."""

    invitation: Invitation
    institution: Institution


@dataclass(kw_only=True, eq=False)
class AcceptInvitation:
    """For the person who has the link of an invitation, and is nobody yet."""

    storage: Storage
    bulkhead: Bulkhead
    passwords: PasswordHasher
    guesser: PasswordGuesser
    clock: Clock
    randomness: Randomness

    def invitation(self, token_text: str) -> InvitationInInstitution:
        """Return the open invitation whose link has this token.

        Raises:
            NotFoundError: If there is none; the error is the same for each reason.

        """
        digest = InvitationToken(token_text).digest
        try:
            invitation = self.storage.accounts.invitation_with_digest(digest)
        except NotFoundError:
            raise unknown_invitation() from None
        if not invitation.is_open_at(self.clock.now()):
            raise unknown_invitation()
        institution = self.storage.accounts.institution(invitation.institution_id)
        return InvitationInInstitution(invitation, institution)

    def check(self, token_text: str, *, password: str, address: str) -> None:
        """Check whether the invitation can be accepted with this password, and change nothing.

        Raises:
            NotFoundError: If the invitation does not exist or is not open.
            InvalidValueError: If the password breaks a rule.
            BusyError: If too many passwords are being checked.

        """
        with self._approved(self.invitation(token_text), password, address):
            pass

    def accept(self, token_text: str, *, password: str, address: str) -> Member:
        """Accept the invitation whose link has this token, and return the new member.

        `address` is the IP address of the person. Of several concurrent calls, one succeeds.

        Raises:
            NotFoundError: If the invitation does not exist or is not open; the
                error is the same for each reason.
            InvalidValueError: If the password breaks a rule.
            AlreadyExistsError: If a member of another institution has the e-mail.
            BusyError: If too many passwords are being checked; nothing is changed.

        """
        found = self.invitation(token_text)
        invitation, institution = found.invitation, found.institution
        with self._approved(found, password, address):
            password_hash = self.passwords.hash(password)
        member = Member(
            id=new_id(self.randomness.below(IDS)),
            institution_id=institution.id,
            email=invitation.email,
            role=invitation.role,
            password_hash=password_hash,
            created_at=self.clock.now(),
        )
        detail = f"e-mail {member.email}, role {member.role}, invited by {invitation.invited_by}"
        with self.storage.changes(member.principal, member.created_at) as changes:
            team = changes.accounts.team(institution.id)
            if invitation not in team.at(changes.instant).invitations:
                raise unknown_invitation()
            changes.accounts.replace_team(team.with_member(member))
            record(changes, Action.MEMBER_JOINED, member, detail)
        return member

    @contextmanager
    def _approved(
        self, found: InvitationInInstitution, password: str, address: str
    ) -> Iterator[None]:
        with self.bulkhead.place(network(address)):
            check_new_password(
                password,
                self.guesser,
                email=found.invitation.email,
                institution=found.institution,
            )
            yield
