"""Tests of how the operator creates and changes institutions and members."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from unicodedata import normalize

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.application.accounts.manage_institutions import ManageInstitutions
from evref.application.accounts.people import People
from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.proxy_sign_in import SignInDomain
from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import AlreadyExistsError
from evref.domain.principal import Principal
from evref.ports.accounts import MEMBERS, PROXY_SIGN_INS, SIGN_IN_DOMAINS
from evref.ports.storage import AuditLog, Changes, DelegatingStorage
from evref.testing.builders import OPERATOR
from tests.fakes import QuickPasswordHasher

PASSWORD = "correct horse battery"
EMAIL = "ward@b.org"


@pytest.fixture
def member(people: People, hospital: Institution) -> Member:
    return people.create(OPERATOR, hospital.id, EMAIL, password=PASSWORD)


def reset(people: People, email: str, password: str) -> None:
    member = people.with_email(OPERATOR, email)
    people.reset_password(OPERATOR, member.id, password=password)


def test_a_member_has_the_e_mail_in_lower_case_and_the_password_hashed(
    people: People, passwords: QuickPasswordHasher, hospital: Institution
) -> None:
    member = people.create(OPERATOR, hospital.id, " Ward@Example.ORG ", password=PASSWORD)

    assert (member.email, member.institution_id) == ("ward@example.org", hospital.id)
    assert passwords.verify(PASSWORD, member.password_hash)
    assert people.list_all(OPERATOR) == ((member, hospital),)


def test_a_reset_replaces_the_password(
    people: People,
    passwords: QuickPasswordHasher,
    member: Member,
    storage: MemoryStorage,
) -> None:
    reset(people, " Ward@b.org", "another long one")

    (member,) = storage.records.find(MEMBERS, email=EMAIL)
    stored = member.password_hash
    assert passwords.verify("another long one", stored)
    assert not passwords.verify(PASSWORD, stored)


def test_every_change_is_audited_without_the_password(
    people: People, member: Member, audit: AuditLog
) -> None:
    reset(people, EMAIL, "another long one")
    entries = audit.entries(member.institution_id)

    assert [(entry.actor, entry.action, entry.detail) for entry in entries] == [
        ("operator", Action.PASSWORD_RESET, "e-mail ward@b.org"),
        ("operator", Action.MEMBER_CREATED, "e-mail ward@b.org, role admin"),
        ("operator", Action.INSTITUTION_CREATED, "name 'General Hospital'"),
    ]
    about_member = Subject(SubjectKind.MEMBER, member.id)
    assert [entry.subject for entry in entries] == [about_member, about_member, None]
    for secret in (PASSWORD, "another long one", "$quick$"):
        assert secret not in repr(entries)
        assert secret not in repr(people.list_all(OPERATOR))


def test_one_name_is_one_institution_however_its_accents_are_written(
    institutions: ManageInstitutions,
) -> None:
    composed, decomposed = (normalize(form, "Hôpital Zürich") for form in ("NFC", "NFD"))
    made = institutions.create_institution(OPERATOR, decomposed)

    assert made.name == composed
    assert institutions.institution_named(OPERATOR, decomposed) == made
    with pytest.raises(AlreadyExistsError):
        institutions.create_institution(OPERATOR, composed)


class RacedStorage(DelegatingStorage):
    """Calls `before` right before each unit of work."""

    def __init__(self, rest: MemoryStorage, before: Callable[[], object]) -> None:
        super().__init__(rest)
        self._before = before

    def changes(self, principal: Principal, instant: datetime) -> AbstractContextManager[Changes]:
        self._before()
        return super().changes(principal, instant)


def test_commands_that_run_at_the_same_time_do_not_undo_each_other(
    institutions: ManageInstitutions, storage: MemoryStorage, hospital: Institution
) -> None:
    """A secret that was replaced because it leaked must not become valid again."""

    def set_sign_in(manage: ManageInstitutions, *domains: str, new_secret: bool = False) -> str:
        made = manage.set_sign_in(OPERATOR, hospital.id, domains=domains, new_secret=new_secret)
        return "" if made is None else made.digest

    set_sign_in(institutions, "a.example")
    secrets = []
    raced = RacedStorage(
        storage, lambda: secrets.append(set_sign_in(institutions, new_secret=True))
    )

    assert set_sign_in(replace(institutions, storage=raced), "b.example") == ""

    (after,) = storage.records.find(PROXY_SIGN_INS)
    assert [after.digest] == secrets
    assert storage.records.find(SIGN_IN_DOMAINS) == (SignInDomain("b.example", hospital.id),)
