"""The contract of the ports `Accounts` and `AccountChanges`."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from evref.domain.accounts.institution import Member
from evref.domain.accounts.proxy_sign_in import ProxySignIn
from evref.domain.accounts.session import Session, SessionToken
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.domain.principal import Role
from evref.ports.accounts import AccountChanges
from evref.ports.storage import Storage
from evref.testing.builders import NOON, OPERATOR, a_member, an_institution, an_invitation
from evref.testing.contract import not_found, succeeds
from evref.testing.filling import (
    at_once,
    change_members,
    keep_institutions,
    keep_invitations,
    keep_members,
    keep_session,
)

ADMIN = a_member("m1", email="ward@example.org")
OTHER_ADMIN = a_member("m2", email="desk@example.org")


def keep_institution(storage: Storage, institution_id: str, name: str) -> None:
    with storage.changes(OPERATOR, NOON) as changes:
        changes.accounts.add_institution(an_institution(institution_id, name=name))


def set_password(storage: Storage, member_id: str, password_hash: str | None) -> None:
    with storage.changes(OPERATOR, NOON) as changes:
        changes.accounts.set_password(member_id, password_hash)


class AccountsContract:
    def test_an_institution_is_found_by_its_name_and_id(self, storage: Storage) -> None:
        """It is returned as it was stored."""
        institution = an_institution(name="Çocuk Hastanesi 'A'")

        keep_institution(storage, institution.id, institution.name)

        assert storage.accounts.institution_named(institution.name) == institution
        assert storage.accounts.institution("i1") == institution

    @pytest.mark.parametrize("other", ["general hospital", "General", "I1", "%", "", "\ud800"])
    def test_another_name_or_id_is_not_found(self, storage: Storage, other: str) -> None:
        """They are compared exactly."""
        keep_institution(storage, "i1", "General Hospital")

        for look_up in (storage.accounts.institution_named, storage.accounts.institution):
            with not_found("institution", other):
                look_up(other)

    def test_institutions_are_listed_by_name(self, storage: Storage) -> None:
        """Every storage sorts by Unicode code points."""
        for number, name in enumerate(["b", "Ä", "a", "B"]):
            keep_institution(storage, f"i{number}", name)

        names = [institution.name for institution in storage.accounts.institutions()]
        assert names == ["B", "a", "b", "Ä"]

    def test_one_of_many_concurrent_uses_of_a_name_succeeds(self, storage: Storage) -> None:
        """The others get the error that it is taken."""

        def add(number: int) -> bool:
            return succeeds(
                lambda: keep_institution(storage, f"i{number}", "Same"), AlreadyExistsError
            )

        assert sum(at_once(8, add)) == 1
        assert len(storage.accounts.institutions()) == 1

    def test_a_member_is_found_by_e_mail_and_id(self, storage: Storage) -> None:
        """They are returned as they were stored."""
        keep_institutions(storage, "i1")
        keep_members(storage, a_member(email="ward@example.org"))

        assert storage.accounts.member_with_email("ward@example.org") == a_member()
        assert storage.accounts.member("m1") == a_member()

    @pytest.mark.parametrize("unknown", ["nobody@example.org", "WARD@example.org", "", "\ud800"])
    def test_an_unknown_e_mail_or_id_is_not_found(self, storage: Storage, unknown: str) -> None:
        """The error contains it."""
        keep_institutions(storage, "i1")
        keep_members(storage, a_member(email="ward@example.org"))

        for look_up in (storage.accounts.member_with_email, storage.accounts.member):
            with not_found("member", unknown):
                look_up(unknown)

    def test_members_are_listed_by_e_mail(self, storage: Storage) -> None:
        """One list has the members of all institutions, the other those of one."""
        keep_institutions(storage, "i1", "i2")
        for number, (name, institution_id) in enumerate([("c", "i1"), ("a", "i2"), ("b", "i1")]):
            email = f"{name}@example.org"
            member = a_member(f"m{number}", institution_id=institution_id, email=email)
            keep_members(storage, member)

        everyone = [member.id for member in storage.accounts.members()]
        assert everyone == ["m1", "m2", "m0"]
        assert [member.id for member in storage.accounts.members_of("i1")] == ["m2", "m0"]
        assert storage.accounts.members_of("unknown") == ()


class MembersContract:
    @pytest.fixture(autouse=True)
    def _team(self, storage: Storage) -> None:
        """Two admins in one institution, and one in another."""
        keep_institutions(storage, "i1", "i2")
        keep_members(
            storage,
            ADMIN,
            OTHER_ADMIN,
            a_member("m3", institution_id="i2", email="other@example.org"),
        )

    def test_a_change_sees_its_own_changes(self, storage: Storage) -> None:
        """It sees them before they are committed."""
        invitation = an_invitation(inviter=ADMIN)

        with storage.changes(OPERATOR, NOON) as changes:
            changes.accounts.lock("i1")
            changes.accounts.set_role("m2", Role.VIEWER)
            changes.accounts.add_invitation(invitation)
            assert changes.accounts.has_admin("i1")
            assert not changes.accounts.has_admin("i1", besides="m1")
            assert changes.accounts.invitations_to("i1", email=invitation.email) == (invitation,)
            assert changes.accounts.invitations_to("i1", inviter_id="m1") == (invitation,)
            assert not changes.accounts.invitations_to("i1", email="other@example.org")
            assert not changes.accounts.invitations_to("i1", inviter_id="m2")
            changes.accounts.remove_member("m2")
            assert changes.accounts.members_of("i1") == (ADMIN,)

    def test_an_unknown_institution_cannot_be_locked(self, storage: Storage) -> None:
        """The change is not called."""
        for unknown in ("unknown", "I1", "", "\ud800"):
            with not_found("institution", unknown):
                change_members(storage, unknown, lambda _: pytest.fail("called"))

    @pytest.mark.parametrize("role", Role)
    def test_a_member_is_added_with_the_role(self, storage: Storage, role: Role) -> None:
        """Other members stay as they are. A reader may have no password."""
        added = a_member("m4", email="ñandú@example.org", role=role)
        if role is Role.READER:
            added = replace(added, password_hash=None)

        change_members(storage, "i1", lambda accounts: accounts.add_member(added))

        assert storage.accounts.member("m4") == added
        assert set(storage.accounts.members_of("i1")) == {ADMIN, OTHER_ADMIN, added}

    def test_an_e_mail_is_taken_only_once_in_whichever_institution(self, storage: Storage) -> None:
        """Nothing else of the change is stored."""
        taken = a_member("m4", email="other@example.org")

        def change(accounts: AccountChanges) -> None:
            accounts.set_role("m2", Role.VIEWER)
            accounts.add_invitation(an_invitation())
            accounts.add_member(taken)

        with pytest.raises(AlreadyExistsError) as caught:
            change_members(storage, "i1", change)

        assert (caught.value.kind, caught.value.name) == ("member", "other@example.org")
        assert set(storage.accounts.members_of("i1")) == {ADMIN, OTHER_ADMIN}
        assert storage.accounts.invitations_to("i1") == ()

    def test_one_of_many_concurrent_uses_of_an_e_mail_succeeds(self, storage: Storage) -> None:
        """This holds across institutions whose members change at the same time."""

        def add(number: int) -> bool:
            institution_id = f"i{number % 2 + 1}"
            added = a_member(f"n{number}", institution_id=institution_id, email="same@example.org")
            return succeeds(lambda: keep_members(storage, added), AlreadyExistsError)

        assert sum(at_once(8, add)) == 1
        emails = [member.email for member in storage.accounts.members()]
        assert emails.count("same@example.org") == 1

    def test_a_role_changes_and_all_sessions_with_the_old_one_end(self, storage: Storage) -> None:
        """No other member changes, and their sessions go on."""
        session = Session.of(ADMIN, SessionToken.make(7), NOON)
        other = Session.of(OTHER_ADMIN, SessionToken.make(8), NOON)
        keep_session(storage, session)
        keep_session(storage, other)

        change_members(storage, "i1", lambda accounts: accounts.set_role("m1", Role.VIEWER))

        assert storage.accounts.member("m1") == replace(ADMIN, role=Role.VIEWER)
        assert storage.accounts.member("m2") == OTHER_ADMIN
        assert storage.sessions.get(other.digest) == other
        with pytest.raises(NotFoundError):
            storage.sessions.get(session.digest)

    def test_a_sign_in_by_a_proxy_is_stored_and_a_domain_only_once(self, storage: Storage) -> None:
        """Setting it again replaces it; if another institution has a domain, nothing changes."""
        first = ProxySignIn("i1", ("a.example", "example.org"), "1" * 64)
        last = ProxySignIn("i1", ("example.org",), "2" * 64)

        def keep(sign_in: ProxySignIn | None, institution_id: str = "i1") -> None:
            with storage.changes(OPERATOR, NOON) as changes:
                changes.accounts.set_proxy_sign_in(institution_id, sign_in)

        keep(first)
        assert storage.accounts.proxy_sign_ins() == (first,)
        keep(last)
        with pytest.raises(AlreadyExistsError):
            keep(ProxySignIn("i2", ("other.example", "example.org"), "3" * 64), "i2")
        with pytest.raises(NotFoundError):
            keep(None, "unknown")
        assert storage.accounts.proxy_sign_ins() == (last,)
        keep(None)
        assert storage.accounts.proxy_sign_ins() == ()

    def test_a_removed_member_is_gone_with_all_sessions(self, storage: Storage) -> None:
        """Sessions of others go on."""
        sessions = [
            Session.of(member, SessionToken.make(number), NOON)
            for number, member in enumerate([ADMIN, ADMIN, OTHER_ADMIN])
        ]
        for session in sessions:
            keep_session(storage, session)

        change_members(storage, "i1", lambda accounts: accounts.remove_member("m1"))

        for look_up in (
            lambda: storage.accounts.member("m1"),
            lambda: storage.accounts.member_with_email(ADMIN.email),
            lambda: storage.sessions.get(sessions[0].digest),
            lambda: storage.sessions.get(sessions[1].digest),
            lambda: set_password(storage, "m1", ""),
        ):
            with pytest.raises(NotFoundError):
                look_up()
        assert storage.sessions.get(sessions[2].digest) == sessions[2]

    @pytest.mark.parametrize("inviter", [None, ADMIN], ids=["the operator", "an admin"])
    @pytest.mark.parametrize("role", Role)
    def test_an_invitation_comes_back_as_it_was_stored(
        self, storage: Storage, role: Role, inviter: Member | None
    ) -> None:
        """It is found by its id and by the digest of its token, with times to the microsecond."""
        invitation = an_invitation(
            role=role, inviter=inviter, created_at=NOON + timedelta(microseconds=1)
        )

        keep_invitations(storage, invitation)

        assert storage.accounts.invitation("v1") == invitation
        assert storage.accounts.invitation_with_digest(invitation.digest) == invitation
        assert storage.accounts.invitations_to("i1") == (invitation,)

    def test_invitations_are_listed_with_the_newest_first(self, storage: Storage) -> None:
        """Those of the same time are ordered by id; those of another institution are left out."""
        for number, hours in enumerate([1, 0, 1, 2]):
            created_at = NOON + timedelta(hours=hours)
            email = f"{number}@example.org"
            keep_invitations(
                storage, an_invitation(f"v{number}", email=email, created_at=created_at)
            )
        keep_invitations(storage, an_invitation("v9", institution_id="i2"))

        listed = [invitation.id for invitation in storage.accounts.invitations_to("i1")]

        assert listed == ["v3", "v0", "v2", "v1"]
        assert storage.accounts.invitations_to("unknown") == ()

    @pytest.mark.parametrize("unknown", ["", "V1", "v2", "0" * 64, "\ud800", "\0"])
    def test_an_unknown_invitation_is_not_found(self, storage: Storage, unknown: str) -> None:
        keep_invitations(storage, an_invitation())

        for look_up in (storage.accounts.invitation, storage.accounts.invitation_with_digest):
            with not_found("invitation", unknown):
                look_up(unknown)

    def test_an_invitation_that_is_removed_is_gone(self, storage: Storage) -> None:
        """Another one stays."""
        other = an_invitation("v2", email="other@example.com")
        keep_invitations(storage, an_invitation(), other)

        change_members(storage, "i1", lambda accounts: accounts.remove_invitation("v1"))

        assert storage.accounts.invitations_to("i1") == (other,)
        with pytest.raises(NotFoundError):
            storage.accounts.invitation_with_digest(an_invitation().digest)

    def test_old_invitations_of_one_institution_are_removed(self, storage: Storage) -> None:
        """Then their addresses can be invited again. Another institution's stay."""
        keep_invitations(storage, an_invitation(), an_invitation("v3", institution_id="i2"))
        later = NOON + timedelta(microseconds=1)

        def change(accounts: AccountChanges) -> None:
            accounts.add_invitation(an_invitation("v4", email="b@example.org", created_at=later))
            accounts.remove_invitations_until("i1", NOON)
            accounts.remove_invitation("v4")
            accounts.add_invitation(an_invitation("v2"))

        change_members(storage, "i1", change)

        assert storage.accounts.invitations_to("i1") == (an_invitation("v2"),)
        assert storage.accounts.invitations_to("i2") == (an_invitation("v3", institution_id="i2"),)

    def test_a_member_and_their_invitations_are_removed_together(self, storage: Storage) -> None:
        """The same unit of work adds another member."""
        keep_invitations(storage, an_invitation(inviter=ADMIN))
        added = a_member("m4", email="new@example.org")

        def change(accounts: AccountChanges) -> None:
            accounts.remove_invitation("v1")
            accounts.remove_member("m1")
            accounts.add_member(added)

        change_members(storage, "i1", change)

        assert storage.accounts.invitations_to("i1") == ()
        assert set(storage.accounts.members_of("i1")) == {OTHER_ADMIN, added}

    @pytest.mark.parametrize("password_hash", ["$argon2id$another", None])
    def test_a_password_is_replaced(self, storage: Storage, password_hash: str | None) -> None:
        """No other field changes, and no other member's password; an unknown member has none."""
        set_password(storage, "m1", password_hash)

        assert storage.accounts.member("m1") == replace(ADMIN, password_hash=password_hash)
        assert storage.accounts.member("m2") == OTHER_ADMIN
        with pytest.raises(NotFoundError):
            set_password(storage, "unknown", "$argon2id$another")

    def test_each_of_many_concurrent_changes_sees_the_one_before(self, storage: Storage) -> None:
        """Both admins are demoted and removed by many at once, and one of them remains."""

        def end(number: int) -> None:
            member_id = f"m{number % 2 + 1}"

            def change(accounts: AccountChanges) -> None:
                if accounts.has_admin("i1", besides=member_id):
                    if number < 4:
                        accounts.set_role(member_id, Role.VIEWER)
                    else:
                        accounts.member(member_id)
                        accounts.remove_member(member_id)

            with suppress(NotFoundError):
                change_members(storage, "i1", change)

        at_once(8, end)

        roles = [member.role for member in storage.accounts.members_of("i1")]
        assert roles.count(Role.ADMIN) == 1

    def test_one_of_many_concurrent_uses_of_an_invitation_succeeds(self, storage: Storage) -> None:
        """The others find it gone."""
        invitation = an_invitation()
        keep_invitations(storage, invitation)

        def join(number: int) -> bool:
            member = a_member(f"n{number}", email=invitation.email)

            def change(accounts: AccountChanges) -> None:
                accounts.invitation(invitation.id)
                accounts.remove_invitation(invitation.id)
                accounts.add_member(member)

            return succeeds(lambda: change_members(storage, "i1", change), NotFoundError)

        assert sum(at_once(8, join)) == 1
        assert len(storage.accounts.members_of("i1")) == 3

    def test_a_session_that_begins_at_the_removal_does_not_survive_it(
        self, storage: Storage
    ) -> None:
        """It either begins before and is removed, or does not begin."""

        def act(number: int) -> None:
            if number == 0:
                change_members(storage, "i1", lambda accounts: accounts.remove_member("m1"))
                return
            with suppress(NotFoundError):
                keep_session(storage, Session.of(ADMIN, SessionToken.make(number), NOON))

        at_once(6, act)

        for number in range(1, 6):
            with pytest.raises(NotFoundError):
                storage.sessions.get(SessionToken.make(number).digest)
