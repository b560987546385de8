"""Institutions, members, and the length of a password."""

import pytest

from evref.domain.accounts.institution import check_password
from evref.domain.errors import InvalidValueError
from evref.testing.builders import a_member, an_institution


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201, " a", "a\x00"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidValueError, match="name"):
        an_institution(name=name)


@pytest.mark.parametrize(
    "email",
    ["a@b.org", "first.last+tag@ward.example.org", "ü@example.org", f"{'x' * 242}@example.org"],
)
def test_an_e_mail_address_is_allowed(email: str) -> None:
    assert a_member(email=email).email == email


@pytest.mark.parametrize(
    "email",
    [
        "",
        "ward",
        "ward@example",
        "@example.org",
        "ward@.org ",
        "a b@example.org",
        "a@b@example.org",
        "ward@example.org\n",
        "ward\x00@example.org",
        "ward@example.org\ud800",
        f"{'x' * 243}@example.org",
    ],
)
def test_a_malformed_e_mail_address_is_refused(email: str) -> None:
    with pytest.raises(InvalidValueError, match="e-mail address of at most 254"):
        a_member(email=email)


@pytest.mark.parametrize("unseen", ["\u200b", "\u202e", "\u2066", "\ufeff", "\u3164"])
def test_an_e_mail_address_has_no_character_that_is_not_seen(unseen: str) -> None:
    """It would look like another's."""
    with pytest.raises(InvalidValueError, match=f"invisible characters, has U.{ord(unseen):04X}"):
        a_member(email=f"ward{unseen}@example.org")


def test_an_e_mail_address_is_kept_in_lower_case() -> None:
    with pytest.raises(InvalidValueError, match="lower case"):
        a_member(email="Ward@example.org")


@pytest.mark.parametrize("password", ["x" * 8, "päss wör", " " * 8, "x" * 1024])
def test_a_password_of_8_to_1024_characters_may_be_used(password: str) -> None:
    check_password(password)


def test_a_password_that_could_not_be_hashed_is_refused() -> None:
    """Python reads bytes that are no UTF-8 as lone surrogates."""
    with pytest.raises(InvalidValueError) as caught:
        check_password("a password f\udcf6r me")

    assert str(caught.value) == "password: must be valid UTF-8"


@pytest.mark.parametrize("password", ["", "x" * 7, "x" * 1025])
def test_a_shorter_or_longer_password_is_refused_and_not_repeated(password: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        check_password(password)

    assert str(caught.value) == "password: must have 8 to 1024 characters"
