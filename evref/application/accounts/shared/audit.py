"""How changes of accounts are recorded in the audit log."""

from evref.domain.accounts.institution import Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.team import Team
from evref.domain.audit import Action, Subject, SubjectKind
from evref.ports.storage import Changes


def record(changes: Changes, action: Action, about: Member | Invitation, detail: str) -> None:
    """Record what was done to a member or an invitation."""
    kind = SubjectKind.MEMBER if isinstance(about, Member) else SubjectKind.INVITATION
    changes.record(
        action, detail, institution_id=about.institution_id, subject=Subject(kind, about.id)
    )


def replace_team(
    changes: Changes, before: Team, after: Team, *, accepted: Invitation | None = None
) -> None:
    """Replace the team, and record each invitation that this revokes."""
    changes.accounts.replace_team(after)
    for each in before.at(changes.instant).invitations:
        if each not in after.invitations and each != accepted:
            detail = f"e-mail {each.email}, role {each.role}, invited by {each.invited_by}"
            record(changes, Action.INVITATION_REVOKED, each, detail)
