"""What was typed into a form is kept through a new sign-in, for the same member and nobody else."""

import pytest
from wtforms import PasswordField

from evref.adapters.inbound.pages.settings import forms
from evref.adapters.inbound.pages.settings.drafts import _NEVER_KEPT, LONGEST_DRAFT
from evref.domain.accounts.sign_in import SESSION_LENGTHS
from evref.domain.principal import Role
from evref.testing.builders import OPERATOR
from tests.settings_pages.site import EMAIL, OTHER_EMAIL, PASSWORD, Site
from tests.settings_pages.visitor import Visitor, a_member, fields_of

NEW = "/settings/api-keys/new"
NOTICE = "Your session ended. Nothing was changed. Check what you typed and save it again."
TYPED = {"name": "Ward tablet", "permission": "none", "daily_limit": "many"}


def end_sessions(site: Site) -> None:
    site.clock.advance(seconds=SESSION_LENGTHS[Role.ADMIN].total_seconds())


def test_what_was_typed_is_in_the_form_after_the_new_sign_in(site: Site, member: Visitor) -> None:
    """Saved by nobody, with a notice, and ready to be sent."""
    fields = fields_of(member.get(NEW).text) | TYPED
    end_sessions(site)

    answer = member.send(NEW, **fields)

    assert answer.location == f"/settings/sign-in?next={NEW}"
    sign_in = member.get(answer.location).text
    assert "Nothing was changed. Sign in to continue with what you typed." in sign_in
    again = member.sign_in(onwards=NEW)
    assert again.location == NEW
    page = member.get(again.location).text
    assert NOTICE in page
    assert {name: fields_of(page)[name] for name in TYPED} == TYPED
    assert fields_of(page)["id"] == fields["id"]
    assert site.container.manage_keys().list_all(OPERATOR) == ()
    assert member.send(NEW, **(fields_of(page) | {"daily_limit": "5"})).status_code == 201


def test_another_member_does_not_see_it(site: Site, member: Visitor) -> None:
    """Even in the same browser."""
    fields = fields_of(member.get(NEW).text) | TYPED
    end_sessions(site)
    member.send(NEW, **fields)

    member.sign_in(OTHER_EMAIL, onwards=NEW)

    assert_no_draft(member)
    member.sign_in(EMAIL, onwards=NEW)
    assert_no_draft(member)


def test_nothing_is_kept_after_signing_out(site: Site, member: Visitor) -> None:
    """Neither by a form that was still open, nor of a draft that waited."""
    fields = fields_of(member.get(NEW).text) | TYPED
    member.fill_in("/settings/sign-out")

    answer = member.send(NEW, **fields)

    assert "You are not signed in. Nothing was changed." in member.get(answer.location).text
    member.sign_in(onwards=NEW)
    assert_no_draft(member)
    with_draft(site, member)
    member.fill_in("/settings/sign-out")
    member.sign_in(onwards=NEW)
    assert_no_draft(member)


@pytest.mark.parametrize("token", ["", "x.y", "of another session", "before the sign-in"])
def test_a_form_that_is_not_of_the_ended_session_leaves_nothing(
    site: Site, member: Visitor, token: str
) -> None:
    """Nobody else fills in a member's form."""
    if token == "of another session":
        token = fields_of(a_member(site).get(NEW).text)["csrf_token"]
    elif token == "before the sign-in":
        token = fields_of(Visitor(site).get("/settings/sign-in").text)["csrf_token"]
    end_sessions(site)

    member.send(NEW, **TYPED, csrf_token=token)

    member.sign_in(onwards=NEW)
    assert_no_draft(member)


def test_neither_password_nor_key_is_kept(site: Site, member: Visitor) -> None:
    """Nor the token against forged forms: the cookie of a browser is no place for them."""
    key = site.make_key().token.text
    cases = {
        "/settings/password": {"present": PASSWORD, "password": "new one", "repeated": "new one"},
        NEW: {"name": f"the key {key}", "daily_limit": "7"},
    }
    for path, typed in cases.items():
        fields = fields_of(member.get(path).text) | typed
        end_sessions(site)
        member.send(path, **fields)

        kept = decoded_cookie(site, member)

        for secret in (key, PASSWORD, "new one", fields["csrf_token"]):
            assert secret not in kept
        member.sign_in(onwards=path)
    assert fields_of(member.get(NEW).text)["daily_limit"] == "7"
    assert not fields_of(member.get(NEW).text)["name"]


def test_no_field_for_a_password_is_ever_kept() -> None:
    """The list of names has every one that a form of the settings has."""
    of_forms = [
        each
        for each in vars(forms).values()
        if isinstance(each, type) and issubclass(each, forms.PageForm)
    ]
    found = {
        name
        for form in of_forms
        for name in dir(form)
        if getattr(getattr(form, name), "field_class", None) is PasswordField
    }

    assert found
    assert found <= _NEVER_KEPT


def test_a_long_text_is_not_kept_and_breaks_nothing(site: Site, member: Visitor) -> None:
    """A cookie would not hold it; the sign-in says that it has to be typed again."""
    fields = fields_of(member.get(NEW).text)
    end_sessions(site)

    answer = member.send(NEW, **(fields | {"name": "n" * LONGEST_DRAFT}))

    assert "Nothing was changed. Sign in again." in member.get(answer.location).text
    member.sign_in(onwards=NEW)
    assert_no_draft(member)


def test_the_longest_draft_fits_into_the_cookie(site: Site, member: Visitor) -> None:
    """Text that cannot be compressed, in letters that take several bytes."""
    fields = fields_of(member.get(NEW).text)
    text = "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(270))
    end_sessions(site)

    member.send(NEW, **(fields | {"name": text}))

    cookie = member.cookie("evref_forms")
    assert cookie is not None
    assert len(cookie) < 4000
    member.sign_in(onwards=NEW)
    assert fields_of(member.get(NEW).text)["name"] == text


def with_draft(site: Site, member: Visitor) -> None:
    """Leave a draft of a new key, which the member's next page may show."""
    fields = fields_of(member.get(NEW).text) | TYPED
    end_sessions(site)
    member.send(NEW, **fields)
    member.sign_in(onwards=NEW)


def assert_no_draft(member: Visitor) -> None:
    page = member.get(NEW).text
    assert NOTICE not in page
    assert fields_of(page)["name"] == ""
    assert fields_of(page)["daily_limit"] == "1000"


def decoded_cookie(site: Site, member: Visitor) -> str:
    """What the signed cookie of forms says to anybody who has the browser."""
    interface = site.app.session_interface
    serializer = interface.get_signing_serializer(site.app)  # type: ignore[attr-defined]
    return str(serializer.loads(member.cookie("evref_forms")))
