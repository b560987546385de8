"""The audit log: every change and every sign-in has an entry."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum


class Action(StrEnum):
    INSTITUTION_CREATED = "institution_created"
    MEMBER_CREATED = "member_created"
    MEMBER_INVITED = "member_invited"
    INVITATION_REVOKED = "invitation_revoked"
    MEMBER_JOINED = "member_joined"
    MEMBER_ROLE_CHANGED = "member_role_changed"
    MEMBER_REMOVED = "member_removed"
    PASSWORD_RESET = "password_reset"  # noqa: S105
    PASSWORD_CHANGED = "password_changed"  # noqa: S105
    KEY_CREATED = "key_created"
    KEY_CHANGED = "key_changed"
    KEY_ROTATED = "key_rotated"
    KEY_REVOKED = "key_revoked"
    PASSWORD_REMOVED = "password_removed"  # noqa: S105
    CAPS_SET = "caps_set"
    SIGN_IN_SET = "sign_in_set"
    CATALOGUE_PUBLISHED = "catalogue_published"
    CODES_LOADED = "codes_loaded"
    CODES_REMOVED = "codes_removed"
    SIGNED_IN = "signed_in"
    SIGN_IN_REFUSED = "sign_in_refused"


SIGN_INS = frozenset({Action.SIGNED_IN, Action.SIGN_IN_REFUSED})
CHANGES = frozenset(Action) - SIGN_INS

SIGN_INS_KEPT = timedelta(days=400)
"""Entries of sign-ins are removed after this time, entries of changes never."""


class SubjectKind(StrEnum):
    KEY = "key"
    MEMBER = "member"
    INVITATION = "invitation"
    CATALOGUE = "catalogue"


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an action: a key, a member or an invitation by id, or a catalogue by
    version.
    """

    kind: SubjectKind
    id: str


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The entries by one actor, about one key, or of some actions; None means any."""

    actor: str | None = None
    key_id: str | None = None
    actions: frozenset[Action] | None = None

    def admits(self, entry: AuditEntry) -> bool:
        return (
            self.actor in {None, entry.actor}
            and self.key_id in {None, entry.key_id}
            and (self.actions is None or entry.action in self.actions)
        )


EVERYTHING = AuditFilter()


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One change or sign-in: when, who, what, its subject, and the institution.

    `actor` is the e-mail of a member, or "operator". `institution_id` is None for a change of the
    whole service. `detail` describes the change, with old and new values; it never contains a key,
    a password or the link of an invitation.

    An entry with `times` is gathered: it stands for this number of events. Institution, actor,
    action and time identify a gathered entry. `at` is then the beginning of a minute or an hour.
    """

    at: datetime
    institution_id: str | None
    actor: str
    action: Action
    subject: Subject | None
    detail: str
    times: int | None = None

    def is_gathered_with(self, other: AuditEntry) -> bool:
        own_key, other_key = (
            (entry.institution_id, entry.actor, entry.action, entry.at) for entry in (self, other)
        )
        return own_key == other_key

    @property
    def key_id(self) -> str | None:
        if self.subject is None or self.subject.kind is not SubjectKind.KEY:
            return None
        return self.subject.id
