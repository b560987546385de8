"""Institutions and members are made by the operator, and the audit log says so."""

from unicodedata import normalize

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.application.accounts.manage_institutions import ManageInstitutions, MemberInInstitution
from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.errors import AlreadyExistsError, InvalidValueError
from evref.ports.audit import AuditLog
from evref.testing.builders import OPERATOR
from tests.fakes import FakeClock, QuickPasswordHasher, SingleGuess

HOSPITAL = "General Hospital"
PASSWORD = "correct horse battery"


def reset(institutions: ManageInstitutions, email: str, password: str) -> None:
    member = institutions.member_with_email(OPERATOR, email)
    institutions.reset_password(OPERATOR, member.id, password=password)


def test_a_member_is_made_with_the_e_mail_in_lower_case_and_the_password_hashed(
    institutions: ManageInstitutions, passwords: QuickPasswordHasher
) -> None:
    hospital = institutions.create_institution(OPERATOR, HOSPITAL)
    member = institutions.create_member(
        OPERATOR,
        institutions.institution_named(OPERATOR, HOSPITAL).id,
        " Ward@Example.ORG ",
        password=PASSWORD,
    )

    assert (member.email, member.institution_id) == ("ward@example.org", hospital.id)
    assert passwords.verify(PASSWORD, member.password_hash)
    assert institutions.members(OPERATOR) == (MemberInInstitution(member, hospital),)


def test_a_reset_password_replaces_the_one_before(
    institutions: ManageInstitutions, passwords: QuickPasswordHasher, storage: MemoryStorage
) -> None:
    institutions.create_institution(OPERATOR, HOSPITAL)
    institutions.create_member(
        OPERATOR,
        institutions.institution_named(OPERATOR, HOSPITAL).id,
        "a@b.org",
        password=PASSWORD,
    )
    reset(institutions, " A@b.org", "another long one")
    kept = storage.accounts.member_with_email("a@b.org").password_hash

    assert passwords.verify("another long one", kept)
    assert not passwords.verify(PASSWORD, kept)


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        ("short", "8 to 1024"),
        (SingleGuess.GUESS, "is easily guessed"),
        ("someone@example.org", "is easily guessed"),
    ],
)
def test_a_password_that_may_not_be_changes_nothing(
    institutions: ManageInstitutions,
    passwords: QuickPasswordHasher,
    storage: MemoryStorage,
    refused: str,
    told: str,
) -> None:
    institutions.create_institution(OPERATOR, HOSPITAL)
    email = "someone@example.org"
    institutions.create_member(
        OPERATOR, institutions.institution_named(OPERATOR, HOSPITAL).id, email, password=PASSWORD
    )

    with pytest.raises(InvalidValueError, match=told):
        reset(institutions, email, refused)
    with pytest.raises(InvalidValueError, match=told):
        institutions.create_member(
            OPERATOR, institutions.institution_named(OPERATOR, HOSPITAL).id, email, password=refused
        )

    assert passwords.verify(PASSWORD, storage.accounts.member_with_email(email).password_hash)


def test_every_change_is_audited_in_words_and_no_password_is_told(
    institutions: ManageInstitutions, audit: AuditLog, clock: FakeClock
) -> None:
    hospital = institutions.create_institution(OPERATOR, HOSPITAL)
    clock.advance(minutes=1)
    institutions.create_member(
        OPERATOR,
        institutions.institution_named(OPERATOR, HOSPITAL).id,
        "a@b.org",
        password=PASSWORD,
    )
    clock.advance(minutes=1)
    reset(institutions, "a@b.org", "another long one")
    entries = audit.entries(hospital.id)

    assert [(entry.actor, entry.action, entry.detail) for entry in entries] == [
        ("operator", Action.PASSWORD_RESET, "e-mail a@b.org"),
        ("operator", Action.MEMBER_CREATED, "e-mail a@b.org, role admin"),
        ("operator", Action.INSTITUTION_CREATED, "name 'General Hospital'"),
    ]
    (member,) = institutions.members(OPERATOR)
    about_member = Subject(SubjectKind.MEMBER, member.member.id)
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
