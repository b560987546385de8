"""The rules that every change of members and invitations keeps, within its unit of work."""

from evref.domain.accounts.institution import Member, is_email
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import domain_of
from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import (
    Fault,
    InvalidValueError,
    LastAdminError,
    NotFoundError,
    NotSignedInError,
)
from evref.domain.principal import InstitutionMember, Role
from evref.ports.accounts import (
    INSTITUTIONS,
    INVITATIONS,
    MEMBERS,
    SESSIONS,
    SIGN_IN_DOMAINS,
    RecordChanges,
    Records,
)
from evref.ports.storage import Changes


def lock_members(changes: Changes, institution_id: str) -> None:
    """Keep others from changing members and invitations, and remove expired invitations.

    A principal who was removed, or got another role, after the request began is not signed in.
    """
    changes.records.lock(INSTITUTIONS, institution_id)
    principal = changes.principal
    if isinstance(principal, InstitutionMember):
        try:
            present = changes.records.get(MEMBERS, principal.member_id).principal
        except NotFoundError:
            raise NotSignedInError from None
        if present != principal:
            raise NotSignedInError
    for invitation in changes.records.find(INVITATIONS, institution_id=institution_id):
        if invitation.ends_at <= changes.instant:
            changes.records.remove(INVITATIONS, invitation.id)


def add_member(changes: Changes, member: Member, *, accepted: Invitation | None = None) -> None:
    """Add a member, who may have accepted an invitation, and revoke their other invitations."""
    refuse_foreign_domain(changes.records, member.institution_id, member.email)
    require_admin(changes.records, member.institution_id, member.role)
    remove_invitations(changes, member.institution_id, email=member.email, accepted=accepted)
    changes.records.add(MEMBERS, member)


def refuse_foreign_domain(records: Records, institution_id: str, email: str) -> None:
    """Raise `InvalidValueError` if another institution signs in members of this domain."""
    for domain in records.find(SIGN_IN_DOMAINS, domain=domain_of(email)):
        if domain.institution_id != institution_id:
            message = "is of a domain whose members sign in by the system of another institution"
            raise InvalidValueError([Fault("email", message)])


def require_admin(records: Records, institution_id: str, role: Role) -> None:
    """Raise `LastAdminError` unless the institution has an admin, or gets its first one."""
    if role is not Role.ADMIN and not has_admin(records, institution_id):
        raise LastAdminError


def has_admin(records: Records, institution_id: str, *, besides: str | None = None) -> bool:
    """Return whether an institution has an admin, not counting the member `besides`."""
    admins = records.find(MEMBERS, institution_id=institution_id, role=Role.ADMIN)
    return any(admin.id != besides for admin in admins)


def member_with_email(records: Records, email: str) -> Member | None:
    """Return the member with this e-mail, which is normalised; None if there is none."""
    members = records.find(MEMBERS, email=email) if is_email(email) else ()
    return next(iter(members), None)


def end_admin(changes: Changes, member: Member) -> None:
    """Revoke the invitations of a member who will no longer be an admin."""
    if not has_admin(changes.records, member.institution_id, besides=member.id):
        raise LastAdminError
    remove_invitations(changes, member.institution_id, inviter_id=member.id)


def remove_invitations(
    changes: Changes, institution_id: str, *, accepted: Invitation | None = None, **fields: str
) -> None:
    """Remove the invitations with these values of fields; record those that are revoked."""
    for invitation in changes.records.find(INVITATIONS, institution_id=institution_id, **fields):
        if invitation == accepted or not invitation.is_open_at(changes.instant):
            changes.records.remove(INVITATIONS, invitation.id)
        else:
            revoke_invitation(changes, invitation)


def revoke_invitation(changes: Changes, invitation: Invitation) -> None:
    changes.records.remove(INVITATIONS, invitation.id)
    detail = f"role {invitation.role}, invited by {invitation.invited_by}"
    record(changes, Action.INVITATION_REVOKED, invitation, detail)


def end_sessions(records: RecordChanges, member_id: str) -> None:
    """End all sessions of a member, who is locked."""
    for session in records.find(SESSIONS, member_id=member_id):
        records.remove(SESSIONS, session.digest)


def record(
    changes: Changes, action: Action, about: Member | Invitation, detail: str | None = None
) -> None:
    kind = SubjectKind.MEMBER if isinstance(about, Member) else SubjectKind.INVITATION
    changes.record(
        action,
        f"e-mail {about.email}" + ("" if detail is None else f", {detail}"),
        institution_id=about.institution_id,
        subject=Subject(kind, about.id),
    )
