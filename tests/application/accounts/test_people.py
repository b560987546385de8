"""Tests of how admins invite, change and remove members, and of attacks on this."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from evref.adapters.outbound.memory.state import MemoryState
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.passwords import Bulkhead
from evref.application.accounts.people import People
from evref.application.accounts.sign_in import SignIn
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation, InvitationToken
from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import (
    AlreadyExistsError,
    BusyError,
    InvalidValueError,
    NotFoundError,
    NotSignedInError,
    WrongCredentialsError,
)
from evref.domain.principal import Role
from evref.ports.accounts import INVITATIONS, SESSIONS
from evref.ports.storage import AuditLog
from evref.testing.builders import NOON, OPERATOR
from tests.fakes import FakeClock, QuickPasswordHasher, SingleGuess

PASSWORD = "correct horse battery"
HERE = "192.0.2.1"
NEW = "new@b.org"


@pytest.fixture
def admin(people: People, hospital: Institution) -> Member:
    return people.create(OPERATOR, hospital.id, "a@b.org", password=PASSWORD)


@pytest.fixture
def other_admin(people: People, admin: Member) -> Member:
    return people.create(OPERATOR, admin.institution_id, "b@b.org", password=PASSWORD)


@pytest.fixture
def stranger(institutions: ManageInstitutions, people: People) -> Member:
    clinic = institutions.create_institution(OPERATOR, "Clinic")
    return people.create(OPERATOR, clinic.id, "s@c.org", password=PASSWORD)


def invite(
    people: People, admin: Member, email: str = NEW, role: Role = Role.VIEWER
) -> tuple[Invitation, InvitationToken]:
    return people.invite(admin.principal, admin.institution_id, email=email, role=role)


def accept(
    people: People, made: tuple[Invitation, InvitationToken], *, address: str = HERE
) -> Member:
    return people.accept(made[1].text, password=PASSWORD, repeated=PASSWORD, address=address)


# Invitations


def test_the_token_is_not_stored(people: People, admin: Member, state: MemoryState) -> None:
    made = invite(people, admin)

    assert made[1].text not in repr(state)
    assert made[1].text not in repr(made)
    assert state.records[INVITATIONS][made[0].id].digest == made[1].digest


def test_the_inviter_does_not_learn_that_somebody_is_a_member_elsewhere(
    *,
    people: People,
    admin: Member,
    stranger: Member,
    state: MemoryState,
) -> None:
    """Only the person with the link learns it; the link works once the other account is gone."""
    made = invite(people, admin, stranger.email)
    before = repr(state)

    with pytest.raises(AlreadyExistsError, match=r"s@c\.org"):
        accept(people, made)

    assert repr(state) == before
    people.create(OPERATOR, stranger.institution_id, "t@c.org", password=PASSWORD)
    people.remove(OPERATOR, stranger.id)
    assert accept(people, made).institution_id == admin.institution_id


@pytest.mark.parametrize(
    ("refused", "message"),
    [("short", "8 to 1024"), (SingleGuess.GUESS, "is easily guessed"), (NEW, "is easily guessed")],
)
def test_a_rejected_password_leaves_the_invitation_open(
    people: People, admin: Member, refused: str, message: str
) -> None:
    made = invite(people, admin)

    for _ in range(30):
        with pytest.raises(InvalidValueError, match=message):
            people.accept(made[1].text, password=refused, repeated=refused, address=HERE)
    with pytest.raises(InvalidValueError, match="do not match"):
        people.accept(made[1].text, password=PASSWORD, repeated=refused, address=HERE)
    assert accept(people, made).email == NEW


def test_a_busy_service_leaves_the_invitation_open(
    people: People, admin: Member, bulkhead: Bulkhead
) -> None:
    made = invite(people, admin)

    with bulkhead.turn("192.0.2.8"), bulkhead.turn("192.0.2.9"), pytest.raises(BusyError):
        accept(people, made)
    assert accept(people, made).email == NEW


# Attacks on invitations


class Interrupted(QuickPasswordHasher):
    """Calls `during_hash` while it hashes a password."""

    def __init__(self) -> None:
        super().__init__()
        self.during_hash: Callable[[], object] = lambda: None

    def hash(self, password: str) -> str:
        self.during_hash()
        return super().hash(password)


@pytest.fixture
def passwords() -> Interrupted:
    return Interrupted()


@pytest.mark.parametrize("event", ["revoked", "expired", "inviter removed", "inviter demoted"])
def test_an_invitation_that_ends_while_it_is_accepted_makes_no_member(
    *,
    people: People,
    admin: Member,
    other_admin: Member,
    passwords: Interrupted,
    clock: FakeClock,
    event: str,
) -> None:
    made = invite(people, admin)
    passwords.during_hash = {
        "revoked": lambda: people.revoke_invitation(admin.principal, made[0].id),
        "expired": lambda: clock.advance(days=7),
        "inviter removed": lambda: people.remove(other_admin.principal, admin.id),
        "inviter demoted": lambda: people.set_role(other_admin.principal, admin.id, Role.VIEWER),
    }[event]

    with pytest.raises(NotFoundError, match="'…'"):
        accept(people, made)

    emails = [member.email for member in people.list(OPERATOR, admin.institution_id)]
    assert NEW not in emails


# Roles and removal


@pytest.mark.parametrize("end", ["removed", "demoted"])
@pytest.mark.parametrize("act", ["invite", "revoke", "set_role", "remove"])
def test_an_admin_removed_or_demoted_during_a_request_changes_nothing(
    *,
    people: People,
    admin: Member,
    other_admin: Member,
    state: MemoryState,
    end: str,
    act: str,
) -> None:
    """The request still has the principal of the session that has ended."""
    invited, _ = invite(people, other_admin)
    before = admin.principal
    if end == "removed":
        people.remove(other_admin.principal, admin.id)
    else:
        people.set_role(other_admin.principal, admin.id, Role.VIEWER)
    stored = repr(state)

    acts: dict[str, Callable[[], object]] = {
        "invite": lambda: invite(people, admin, "later@b.org"),
        "revoke": lambda: people.revoke_invitation(before, invited.id),
        "set_role": lambda: people.set_role(before, other_admin.id, Role.VIEWER),
        "remove": lambda: people.remove(before, other_admin.id),
    }
    with pytest.raises(NotSignedInError):
        acts[act]()

    assert repr(state) == stored


def test_a_member_removed_during_a_password_change_is_signed_out(
    *,
    people: People,
    sign_in: SignIn,
    admin: Member,
    other_admin: Member,
    passwords: Interrupted,
    state: MemoryState,
) -> None:
    token = sign_in.begin(admin.email, PASSWORD, address=HERE).token
    passwords.during_hash = lambda: people.remove(other_admin.principal, admin.id)

    with pytest.raises(NotSignedInError):
        sign_in.change_password(
            token,
            present=PASSWORD,
            new="another long one",
            repeated="another long one",
            address=HERE,
        )

    assert state.records[SESSIONS] == {}


def test_a_member_removed_during_the_sign_in_is_not_signed_in(
    *,
    people: People,
    sign_in: SignIn,
    admin: Member,
    other_admin: Member,
    passwords: Interrupted,
    monkeypatch: pytest.MonkeyPatch,
    state: MemoryState,
) -> None:
    verify = passwords.verify

    def removed_after_it(password: str, password_hash: str | None) -> bool:
        people.remove(other_admin.principal, admin.id)
        return verify(password, password_hash)

    monkeypatch.setattr(passwords, "verify", removed_after_it)

    with pytest.raises(WrongCredentialsError):
        sign_in.begin(admin.email, PASSWORD, address=HERE)

    assert state.records[SESSIONS] == {}


def test_every_change_is_audited_with_who_invited_whom(
    people: People,
    admin: Member,
    audit: AuditLog,
    clock: FakeClock,
) -> None:
    created = len(audit.entries(admin.institution_id))
    made = invite(people, admin)
    joined = accept(people, made)
    people.set_role(admin.principal, joined.id, Role.ADMIN)
    people.remove(replace(joined, role=Role.ADMIN).principal, admin.id)
    second, _ = people.invite(OPERATOR, admin.institution_id, email="c@b.org", role=Role.ADMIN)
    people.revoke_invitation(replace(joined, role=Role.ADMIN).principal, second.id)
    entries = audit.entries(admin.institution_id)

    assert [(entry.actor, entry.action, entry.detail) for entry in entries[:-created]] == [
        (NEW, Action.INVITATION_REVOKED, "e-mail c@b.org, role admin, invited by operator"),
        (
            "operator",
            Action.MEMBER_INVITED,
            "e-mail c@b.org, role admin, valid until 2026-03-08 12:00 UTC",
        ),
        (NEW, Action.MEMBER_REMOVED, "e-mail a@b.org, role admin"),
        ("a@b.org", Action.MEMBER_ROLE_CHANGED, "e-mail new@b.org, role from viewer to admin"),
        (NEW, Action.MEMBER_JOINED, "e-mail new@b.org, role viewer, invited by a@b.org"),
        (
            "a@b.org",
            Action.MEMBER_INVITED,
            "e-mail new@b.org, role viewer, valid until 2026-03-08 12:00 UTC",
        ),
    ]
    subjects = [entry.subject for entry in entries[:-created]]
    assert subjects == [
        Subject(SubjectKind.INVITATION, second.id),
        Subject(SubjectKind.INVITATION, second.id),
        Subject(SubjectKind.MEMBER, admin.id),
        Subject(SubjectKind.MEMBER, joined.id),
        Subject(SubjectKind.MEMBER, joined.id),
        Subject(SubjectKind.INVITATION, made[0].id),
    ]
    assert made[1].text not in repr(entries)
    assert clock.now() == NOON
