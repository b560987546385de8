"""The members of an institution: create, invite, list, change and remove them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from evref.application.accounts.membership import (
    add_member,
    end_admin,
    end_sessions,
    has_admin,
    lock_members,
    member_with_email,
    record,
    refuse_foreign_domain,
    remove_invitations,
    require_admin,
    revoke_invitation,
)
from evref.application.accounts.passwords import Bulkhead, Passwords
from evref.domain.accounts.institution import Institution, Member, normalised_email
from evref.domain.accounts.invitation import Invitation, InvitationToken, unknown_invitation
from evref.domain.accounts.slowdown import network
from evref.domain.audit import Action
from evref.domain.errors import AlreadyExistsError, NotFoundError, OutdatedError
from evref.domain.identifiers import IDS, new_id
from evref.domain.principal import Principal, Right, Role, authorise, authorise_in
from evref.domain.redaction import refuse_keys
from evref.ports.accounts import INSTITUTIONS, INVITATIONS, MEMBERS, SIGN_IN_DOMAINS
from evref.ports.storage import Storage
from evref.ports.system import Clock, Randomness


@dataclass(kw_only=True, eq=False)
class People:
    """Creates, invites, changes and removes members, and records each change in the audit log.

    If an institution has members, at least one is an admin. The inviter of each invitation is an
    admin, or the operator. An e-mail has at most one invitation of an institution, and none if a
    member of it has the e-mail. An address of a domain whose members another institution signs in
    is refused. To a member, other institutions and their people do not exist.
    """

    storage: Storage
    bulkhead: Bulkhead
    passwords: Passwords
    clock: Clock
    randomness: Randomness

    def list(self, principal: Principal, institution_id: str) -> tuple[Member, ...]:
        """Return the members, ordered by e-mail."""
        authorise_in(institution_id, principal, Right.SEE)
        return _by_email(self.storage.records.find(MEMBERS, institution_id=institution_id))

    def member(self, principal: Principal, member_id: str) -> tuple[Member, bool]:
        """Return a member to be changed, and whether they are the only admin."""
        member = self._member(principal, member_id)
        is_last = member.role is Role.ADMIN and not has_admin(
            self.storage.records, member.institution_id, besides=member_id
        )
        return member, is_last

    def list_all(self, principal: Principal) -> tuple[tuple[Member, Institution], ...]:
        """Return the members of all institutions, ordered by e-mail, each with the institution."""
        authorise(principal, Right.OPERATE)
        # Members are read first, so that the institution of each member is among those read later.
        members = _by_email(self.storage.records.find(MEMBERS))
        institutions = {found.id: found for found in self.storage.records.find(INSTITUTIONS)}
        return tuple((member, institutions[member.institution_id]) for member in members)

    def with_email(self, principal: Principal, email: str) -> Member:
        """Return the member with this e-mail, ignoring case."""
        authorise(principal, Right.OPERATE)
        normalised = normalised_email(email)
        member = member_with_email(self.storage.records, normalised)
        if member is None:
            raise NotFoundError(MEMBERS.name, normalised)
        return member

    def create(
        self,
        principal: Principal,
        institution_id: str,
        email: str,
        *,
        password: str | None,
        role: Role = Role.ADMIN,
    ) -> Member:
        """Create a member. Without a password, only a proxy signs the member in."""
        authorise(principal, Right.OPERATE)
        institution = self.storage.records.get(INSTITUTIONS, institution_id)
        refuse_keys("email", email)
        email = normalised_email(email)
        password_hash = None
        if password is not None:
            password_hash = self.passwords.new_hash(password, email, institution)
        member = self._new_member(institution_id, email, role, password_hash)
        with self.storage.changes(principal, member.created_at) as changes:
            changes.records.lock(INSTITUTIONS, institution_id)
            add_member(changes, member)
            record(changes, Action.MEMBER_CREATED, member, f"role {role}")
        return member

    def reset_password(self, principal: Principal, member_id: str, *, password: str) -> None:
        authorise(principal, Right.OPERATE)
        member = self.storage.records.get(MEMBERS, member_id)
        institution = self.storage.records.get(INSTITUTIONS, member.institution_id)
        password_hash = self.passwords.new_hash(password, member.email, institution)
        with self.storage.changes(principal, self.clock.now()) as changes:
            member = changes.records.lock(MEMBERS, member_id)
            changes.records.replace(MEMBERS, replace(member, password_hash=password_hash))
            record(changes, Action.PASSWORD_RESET, member)

    def sign_in_domains(self, principal: Principal, institution_id: str) -> tuple[str, ...]:
        """Return the domains whose addresses the institution's own system signs in."""
        authorise_in(institution_id, principal, Right.SEE)
        domains = self.storage.records.find(SIGN_IN_DOMAINS, institution_id=institution_id)
        return tuple(domain.domain for domain in domains)

    def invitations(self, principal: Principal, institution_id: str) -> tuple[Invitation, ...]:
        """Return the open invitations, newest first."""
        authorise_in(institution_id, principal, Right.CHANGE)
        instant = self.clock.now()
        stored = self.storage.records.find(INVITATIONS, institution_id=institution_id)
        is_open = [invitation for invitation in stored if invitation.is_open_at(instant)]
        newest_first = sorted(is_open, key=lambda invitation: invitation.created_at, reverse=True)
        return tuple(newest_first)

    def invite(
        self, principal: Principal, institution_id: str, *, email: str, role: Role
    ) -> tuple[Invitation, InvitationToken]:
        """Invite a person, in place of an earlier invitation to the same e-mail.

        Whether a member of another institution has the e-mail is not revealed to the inviter.
        """
        authorise_in(institution_id, principal, Right.CHANGE)
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
        with self.storage.changes(principal, self.clock.now()) as changes:
            lock_members(changes, institution_id)
            refuse_foreign_domain(changes.records, institution_id, invitation.email)
            require_admin(changes.records, institution_id, role)
            if changes.records.find(MEMBERS, email=invitation.email, institution_id=institution_id):
                raise AlreadyExistsError(MEMBERS.name, invitation.email)
            remove_invitations(changes, institution_id, email=invitation.email)
            changes.records.add(INVITATIONS, invitation)
            valid = f"role {role}, valid until {invitation.ends_at:%Y-%m-%d %H:%M} UTC"
            record(changes, Action.MEMBER_INVITED, invitation, valid)
        return invitation, token

    def revoke_invitation(self, principal: Principal, invitation_id: str) -> None:
        invitation = self.storage.records.get(INVITATIONS, invitation_id)
        unseen = NotFoundError("invitation", invitation_id)
        authorise_in(invitation.institution_id, principal, Right.CHANGE, unseen=unseen)
        with self.storage.changes(principal, self.clock.now()) as changes:
            lock_members(changes, invitation.institution_id)
            if not changes.records.get(INVITATIONS, invitation_id).is_open_at(changes.instant):
                raise unseen
            revoke_invitation(changes, invitation)

    def set_role(
        self, principal: Principal, member_id: str, role: Role, *, seen: str | None = None
    ) -> Member:
        """Change the role of a member, and return the member. The same role changes nothing.

        `seen` is the role that the member had when a person decided to change it.
        """
        institution_id = self._member(principal, member_id).institution_id
        with self.storage.changes(principal, self.clock.now()) as changes:
            lock_members(changes, institution_id)
            member = changes.records.lock(MEMBERS, member_id)
            if member.role is role:
                return member
            if seen not in {None, member.role}:
                raise OutdatedError
            if role is not Role.ADMIN:
                end_admin(changes, member)
            after = replace(member, role=role)
            changes.records.replace(MEMBERS, after)
            end_sessions(changes.records, member_id)
            detail = f"role from {member.role} to {role}"
            record(changes, Action.MEMBER_ROLE_CHANGED, member, detail)
        return after

    def remove(self, principal: Principal, member_id: str) -> None:
        """Remove a member, whom the institution's own system can sign in again, as a reader."""
        institution_id = self._member(principal, member_id).institution_id
        with self.storage.changes(principal, self.clock.now()) as changes:
            lock_members(changes, institution_id)
            member = changes.records.lock(MEMBERS, member_id)
            end_admin(changes, member)
            end_sessions(changes.records, member_id)
            changes.records.remove(MEMBERS, member_id)
            record(changes, Action.MEMBER_REMOVED, member, f"role {member.role}")

    def invitation(self, token_text: str) -> tuple[Invitation, Institution]:
        digest = InvitationToken(token_text).digest
        for invitation in self.storage.records.find(INVITATIONS, digest=digest):
            if invitation.is_open_at(self.clock.now()):
                institution_id = invitation.institution_id
                return invitation, self.storage.records.get(INSTITUTIONS, institution_id)
        raise unknown_invitation()

    def accept(self, token_text: str, *, password: str, repeated: str, address: str) -> Member:
        """Return the new member. Of several concurrent calls, only one succeeds."""
        invitation, institution = self.invitation(token_text)
        with self.bulkhead.turn(network(address)):
            password_hash = self.passwords.new_hash(
                password, invitation.email, institution, repeated
            )
        member = self._new_member(institution.id, invitation.email, invitation.role, password_hash)
        with self.storage.changes(member.principal, member.created_at) as changes:
            changes.records.lock(INSTITUTIONS, institution.id)
            still_there = changes.records.find(INVITATIONS, id=invitation.id)
            if not still_there or not invitation.is_open_at(changes.instant):
                raise unknown_invitation()
            add_member(changes, member, accepted=invitation)
            by = f"role {member.role}, invited by {invitation.invited_by}"
            record(changes, Action.MEMBER_JOINED, member, by)
        return member

    def join(self, institution_id: str, email: str) -> Member:
        """Return the member whom the institution's own system has signed in.

        A new one becomes a reader, or gets the role of an open invitation.
        """
        member = self._new_member(institution_id, email, Role.READER)
        with self.storage.changes(member.principal, member.created_at) as changes:
            changes.records.lock(INSTITUTIONS, institution_id)
            # Another request of the same person may have added the member first.
            fields = {"institution_id": institution_id, "email": email}
            for present in changes.records.find(MEMBERS, **fields):
                return present
            by, accepted = "the institution's own system", None
            for invitation in changes.records.find(INVITATIONS, **fields):
                if invitation.is_open_at(changes.instant):
                    member = replace(member, role=invitation.role)
                    by, accepted = invitation.invited_by, invitation
            add_member(changes, member, accepted=accepted)
            record(changes, Action.MEMBER_JOINED, member, f"role {member.role}, admitted by {by}")
        return member

    def _new_member(
        self, institution_id: str, email: str, role: Role, password_hash: str | None = None
    ) -> Member:
        return Member(
            id=new_id(self.randomness.below(IDS)),
            institution_id=institution_id,
            email=email,
            role=role,
            password_hash=password_hash,
            created_at=self.clock.now(),
        )

    def _member(self, principal: Principal, member_id: str) -> Member:
        """Return a member whom the principal may change."""
        member = self.storage.records.get(MEMBERS, member_id)
        unseen = NotFoundError("member", member_id)
        authorise_in(member.institution_id, principal, Right.CHANGE, unseen=unseen)
        return member


def _by_email(members: Iterable[Member]) -> tuple[Member, ...]:
    return tuple(sorted(members, key=lambda member: member.email))
