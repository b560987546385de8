"""The record of what was done: every change has an entry, and this is where entries are made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evref.domain.access.principal import Principal


class Action(StrEnum):
    """What can be done that the audit log records."""

    INSTITUTION_CREATED = "institution_created"
    MEMBER_CREATED = "member_created"
    PASSWORD_RESET = "password_reset"  # noqa: S105
    PASSWORD_CHANGED = "password_changed"  # noqa: S105
    KEY_CREATED = "key_created"
    KEY_CHANGED = "key_changed"
    KEY_REVOKED = "key_revoked"
    CATALOGUE_PUBLISHED = "catalogue_published"


class SubjectKind(StrEnum):
    """What kind of thing an action was about."""

    KEY = "key"
    MEMBER = "member"
    CATALOGUE = "catalogue"


@dataclass(frozen=True, slots=True)
class Subject:
    """What an action was about: a key or a member by id, or a catalogue by version."""

    kind: SubjectKind
    id: str


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change: when, who, what, about what, and in which institution.

    `actor` is a member's e-mail, or "operator". `institution_id` is None for what concerns the
    whole service. `detail` says in words what changed, from what to what; it never holds a key
    or a password.
    """

    at: datetime
    institution_id: str | None
    actor: str
    action: Action
    subject: Subject | None
    detail: str

    @property
    def key_id(self) -> str | None:
        """The id of the key that it is about; None where it is about something else."""
        if self.subject is None or self.subject.kind is not SubjectKind.KEY:
            return None
        return self.subject.id


def record(
    principal: Principal,
    at: datetime,
    action: Action,
    detail: str,
    *,
    institution_id: str | None = None,
    subject: Subject | None = None,
) -> AuditEntry:
    """The entry for what the principal does at this instant."""
    return AuditEntry(
        at=at,
        institution_id=institution_id,
        actor=principal.name,
        action=action,
        subject=subject,
        detail=detail,
    )
