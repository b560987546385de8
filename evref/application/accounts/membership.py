"""The rules that every change of members and invitations keeps, within its unit of work."""

from evref.domain.accounts.institution import Member
from evref.domain.accounts.invitation import INVITATION_LENGTH, Invitation
from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import (
    Fault,
    InvalidValueError,
    LastAdminError,
    NotFoundError,
    NotSignedInError,
)
from evref.domain.principal import InstitutionMember, Right, Role, authorise
from evref.ports.accounts import AccountChanges
from evref.ports.storage import Changes


def lock_members(changes: Changes, institution_id: str) -> None:
    """Keep others from changing the members and invitations, and remove expired invitations.

    Raises:
        NotAllowedError: If the principal may not change members.
        NotSignedInError: If the principal was removed, or got another role, after the request
            began. Both end all sessions.
        NotFoundError: If the institution does not exist.

    """
    changes.accounts.lock(institution_id)
    principal = changes.principal
    authorise(principal, Right.CHANGE_MEMBERS)
    if isinstance(principal, InstitutionMember):
        try:
            present = changes.accounts.member(principal.member_id).principal
        except NotFoundError:
            raise NotSignedInError from None
        if present != principal:
            raise NotSignedInError
    changes.accounts.remove_invitations_until(institution_id, changes.instant - INVITATION_LENGTH)


def add_member(changes: Changes, member: Member, *, accepted: Invitation | None = None) -> None:
    """Add a member, who may have accepted an invitation; their other invitations are revoked.

    Raises:
        InvalidValueError: If the domain of the e-mail belongs to the sign-in of another
            institution.
        LastAdminError: If the institution has no admin, and the role is not admin.
        AlreadyExistsError: If the e-mail is in use.

    """
    refuse_foreign_domain(changes.accounts, member.institution_id, member.email)
    require_admin(changes.accounts, member.institution_id, member.role)
    remove_invitations(changes, member.institution_id, email=member.email, accepted=accepted)
    changes.accounts.add_member(member)


def refuse_foreign_domain(accounts: AccountChanges, institution_id: str, email: str) -> None:
    """Raise `InvalidValueError` if another institution signs in members of this domain."""
    for sign_in in accounts.proxy_sign_ins():
        if sign_in.institution_id != institution_id and sign_in.owns(email):
            message = "is of a domain whose members sign in by the system of another institution"
            raise InvalidValueError([Fault("email", message)])


def require_admin(accounts: AccountChanges, institution_id: str, role: Role) -> None:
    """Raise `LastAdminError` unless the institution has an admin, or gets its first one."""
    if role is not Role.ADMIN and not accounts.has_admin(institution_id):
        raise LastAdminError


def is_member(accounts: AccountChanges, institution_id: str, email: str) -> bool:
    """Return whether a member of this institution has the e-mail."""
    try:
        return accounts.member_with_email(email).institution_id == institution_id
    except NotFoundError:
        return False


def end_admin(changes: Changes, member: Member) -> None:
    """Revoke the invitations of a member who will no longer be an admin.

    Raises:
        LastAdminError: If there is no other admin.

    """
    if not changes.accounts.has_admin(member.institution_id, besides=member.id):
        raise LastAdminError
    remove_invitations(changes, member.institution_id, inviter_id=member.id)


def remove_invitations(
    changes: Changes,
    institution_id: str,
    *,
    email: str | None = None,
    inviter_id: str | None = None,
    accepted: Invitation | None = None,
) -> None:
    """Remove the invitations to an address or by a member; record those that are revoked."""
    for invitation in changes.accounts.invitations_to(
        institution_id, email=email, inviter_id=inviter_id
    ):
        if invitation == accepted or not invitation.is_open_at(changes.instant):
            changes.accounts.remove_invitation(invitation.id)
        else:
            revoke_invitation(changes, invitation)


def revoke_invitation(changes: Changes, invitation: Invitation) -> None:
    """Remove an open invitation, and record it."""
    changes.accounts.remove_invitation(invitation.id)
    detail = f"role {invitation.role}, invited by {invitation.invited_by}"
    record(changes, Action.INVITATION_REVOKED, invitation, detail)


def record(
    changes: Changes, action: Action, about: Member | Invitation, detail: str | None = None
) -> None:
    """Record what was done to a member or an invitation."""
    kind = SubjectKind.MEMBER if isinstance(about, Member) else SubjectKind.INVITATION
    changes.record(
        action,
        f"e-mail {about.email}" + ("" if detail is None else f", {detail}"),
        institution_id=about.institution_id,
        subject=Subject(kind, about.id),
    )
