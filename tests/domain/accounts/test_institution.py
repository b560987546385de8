"""Names of institutions, e-mail addresses of members, and the length of a password."""

import pytest

from evref.domain.accounts.institution import is_email, normalised_email, password_faults
from evref.domain.accounts.proxy_sign_in import domain_of
from evref.domain.errors import InvalidValueError
from evref.testing.builders import a_member, an_institution


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 201, " a", "a\x00"])
def test_a_malformed_name_is_rejected(name: str) -> None:
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
def test_a_malformed_e_mail_address_is_rejected(email: str) -> None:
    with pytest.raises(InvalidValueError, match="e-mail address of at most 254"):
        a_member(email=email)


@pytest.mark.parametrize(
    ("email", "message"),
    [
        ("Ward@example.org", "lower case"),
        ("ward\u200b@example.org", r"invisible characters, has U\+200B"),
        ("ward\u202e@example.org", r"invisible characters, has U\+202E"),
    ],
)
def test_an_e_mail_address_that_looks_like_another_is_rejected(email: str, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        a_member(email=email)


@pytest.mark.parametrize("password", ["x" * 8, "päss wör", " " * 8, "x" * 1024])
def test_a_password_of_8_to_1024_characters_may_be_used(password: str) -> None:
    assert password_faults(password, password) == []


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("", "have 8 to 1024 characters"),
        ("x" * 7, "have 8 to 1024 characters"),
        ("x" * 1025, "have 8 to 1024 characters"),
        # Python reads bytes that are not UTF-8 as lone surrogates.
        ("a password f\udcf6r me", "be valid UTF-8"),
    ],
)
def test_an_invalid_password_is_rejected_and_not_repeated(password: str, message: str) -> None:
    assert list(map(str, password_faults(password))) == [f"password: must {message}"]


@pytest.mark.parametrize(
    ("copied", "email"),
    [
        ("Anna Weber <anna.weber@example.org>", "anna.weber@example.org"),
        ('"Weber, Anna" <Anna.Weber@Example.org> ', "anna.weber@example.org"),
    ],
)
def test_an_address_is_read_as_mail_programs_copy_it(copied: str, email: str) -> None:
    assert normalised_email(copied) == email
    assert not is_email(normalised_email(f"{copied} and another"))


@pytest.mark.parametrize(
    "domain",
    [
        "xn--bcher-kva.example",
        "b\u00fccher.example",
        "xn--bcher-kva.example.",
        "\uff42\u00fccher.example",
    ],
)
def test_a_domain_is_the_same_however_it_is_written(domain: str) -> None:
    """Mail servers treat Unicode, full-width letters and a final dot as the same domain."""
    assert domain_of(f"a@{domain}") == "xn--bcher-kva.example"
