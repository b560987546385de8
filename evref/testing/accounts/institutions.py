"""The contracts of the ports `InstitutionStore` and `MemberStore`."""

from dataclasses import replace

import pytest

from evref.domain.audit import Action
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.ports.accounts.institutions import InstitutionStore, MemberStore
from evref.testing.builders import a_member, an_audit_entry, an_institution
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once, keep_institutions, keep_members

CREATED = an_audit_entry(action=Action.INSTITUTION_CREATED, key_id=None)
RESET = an_audit_entry(action=Action.PASSWORD_RESET, key_id=None)


class InstitutionStoreContract(Contract):
    port = InstitutionStore

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.institutions) is self.adapter

    def test_an_institution_is_found_by_its_name(self, stores: Stores) -> None:
        """It is returned as it was stored, and its audit entry is stored too."""
        institution = an_institution(name="Çocuk Hastanesi 'A'")

        stores.institutions.add(institution, CREATED)

        assert stores.institutions.named("Çocuk Hastanesi 'A'") == institution
        assert stores.audit.entries("i1") == (CREATED,)

    @pytest.mark.parametrize("name", ["general hospital", "General", "%", "", "\ud800"])
    def test_another_name_is_not_found(self, stores: Stores, name: str) -> None:
        """Names are compared exactly."""
        stores.institutions.add(an_institution(name="General Hospital"), CREATED)

        with pytest.raises(NotFoundError):
            stores.institutions.named(name)

    def test_an_institution_is_found_by_its_id(self, stores: Stores) -> None:
        """Another id is not found."""
        keep_institutions(stores, "i1", "i2")

        assert stores.institutions.get("i2") == an_institution("i2", name="i2")
        with pytest.raises(NotFoundError) as caught:
            stores.institutions.get("I2")
        assert caught.value.name == "I2"

    def test_institutions_are_listed_by_name(self, stores: Stores) -> None:
        """Every storage sorts by Unicode code points."""
        for number, name in enumerate(["b", "Ä", "a", "B"]):
            institution = an_institution(f"i{number}", name=name)
            stores.institutions.add(institution, replace(CREATED, institution_id=institution.id))

        names = [institution.name for institution in stores.institutions.list()]

        assert names == ["B", "a", "b", "Ä"]

    def test_nothing_kept_is_an_empty_list(self, stores: Stores) -> None:
        """A new storage has no institutions."""
        assert stores.institutions.list() == ()

    def test_a_name_is_taken_only_once(self, stores: Stores) -> None:
        """The first one does not change, and no audit entry is written for the second."""
        stores.institutions.add(an_institution("i1", name="Same"), CREATED)

        with pytest.raises(AlreadyExistsError) as caught:
            stores.institutions.add(
                an_institution("i2", name="Same"), replace(CREATED, institution_id="i2")
            )

        assert caught.value.name == "Same"
        assert stores.institutions.list() == (an_institution("i1", name="Same"),)
        assert stores.audit.entries("i2") == ()

    def test_of_many_who_take_a_name_at_once_one_succeeds(self, stores: Stores) -> None:
        """The others get the error that it is taken."""

        def add(number: int) -> bool:
            try:
                stores.institutions.add(an_institution(f"i{number}", name="Same"), CREATED)
            except AlreadyExistsError:
                return False
            return True

        assert sum(at_once(8, add)) == 1
        assert len(stores.institutions.list()) == 1


class MemberStoreContract(Contract):
    port = MemberStore

    @pytest.fixture(autouse=True)
    def _institutions(self, stores: Stores) -> None:
        keep_institutions(stores, "i1", "i2")

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.members) is self.adapter

    def test_a_member_is_found_by_e_mail(self, stores: Stores) -> None:
        """They are returned as they were stored."""
        keep_members(stores, a_member(email="ward@example.org"))

        assert stores.members.with_email("ward@example.org") == a_member()

    @pytest.mark.parametrize("email", ["nobody@example.org", "WARD@example.org", "", "\ud800"])
    def test_an_unknown_e_mail_is_not_found(self, stores: Stores, email: str) -> None:
        """The error contains the e-mail."""
        keep_members(stores, a_member(email="ward@example.org"))

        with pytest.raises(NotFoundError) as caught:
            stores.members.with_email(email)

        assert caught.value.name == email

    def test_a_member_is_found_by_id(self, stores: Stores) -> None:
        """Another id is not found."""
        keep_members(stores, a_member("m1"))

        assert stores.members.get("m1") == a_member("m1")
        with pytest.raises(NotFoundError) as caught:
            stores.members.get("M1")
        assert caught.value.name == "M1"

    def test_members_are_listed_by_e_mail(self, stores: Stores) -> None:
        """One list has the members of all institutions, the other those of one."""
        for number, (name, institution_id) in enumerate([("c", "i1"), ("a", "i2"), ("b", "i1")]):
            email = f"{name}@example.org"
            member = a_member(f"m{number}", institution_id=institution_id, email=email)
            keep_members(stores, member)

        everyone = [member.email for member in stores.members.list()]
        own = [member.email for member in stores.members.of_institution("i1")]

        assert everyone == ["a@example.org", "b@example.org", "c@example.org"]
        assert own == ["b@example.org", "c@example.org"]
        assert stores.members.of_institution("unknown") == ()

    def test_a_password_is_replaced_together_with_its_audit_entry(self, stores: Stores) -> None:
        """No other field changes, and no other member's password."""
        other = a_member("m2", email="other@example.org")
        keep_members(stores, a_member("m1"), other)

        stores.members.set_password("m1", "$argon2id$another", RESET)

        assert stores.members.with_email("ward@example.org") == replace(
            a_member("m1"), password_hash="$argon2id$another"
        )
        assert stores.members.with_email("other@example.org") == other
        assert RESET in stores.audit.entries("i1")

    def test_an_unknown_member_has_no_password_to_replace(self, stores: Stores) -> None:
        """No audit entry is written."""
        entries_before = stores.audit.entries("i1")

        with pytest.raises(NotFoundError):
            stores.members.set_password("unknown", "$argon2id$another", RESET)

        assert stores.audit.entries("i1") == entries_before
