"""The contract of the port `TeamStore`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest

from evref.domain.accounts.institution import Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.sign_in import Session, SessionToken
from evref.domain.accounts.team import Team
from evref.domain.audit import Action, AuditEntry, Subject, SubjectKind
from evref.domain.errors import AlreadyExistsError, LastAdminError, NotFoundError
from evref.domain.principal import Role
from evref.ports.accounts.teams import TeamStore
from evref.testing.builders import NOON, a_member, an_audit_entry, an_invitation
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once, keep_institutions, keep_members

ADMIN = a_member("m1", email="ward@example.org")
OTHER_ADMIN = a_member("m2", email="desk@example.org")
CHANGED = an_audit_entry(
    action=Action.MEMBER_ROLE_CHANGED, subject=Subject(SubjectKind.MEMBER, "m1")
)

Change = Callable[[Team], Team]


def change_team(
    stores: Stores, change: Change, *, entries: Sequence[AuditEntry] = (CHANGED,)
) -> Team:
    """Change the team of the institution i1, and write these entries."""
    return stores.teams.change("i1", lambda team: (change(team), entries))


def keep_invitations(stores: Stores, *invitations: Invitation) -> None:
    """Store the invitations in their institutions, which exist."""
    for each in invitations:
        stores.teams.change(each.institution_id, partial(_with_invitation, each))


def _with_invitation(invitation: Invitation, team: Team) -> tuple[Team, Sequence[AuditEntry]]:
    return team.with_invitation(invitation), ()


class TeamStoreContract(Contract):
    port = TeamStore

    @pytest.fixture(autouse=True)
    def _team(self, stores: Stores) -> None:
        """Two admins in one institution, and one in another."""
        keep_institutions(stores, "i1", "i2")
        keep_members(
            stores,
            ADMIN,
            OTHER_ADMIN,
            a_member("m3", institution_id="i2", email="other@example.org"),
        )

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.teams) is self.adapter

    def test_a_change_sees_the_team_of_one_institution(self, stores: Stores) -> None:
        """It has all members and invitations of this institution, and none of another."""
        invitation = an_invitation(inviter=ADMIN)
        keep_invitations(stores, invitation, an_invitation("v2", institution_id="i2"))
        seen: list[Team] = []

        stores.teams.change("i1", seen.append)

        (team,) = seen
        assert team.institution_id == "i1"
        assert set(team.members) == {ADMIN, OTHER_ADMIN}
        assert team.invitations == (invitation,)

    def test_an_unknown_institution_has_no_team(self, stores: Stores) -> None:
        """The change is not called."""
        for unknown in ("unknown", "I1", "", "\ud800"):
            with pytest.raises(NotFoundError) as caught:
                stores.teams.change(unknown, lambda _: pytest.fail("called"))
            assert (caught.value.kind, caught.value.name) == ("institution", unknown)

    @pytest.mark.parametrize("role", Role)
    def test_a_member_is_added_with_the_role(self, stores: Stores, role: Role) -> None:
        """The audit entry is stored too, and the team after the change is returned."""
        added = a_member("m4", email="ñandú@example.org", role=role)

        after = change_team(stores, lambda team: team.with_member(added))

        assert stores.members.get("m4") == added
        assert set(after.members) == {ADMIN, OTHER_ADMIN, added}
        assert CHANGED in stores.audit.entries("i1")

    def test_an_e_mail_is_taken_only_once_in_whichever_institution(self, stores: Stores) -> None:
        """Nothing else of the change is stored, nor its audit entry."""
        taken = a_member("m4", email="other@example.org")
        before = stores.audit.entries("i1")

        with pytest.raises(AlreadyExistsError) as caught:
            change_team(
                stores,
                lambda team: (
                    team.with_role("m2", Role.VIEWER)
                    .with_invitation(an_invitation())
                    .with_member(taken)
                ),
            )

        assert (caught.value.kind, caught.value.name) == ("member", "other@example.org")
        assert set(stores.members.of_institution("i1")) == {ADMIN, OTHER_ADMIN}
        assert stores.teams.invitations("i1") == ()
        assert stores.audit.entries("i1") == before

    def test_of_many_who_take_an_e_mail_at_once_one_succeeds(self, stores: Stores) -> None:
        """Also in different institutions, whose teams change at the same time."""

        def add(number: int) -> bool:
            institution_id = f"i{number % 2 + 1}"
            added = a_member(f"n{number}", institution_id=institution_id, email="same@example.org")
            try:
                keep_members(stores, added)
            except AlreadyExistsError:
                return False
            return True

        assert sum(at_once(8, add)) == 1
        assert [member.email for member in stores.members.list()].count("same@example.org") == 1

    def test_a_role_changes_and_nothing_else(self, stores: Stores) -> None:
        """No other member changes, and the sessions go on."""
        session = Session.of(ADMIN, SessionToken.make(7), NOON)
        stores.sessions.add(session)

        change_team(stores, lambda team: team.with_role("m1", Role.VIEWER))

        assert stores.members.get("m1") == replace(ADMIN, role=Role.VIEWER)
        assert stores.members.get("m2") == OTHER_ADMIN
        assert stores.sessions.get(session.digest) == session

    def test_a_removed_member_is_gone_with_all_sessions(self, stores: Stores) -> None:
        """Sessions of others go on, and the e-mail can be used again."""
        sessions = [
            Session.of(member, SessionToken.make(number), NOON)
            for number, member in enumerate([ADMIN, ADMIN, OTHER_ADMIN])
        ]
        for session in sessions:
            stores.sessions.add(session)

        change_team(stores, lambda team: team.without_member("m1"))

        for look_up in (
            lambda: stores.members.get("m1"),
            lambda: stores.members.with_email(ADMIN.email),
            lambda: stores.sessions.get(sessions[0].digest),
            lambda: stores.sessions.get(sessions[1].digest),
            lambda: stores.members.set_password("m1", "", CHANGED),
        ):
            with pytest.raises(NotFoundError):
                look_up()
        assert stores.sessions.get(sessions[2].digest) == sessions[2]
        change_team(stores, lambda team: team.with_member(replace(ADMIN, id="m4")))
        assert stores.members.with_email(ADMIN.email).id == "m4"

    @pytest.mark.parametrize("inviter", [None, ADMIN], ids=["the operator", "an admin"])
    @pytest.mark.parametrize("role", Role)
    def test_an_invitation_comes_back_as_it_was_stored(
        self, stores: Stores, role: Role, inviter: Member | None
    ) -> None:
        """It is found by its id and by the digest of its token, with times to the microsecond."""
        invitation = an_invitation(
            role=role, inviter=inviter, created_at=NOON + timedelta(microseconds=1)
        )

        keep_invitations(stores, invitation)

        assert stores.teams.invitation("v1") == invitation
        assert stores.teams.invitation_with_digest(invitation.digest) == invitation
        assert stores.teams.invitations("i1") == (invitation,)

    def test_invitations_are_listed_with_the_newest_first(self, stores: Stores) -> None:
        """Those of the same time are ordered by id; those of another institution are left out."""
        for number, hours in enumerate([1, 0, 1, 2]):
            created_at = NOON + timedelta(hours=hours)
            email = f"{number}@example.org"
            keep_invitations(
                stores, an_invitation(f"v{number}", email=email, created_at=created_at)
            )
        keep_invitations(stores, an_invitation("v9", institution_id="i2"))

        listed = [invitation.id for invitation in stores.teams.invitations("i1")]

        assert listed == ["v3", "v0", "v2", "v1"]
        assert stores.teams.invitations("unknown") == ()

    @pytest.mark.parametrize("unknown", ["", "V1", "v2", "0" * 64, "\ud800", "\0"])
    def test_an_unknown_invitation_is_not_found(self, stores: Stores, unknown: str) -> None:
        """Neither by id nor by digest."""
        keep_invitations(stores, an_invitation())

        for look_up in (stores.teams.invitation, stores.teams.invitation_with_digest):
            with pytest.raises(NotFoundError) as caught:
                look_up(unknown)
            assert (caught.value.kind, caught.value.name) == ("invitation", unknown)

    def test_an_invitation_that_is_removed_is_gone(self, stores: Stores) -> None:
        """Another one stays."""
        other = an_invitation("v2", email="other@example.com")
        keep_invitations(stores, an_invitation(), other)

        change_team(stores, lambda team: team.without_invitation("v1"))

        assert stores.teams.invitations("i1") == (other,)
        with pytest.raises(NotFoundError):
            stores.teams.invitation_with_digest(an_invitation().digest)

    def test_an_invitation_is_replaced_by_another_to_the_same_e_mail(self, stores: Stores) -> None:
        """An institution has one invitation to an e-mail; another institution may have one too."""
        keep_invitations(stores, an_invitation(), an_invitation("v3", institution_id="i2"))

        keep_invitations(stores, an_invitation("v2"))

        assert stores.teams.invitations("i1") == (an_invitation("v2"),)
        assert stores.teams.invitations("i2") == (an_invitation("v3", institution_id="i2"),)

    def test_a_member_and_their_invitations_are_removed_together(self, stores: Stores) -> None:
        """Together with a member who is added, and all entries in the order of the change."""
        keep_invitations(stores, an_invitation(inviter=ADMIN))
        entries = [replace(CHANGED, detail="first"), replace(CHANGED, detail="second")]
        added = a_member("m4", email="new@example.org")

        change_team(
            stores,
            lambda team: team.without_member("m1").with_member(added),
            entries=entries,
        )

        assert stores.teams.invitations("i1") == ()
        assert set(stores.members.of_institution("i1")) == {OTHER_ADMIN, added}
        assert stores.audit.entries("i1")[:2] == (entries[1], entries[0])

    @pytest.mark.parametrize("ends", ["with None", "with an error"])
    def test_a_change_that_is_given_up_changes_nothing(self, stores: Stores, ends: str) -> None:
        """The error is passed on, and no audit entry is written."""
        before = stores.audit.entries("i1")

        def give_up(_: Team) -> None:
            if ends == "with an error":
                raise LastAdminError

        if ends == "with an error":
            with pytest.raises(LastAdminError):
                stores.teams.change("i1", give_up)
        else:
            assert set(stores.teams.change("i1", give_up).members) == {ADMIN, OTHER_ADMIN}
        assert set(stores.members.of_institution("i1")) == {ADMIN, OTHER_ADMIN}
        assert stores.audit.entries("i1") == before

    def test_of_a_stored_member_only_the_role_is_written(self, stores: Stores) -> None:
        """So a password is kept that was set after the change has read the member."""
        earlier = Team("i1", stores.members.of_institution("i1"))
        stores.members.set_password("m1", "$argon2id$another", CHANGED)

        change_team(stores, lambda _: earlier.with_role("m1", Role.VIEWER))

        assert stores.members.get("m1") == replace(
            ADMIN, role=Role.VIEWER, password_hash="$argon2id$another"
        )

    def test_of_many_changes_at_once_each_sees_the_one_before(self, stores: Stores) -> None:
        """Both admins are demoted and removed by many at once, and one of them remains."""

        def end(number: int) -> bool:
            member_id = f"m{number % 2 + 1}"
            try:
                if number < 4:
                    change_team(stores, lambda team: team.with_role(member_id, Role.VIEWER))
                else:
                    change_team(stores, lambda team: team.without_member(member_id))
            except (LastAdminError, NotFoundError):
                return False
            return True

        at_once(8, end)

        admins = [
            member for member in stores.members.of_institution("i1") if member.role is Role.ADMIN
        ]
        assert len(admins) == 1

    def test_of_many_who_use_an_invitation_at_once_one_joins(self, stores: Stores) -> None:
        """The others find it gone."""
        invitation = an_invitation()
        keep_invitations(stores, invitation)

        def join(number: int) -> bool:
            member = a_member(f"n{number}", email=invitation.email)

            def change(team: Team) -> Team:
                team.invitation(invitation.id)
                return team.with_member(member)

            try:
                change_team(stores, change)
            except NotFoundError:
                return False
            return True

        assert sum(at_once(8, join)) == 1
        assert len(stores.members.of_institution("i1")) == 3

    def test_a_session_that_begins_at_the_removal_does_not_survive_it(self, stores: Stores) -> None:
        """It either begins before and is removed, or does not begin."""

        def act(number: int) -> bool:
            if number == 0:
                change_team(stores, lambda team: team.without_member("m1"))
                return False
            try:
                stores.sessions.add(Session.of(ADMIN, SessionToken.make(number), NOON))
            except NotFoundError:
                return False
            return True

        at_once(6, act)

        for number in range(1, 6):
            with pytest.raises(NotFoundError):
                stores.sessions.get(SessionToken.make(number).digest)
