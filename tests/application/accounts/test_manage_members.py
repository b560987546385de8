"""Admins invite, change and remove the members of their institution; attacks on all that."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from evref.adapters.outbound.memory.state import MemoryState
from evref.application.accounts.accept_invitation import AcceptInvitation
from evref.application.accounts.bulkhead import Bulkhead
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.manage_members import ManageMembers, NewInvitation
from evref.application.accounts.sign_in import SignIn
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import InvitationToken
from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import (
    AlreadyExistsError,
    BusyError,
    InvalidValueError,
    LastAdminError,
    NotAllowedError,
    NotFoundError,
    NotSignedInError,
    WrongCredentialsError,
)
from evref.domain.principal import Role
from evref.ports.audit import AuditLog
from evref.testing.builders import NOON, OPERATOR
from evref.testing.filling import at_once
from tests.fakes import FakeClock, QuickPasswordHasher, SingleGuess

PASSWORD = "correct horse battery"
HERE = "192.0.2.1"
NEW = "new@b.org"


@pytest.fixture
def hospital(institutions: ManageInstitutions) -> Institution:
    return institutions.create_institution(OPERATOR, "General Hospital")


@pytest.fixture
def admin(institutions: ManageInstitutions, hospital: Institution) -> Member:
    return institutions.create_member(OPERATOR, hospital.id, "a@b.org", password=PASSWORD)


@pytest.fixture
def other_admin(institutions: ManageInstitutions, admin: Member) -> Member:
    return institutions.create_member(OPERATOR, admin.institution_id, "b@b.org", password=PASSWORD)


@pytest.fixture
def stranger(institutions: ManageInstitutions) -> Member:
    """The admin of another institution."""
    clinic = institutions.create_institution(OPERATOR, "Clinic")
    return institutions.create_member(OPERATOR, clinic.id, "s@c.org", password=PASSWORD)


def invite(
    members: ManageMembers, admin: Member, email: str = NEW, role: Role = Role.VIEWER
) -> NewInvitation:
    return members.invite(admin.principal, admin.institution_id, email=email, role=role)


def accept(joining: AcceptInvitation, made: NewInvitation, *, address: str = HERE) -> Member:
    return joining.accept(made.token.text, password=PASSWORD, address=address)


def assert_unusable(joining: AcceptInvitation, text: str) -> None:
    """The error is the same for each reason, and does not repeat the link."""
    for use in (
        lambda: joining.invitation(text),
        lambda: joining.accept(text, password=PASSWORD, address=HERE),
        lambda: joining.check(text, password=PASSWORD, address=HERE),
    ):
        with pytest.raises(NotFoundError) as caught:
            use()
        assert (caught.value.kind, caught.value.name) == ("invitation", "…")
        assert str(caught.value) == "There is no invitation '…'."


# Inviting and joining


def test_who_has_the_link_becomes_a_member(
    joining: AcceptInvitation,
    members: ManageMembers,
    sign_in: SignIn,
    admin: Member,
    hospital: Institution,
) -> None:
    """With the role of the invitation, and the e-mail in lower case."""
    made = invite(members, admin, " New@B.org ")
    shown = joining.invitation(made.token.text)
    member = accept(joining, made)

    assert (shown.invitation, shown.institution) == (made.invitation, hospital)
    assert (member.email, member.role) == (NEW, Role.VIEWER)
    token = sign_in.begin(NEW, PASSWORD, address=HERE).token
    assert sign_in.who(token).principal == member.principal
    assert members.list(admin.principal, hospital.id) == (admin, member)
    assert members.invitations(admin.principal, hospital.id) == ()


def test_the_token_is_not_stored(members: ManageMembers, admin: Member, state: MemoryState) -> None:
    made = invite(members, admin)

    assert made.token.text not in repr(state)
    assert made.token.text not in repr(made)
    assert state.invitations[made.invitation.id].digest == made.token.digest


def test_an_invitation_works_once(
    joining: AcceptInvitation, members: ManageMembers, admin: Member
) -> None:
    made = invite(members, admin)
    accept(joining, made)

    assert_unusable(joining, made.token.text)


def test_an_invitation_works_for_seven_days(
    joining: AcceptInvitation,
    members: ManageMembers,
    admin: Member,
    clock: FakeClock,
    state: MemoryState,
) -> None:
    early, late = invite(members, admin), invite(members, admin, "late@b.org")
    clock.advance(days=7, microseconds=-1)
    accept(joining, late)
    clock.advance(microseconds=1)

    assert_unusable(joining, early.token.text)
    assert members.invitations(admin.principal, admin.institution_id) == ()
    with pytest.raises(NotFoundError):
        members.revoke_invitation(admin.principal, early.invitation.id)
    invite(members, admin, "third@b.org")
    assert early.invitation.id not in state.invitations


def test_a_revoked_invitation_does_not_work(
    joining: AcceptInvitation, members: ManageMembers, admin: Member
) -> None:
    made = invite(members, admin)
    members.revoke_invitation(admin.principal, made.invitation.id)

    assert_unusable(joining, made.token.text)
    with pytest.raises(NotFoundError):
        members.revoke_invitation(admin.principal, made.invitation.id)


def test_a_second_invitation_to_the_same_e_mail_replaces_the_first(
    joining: AcceptInvitation, members: ManageMembers, admin: Member, audit: AuditLog
) -> None:
    first = invite(members, admin)
    second = invite(members, admin, NEW.upper(), Role.ADMIN)

    assert_unusable(joining, first.token.text)
    assert members.invitations(admin.principal, admin.institution_id) == (second.invitation,)
    assert [entry.action for entry in audit.entries(admin.institution_id)][:2] == [
        Action.MEMBER_INVITED,
        Action.INVITATION_REVOKED,
    ]
    assert accept(joining, second).role is Role.ADMIN


def test_invitations_are_listed_with_the_newest_first(
    members: ManageMembers, admin: Member, clock: FakeClock
) -> None:
    made = []
    for name in ("b", "a", "c"):
        made.append(invite(members, admin, f"{name}@example.org").invitation)
        clock.advance(minutes=1)

    assert members.invitations(admin.principal, admin.institution_id) == tuple(reversed(made))


@pytest.mark.parametrize("email", ["", "nobody", "a b@example.org", "\ud800@b.org"])
def test_an_e_mail_that_breaks_a_rule_is_refused(
    members: ManageMembers, admin: Member, email: str, state: MemoryState
) -> None:
    with pytest.raises(InvalidValueError, match="email"):
        invite(members, admin, email)

    assert state.invitations == {}


def test_who_is_a_member_already_is_not_invited(members: ManageMembers, admin: Member) -> None:
    with pytest.raises(AlreadyExistsError, match=r"a@b\.org"):
        invite(members, admin, "A@b.org")


def test_that_somebody_is_a_member_elsewhere_is_not_told_to_the_inviter(
    *,
    joining: AcceptInvitation,
    members: ManageMembers,
    institutions: ManageInstitutions,
    admin: Member,
    stranger: Member,
    state: MemoryState,
) -> None:
    """Only the person with the link is told, and may use it once the other account is gone."""
    made = invite(members, admin, stranger.email)
    before = repr(state)

    with pytest.raises(AlreadyExistsError, match=r"s@c\.org"):
        accept(joining, made)

    assert repr(state) == before
    institutions.create_member(OPERATOR, stranger.institution_id, "t@c.org", password=PASSWORD)
    members.remove(OPERATOR, stranger.id)
    assert accept(joining, made).institution_id == admin.institution_id


def test_who_the_operator_makes_a_member_has_no_invitation_any_more(
    joining: AcceptInvitation,
    members: ManageMembers,
    institutions: ManageInstitutions,
    admin: Member,
    audit: AuditLog,
) -> None:
    made = invite(members, admin)
    institutions.create_member(OPERATOR, admin.institution_id, NEW, password=PASSWORD)

    assert_unusable(joining, made.token.text)
    assert [entry.action for entry in audit.entries(admin.institution_id)][:2] == [
        Action.MEMBER_CREATED,
        Action.INVITATION_REVOKED,
    ]


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        ("short", "8 to 1024"),
        (SingleGuess.GUESS, "is easily guessed"),
        (NEW, "is easily guessed"),
        ("\ud800" * 8, "UTF-8"),
    ],
)
def test_a_password_that_may_not_be_leaves_the_invitation_open(
    joining: AcceptInvitation, members: ManageMembers, admin: Member, refused: str, told: str
) -> None:
    made = invite(members, admin)

    for _ in range(30):
        with pytest.raises(InvalidValueError, match=told):
            joining.accept(made.token.text, password=refused, address=HERE)
    with pytest.raises(InvalidValueError, match=told):
        joining.check(made.token.text, password=refused, address=HERE)
    joining.check(made.token.text, password=PASSWORD, address=HERE)
    assert accept(joining, made).email == NEW


def test_a_busy_service_estimates_nothing_and_leaves_the_invitation_open(
    joining: AcceptInvitation,
    members: ManageMembers,
    admin: Member,
    bulkhead: Bulkhead,
    guesser: SingleGuess,
) -> None:
    made = invite(members, admin)
    before = guesser.estimates

    with bulkhead.place("192.0.2.8"), bulkhead.place("192.0.2.9"):
        with pytest.raises(BusyError):
            accept(joining, made)
        with pytest.raises(BusyError):
            joining.check(made.token.text, password=PASSWORD, address=HERE)

    assert guesser.estimates == before
    assert accept(joining, made).email == NEW


def test_the_first_member_of_an_institution_is_an_admin(
    joining: AcceptInvitation,
    members: ManageMembers,
    institutions: ManageInstitutions,
    hospital: Institution,
) -> None:
    """Created or invited."""
    with pytest.raises(LastAdminError):
        institutions.create_member(OPERATOR, hospital.id, NEW, password=PASSWORD, role=Role.VIEWER)
    with pytest.raises(LastAdminError):
        members.invite(OPERATOR, hospital.id, email=NEW, role=Role.VIEWER)
    made = members.invite(OPERATOR, hospital.id, email=NEW, role=Role.ADMIN)

    assert accept(joining, made).role is Role.ADMIN


def test_an_unknown_institution_has_no_members_to_invite(members: ManageMembers) -> None:
    with pytest.raises(NotFoundError, match="institution"):
        members.invite(OPERATOR, "unknown", email=NEW, role=Role.ADMIN)
    assert members.list(OPERATOR, "unknown") == ()


# Attacks on invitations


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Join",
        InvitationToken.make(1).text,
        InvitationToken.make(1).digest,
        "\ud800",
        "' OR 1=1 --",
        "x" * 100_000,
    ],
)
def test_a_link_that_was_made_up_does_not_work(
    joining: AcceptInvitation, members: ManageMembers, admin: Member, text: str
) -> None:
    invite(members, admin)

    assert_unusable(joining, text)


def test_neither_the_digest_nor_the_id_nor_another_case_opens_an_invitation(
    joining: AcceptInvitation, members: ManageMembers, admin: Member
) -> None:
    made = invite(members, admin)

    for text in (
        made.invitation.digest,
        made.invitation.id,
        made.token.text.swapcase(),
        f"Join{made.token.text[4:].swapcase()}",
        f" {made.token.text}",
        f"{made.token.text}\n",
    ):
        assert_unusable(joining, text)


def test_of_many_who_accept_at_once_one_becomes_a_member(
    joining: AcceptInvitation, members: ManageMembers, admin: Member, audit: AuditLog
) -> None:
    made = invite(members, admin)

    def join(number: int) -> bool:
        try:
            accept(joining, made, address=f"192.0.2.{number}")
        except (NotFoundError, BusyError):
            return False
        return True

    assert sum(at_once(8, join)) == 1
    assert [member.email for member in members.list(OPERATOR, admin.institution_id)] == [
        "a@b.org",
        NEW,
    ]
    actions = [entry.action for entry in audit.entries(admin.institution_id)]
    assert actions.count(Action.MEMBER_JOINED) == 1


class Interrupted(QuickPasswordHasher):
    """Something else happens while a password is hashed."""

    def __init__(self) -> None:
        super().__init__()
        self.meanwhile: Callable[[], object] = lambda: None

    def hash(self, password: str) -> str:
        self.meanwhile()
        return super().hash(password)


@pytest.fixture
def passwords() -> Interrupted:
    return Interrupted()


@pytest.mark.parametrize("event", ["revoked", "expired", "inviter removed", "inviter demoted"])
def test_what_ends_an_invitation_ends_it_also_in_the_moment_of_its_use(
    *,
    joining: AcceptInvitation,
    members: ManageMembers,
    admin: Member,
    other_admin: Member,
    passwords: Interrupted,
    clock: FakeClock,
    event: str,
) -> None:
    """After the link was looked up, and before the person is a member."""
    made = invite(members, admin)
    passwords.meanwhile = {
        "revoked": lambda: members.revoke_invitation(admin.principal, made.invitation.id),
        "expired": lambda: clock.advance(days=7),
        "inviter removed": lambda: members.remove(other_admin.principal, admin.id),
        "inviter demoted": lambda: members.set_role(other_admin.principal, admin.id, Role.VIEWER),
    }[event]

    with pytest.raises(NotFoundError) as caught:
        accept(joining, made)

    assert caught.value.name == "…"
    emails = [member.email for member in members.list(OPERATOR, admin.institution_id)]
    assert NEW not in emails


@pytest.mark.parametrize("end", ["removed", "demoted"])
def test_an_invitation_is_void_once_its_inviter_is_not_an_admin_any_more(
    *,
    joining: AcceptInvitation,
    members: ManageMembers,
    admin: Member,
    other_admin: Member,
    audit: AuditLog,
    end: str,
) -> None:
    """Those of other admins stay open; and it stays void if the inviter is an admin again."""
    void = invite(members, admin)
    kept = invite(members, other_admin, "kept@b.org")

    if end == "removed":
        members.remove(other_admin.principal, admin.id)
    else:
        members.set_role(other_admin.principal, admin.id, Role.VIEWER)
        members.set_role(other_admin.principal, admin.id, Role.ADMIN)

    assert_unusable(joining, void.token.text)
    assert accept(joining, kept).email == "kept@b.org"
    revoked = [
        entry
        for entry in audit.entries(admin.institution_id)
        if entry.action is Action.INVITATION_REVOKED
    ]
    assert [(entry.actor, entry.subject) for entry in revoked] == [
        ("b@b.org", Subject(SubjectKind.INVITATION, void.invitation.id))
    ]


# Roles and removal


def test_a_demoted_admin_loses_the_rights_at_once(
    members: ManageMembers, sign_in: SignIn, admin: Member, other_admin: Member
) -> None:
    """The open session ends; in a new one, the member still sees the others."""
    token = sign_in.begin(admin.email, PASSWORD, address=HERE).token
    members.set_role(other_admin.principal, admin.id, Role.VIEWER)
    with pytest.raises(NotSignedInError):
        sign_in.who(token)
    present = sign_in.who(sign_in.begin(admin.email, PASSWORD, address=HERE).token).principal

    assert present.role is Role.VIEWER
    with pytest.raises(NotAllowedError):
        members.set_role(present, other_admin.id, Role.VIEWER)
    assert len(members.list(present, admin.institution_id)) == 2


@pytest.mark.parametrize("end", ["removed", "demoted"])
@pytest.mark.parametrize("act", ["invite", "revoke", "set_role", "remove"])
def test_who_was_an_admin_when_the_request_began_changes_nothing_any_more(
    *,
    members: ManageMembers,
    admin: Member,
    other_admin: Member,
    state: MemoryState,
    end: str,
    act: str,
) -> None:
    """The principal is the one of before, as in a request that is under way."""
    invited = invite(members, other_admin).invitation
    before = admin.principal
    if end == "removed":
        members.remove(other_admin.principal, admin.id)
    else:
        members.set_role(other_admin.principal, admin.id, Role.VIEWER)
    stored = repr(state)

    acts: dict[str, Callable[[], object]] = {
        "invite": lambda: invite(members, admin, "later@b.org"),
        "revoke": lambda: members.revoke_invitation(before, invited.id),
        "set_role": lambda: members.set_role(before, other_admin.id, Role.VIEWER),
        "remove": lambda: members.remove(before, other_admin.id),
    }
    with pytest.raises(NotAllowedError):
        acts[act]()

    assert repr(state) == stored


def test_a_removed_member_is_signed_out_at_once_and_cannot_sign_in(
    members: ManageMembers, sign_in: SignIn, admin: Member, other_admin: Member
) -> None:
    """Neither with the password nor by changing it; the other's session goes on."""
    token = sign_in.begin(admin.email, PASSWORD, address=HERE).token
    others = sign_in.begin(other_admin.email, PASSWORD, address=HERE).token
    members.remove(other_admin.principal, admin.id)

    with pytest.raises(NotSignedInError):
        sign_in.who(token)
    with pytest.raises(NotSignedInError):
        sign_in.change_password(token, present=PASSWORD, new="another long one", address=HERE)
    with pytest.raises(WrongCredentialsError):
        sign_in.begin(admin.email, PASSWORD, address=HERE)
    assert sign_in.who(others).member == other_admin
    sign_in.end(token)


def test_who_is_removed_in_the_moment_of_a_password_change_is_signed_out(
    *,
    members: ManageMembers,
    sign_in: SignIn,
    admin: Member,
    other_admin: Member,
    passwords: Interrupted,
    state: MemoryState,
) -> None:
    token = sign_in.begin(admin.email, PASSWORD, address=HERE).token
    passwords.meanwhile = lambda: members.remove(other_admin.principal, admin.id)

    with pytest.raises(NotSignedInError):
        sign_in.change_password(token, present=PASSWORD, new="another long one", address=HERE)

    assert state.sessions == {}


def test_who_is_removed_in_the_moment_of_the_sign_in_is_not_signed_in(
    *,
    members: ManageMembers,
    sign_in: SignIn,
    admin: Member,
    other_admin: Member,
    passwords: Interrupted,
    monkeypatch: pytest.MonkeyPatch,
    state: MemoryState,
) -> None:
    verify = passwords.verify

    def removed_after_it(password: str, password_hash: str | None) -> bool:
        members.remove(other_admin.principal, admin.id)
        return verify(password, password_hash)

    monkeypatch.setattr(passwords, "verify", removed_after_it)

    with pytest.raises(WrongCredentialsError):
        sign_in.begin(admin.email, PASSWORD, address=HERE)

    assert state.sessions == {}


def test_a_removed_member_can_be_invited_again(
    joining: AcceptInvitation,
    members: ManageMembers,
    sign_in: SignIn,
    admin: Member,
    other_admin: Member,
) -> None:
    """As a new member: an earlier session does not come back."""
    token = sign_in.begin(admin.email, PASSWORD, address=HERE).token
    members.remove(other_admin.principal, admin.id)

    again = accept(joining, invite(members, other_admin, admin.email))

    assert again.id != admin.id
    with pytest.raises(NotSignedInError):
        sign_in.who(token)


@pytest.mark.parametrize("by", ["the admin", "the operator"])
def test_the_last_admin_can_neither_be_removed_nor_demoted(
    joining: AcceptInvitation, members: ManageMembers, admin: Member, state: MemoryState, by: str
) -> None:
    """Not even by the operator, and not where there is a viewer."""
    accept(joining, invite(members, admin))
    principal = OPERATOR if by == "the operator" else admin.principal
    before = repr(state)

    with pytest.raises(LastAdminError):
        members.remove(principal, admin.id)
    with pytest.raises(LastAdminError):
        members.set_role(principal, admin.id, Role.VIEWER)

    assert repr(state) == before


@pytest.mark.parametrize("by", ["each other", "the operator"])
@pytest.mark.parametrize("act", ["remove", "demote", "both"])
def test_two_admins_who_end_each_other_at_once_leave_one(
    members: ManageMembers, admin: Member, other_admin: Member, act: str, by: str
) -> None:
    pairs = [(admin, other_admin), (other_admin, admin)]

    def end(number: int) -> bool:
        actor, target = pairs[number % 2]
        principal = OPERATOR if by == "the operator" else actor.principal
        try:
            if act == "remove" or (act == "both" and number == 0):
                members.remove(principal, target.id)
            else:
                members.set_role(principal, target.id, Role.VIEWER)
        except (LastAdminError, NotAllowedError):
            return False
        return True

    assert sum(at_once(2, end)) == 1
    left = members.list(OPERATOR, admin.institution_id)
    assert [member.role for member in left].count(Role.ADMIN) == 1


def test_an_admin_may_leave_once_there_is_another(
    members: ManageMembers, admin: Member, other_admin: Member
) -> None:
    members.remove(admin.principal, admin.id)

    assert members.list(OPERATOR, admin.institution_id) == (other_admin,)


def test_the_same_role_again_is_not_a_change(
    members: ManageMembers, admin: Member, audit: AuditLog
) -> None:
    before = audit.entries(admin.institution_id)

    assert members.set_role(admin.principal, admin.id, Role.ADMIN) == admin
    assert audit.entries(admin.institution_id) == before


def test_what_belongs_to_another_institution_is_not_there(
    members: ManageMembers, admin: Member, stranger: Member, state: MemoryState
) -> None:
    """The error is the one for what does not exist."""
    invited = invite(members, admin).invitation
    before = repr(state)
    asks: list[tuple[Callable[[str], object], str]] = [
        (lambda name: members.remove(stranger.principal, name), admin.id),
        (lambda name: members.set_role(stranger.principal, name, Role.VIEWER), admin.id),
        (lambda name: members.revoke_invitation(stranger.principal, name), invited.id),
    ]

    for ask, name in asks:
        with pytest.raises(NotFoundError) as foreign:
            ask(name)
        with pytest.raises(NotFoundError) as unknown:
            ask("0" * 16)
        assert str(foreign.value) == str(unknown.value).replace("0" * 16, name)
    assert repr(state) == before


def test_every_change_is_audited_with_who_invited_whom(
    joining: AcceptInvitation,
    members: ManageMembers,
    admin: Member,
    audit: AuditLog,
    clock: FakeClock,
) -> None:
    created = len(audit.entries(admin.institution_id))
    made = invite(members, admin)
    joined = accept(joining, made)
    members.set_role(admin.principal, joined.id, Role.ADMIN)
    members.remove(replace(joined, role=Role.ADMIN).principal, admin.id)
    second = members.invite(OPERATOR, admin.institution_id, email="c@b.org", role=Role.ADMIN)
    members.revoke_invitation(replace(joined, role=Role.ADMIN).principal, second.invitation.id)
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
        Subject(SubjectKind.INVITATION, second.invitation.id),
        Subject(SubjectKind.INVITATION, second.invitation.id),
        Subject(SubjectKind.MEMBER, admin.id),
        Subject(SubjectKind.MEMBER, joined.id),
        Subject(SubjectKind.MEMBER, joined.id),
        Subject(SubjectKind.INVITATION, made.invitation.id),
    ]
    assert made.token.text not in repr(entries)
    assert clock.now() == NOON
