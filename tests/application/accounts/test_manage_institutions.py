"""Institutions and members are made by the operator, and the audit log says so."""

from unicodedata import normalize

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.application.accounts.manage_institutions import ManageInstitutions, MemberInInstitution
from evref.domain.accounts.institution import Institution, Member
from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import AlreadyExistsError, InvalidValueError
from evref.ports.audit import AuditLog
from evref.testing.builders import OPERATOR
from tests.fakes import QuickPasswordHasher, SingleGuess

PASSWORD = "correct horse battery"
EMAIL = "ward@b.org"


@pytest.fixture
def member(institutions: ManageInstitutions, hospital: Institution) -> Member:
    return institutions.create_member(OPERATOR, hospital.id, EMAIL, password=PASSWORD)


def reset(institutions: ManageInstitutions, email: str, password: str) -> None:
    member = institutions.member_with_email(OPERATOR, email)
    institutions.reset_password(OPERATOR, member.id, password=password)


def test_a_member_has_the_e_mail_in_lower_case_and_the_password_hashed(
    institutions: ManageInstitutions, passwords: QuickPasswordHasher, hospital: Institution
) -> None:
    member = institutions.create_member(
        OPERATOR, hospital.id, " Ward@Example.ORG ", password=PASSWORD
    )

    assert (member.email, member.institution_id) == ("ward@example.org", hospital.id)
    assert passwords.verify(PASSWORD, member.password_hash)
    assert institutions.members(OPERATOR) == (MemberInInstitution(member, hospital),)


def test_a_reset_replaces_the_password(
    institutions: ManageInstitutions,
    passwords: QuickPasswordHasher,
    member: Member,
    storage: MemoryStorage,
) -> None:
    reset(institutions, " Ward@b.org", "another long one")

    stored = storage.accounts.member_with_email(EMAIL).password_hash
    assert passwords.verify("another long one", stored)
    assert not passwords.verify(PASSWORD, stored)


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        ("short", "8 to 1024"),
        (SingleGuess.GUESS, "is easily guessed"),
        (EMAIL, "is easily guessed"),
    ],
)
def test_a_password_that_breaks_a_rule_changes_nothing(
    institutions: ManageInstitutions,
    member: Member,
    storage: MemoryStorage,
    refused: str,
    reason: str,
) -> None:
    with pytest.raises(InvalidValueError, match=reason):
        reset(institutions, EMAIL, refused)
    with pytest.raises(InvalidValueError, match=reason):
        institutions.create_member(OPERATOR, member.institution_id, EMAIL, password=refused)

    assert storage.accounts.members() == (member,)


def test_every_change_is_audited_without_the_password(
    institutions: ManageInstitutions, member: Member, audit: AuditLog
) -> None:
    reset(institutions, EMAIL, "another long one")
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
        assert secret not in repr(institutions.members(OPERATOR))


def test_one_name_is_one_institution_however_its_accents_are_written(
    institutions: ManageInstitutions,
) -> None:
    composed, decomposed = (normalize(form, "Hôpital Zürich") for form in ("NFC", "NFD"))
    made = institutions.create_institution(OPERATOR, decomposed)

    assert made.name == composed
    assert institutions.institution_named(OPERATOR, decomposed) == made
    with pytest.raises(AlreadyExistsError):
        institutions.create_institution(OPERATOR, composed)
