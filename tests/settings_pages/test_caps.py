"""How the pages show and enforce the operator's caps."""

from dataclasses import asdict

import pytest

from evref.domain.access.caps import KeyCaps
from evref.testing.builders import OPERATOR, a_key
from tests.settings_pages.site import OTHER_EMAIL, OTHER_INSTITUTION, Site
from tests.settings_pages.visitor import Visitor, a_member, fields_of, text_of

KEY = "/settings/api-keys/0123456789abcdef"


@pytest.fixture(autouse=True)
def _capped(site: Site) -> None:
    """Let the institution have only the key that it has."""
    keys, institution = site.container.manage_keys(), site.institution_id()
    with site.container.storage().changes(OPERATOR, site.clock.now()) as changes:
        changes.keys.add(a_key(KEY.rpartition("/")[2], institution_id=institution, limit=300))
    keys.set_caps(OPERATOR, institution, **asdict(KeyCaps(1, 500, 800)))


def test_members_see_the_caps_and_cannot_exceed_them(site: Site, member: Visitor) -> None:
    before = site.audit_log()
    for path in ("/settings/institution", "/settings/api-keys/new"):
        page = text_of(member.get(path).text)
        for shown in ("1 of 1 live key", "300 of 800 requests a day given out", "500 requests a"):
            assert shown in page

    new = member.get("/settings/api-keys/new").text
    sent = {"csrf_token": fields_of(member.get(KEY).text)["csrf_token"]}
    fields = {"name": "Second", "permission": "read", "daily_limit": "1", "expiry": "never"}
    created = member.send("/settings/api-keys/new", **sent, **fields)
    raised = member.fill_in(KEY, daily_limit="501")

    assert fields_of(new) == {}
    assert "No further key can be created" in new
    assert created.status_code == raised.status_code == 422
    assert (
        "The cap of the institution allows at most 1 key at a time. Revoke one first."
        in created.text
    )
    assert "at most 500 requests a day for one key." in raised.text
    assert site.audit_log() == before


@pytest.mark.parametrize(
    ("caps", "prefilled", "sentence"),
    [
        (KeyCaps(2, 500, 800), "500", "The limit of a new key can be 500 at most."),
        (KeyCaps(total_daily_limit=700), "400", "The limit of a new key can be 400 at most."),
    ],
)
def test_the_form_of_a_key_says_beforehand_what_is_left(
    site: Site, member: Visitor, caps: KeyCaps, prefilled: str, sentence: str
) -> None:
    """The form suggests a limit that is allowed."""
    institution = site.institution_id()
    site.container.manage_keys().set_caps(OPERATOR, institution, **asdict(caps))

    page = member.get("/settings/api-keys/new").text

    assert sentence in text_of(page)
    assert fields_of(page)["daily_limit"] == prefilled
    assert member.fill_in("/settings/api-keys/new", name="Second").status_code == 201


@pytest.mark.parametrize("caps", [KeyCaps(most_keys=1), KeyCaps(total_daily_limit=300)])
def test_a_cap_that_is_used_up_exactly_says_so_in_place_of_the_form(
    site: Site, member: Visitor, caps: KeyCaps
) -> None:
    institution = site.institution_id()
    none = dict.fromkeys(asdict(caps))
    site.container.manage_keys().set_caps(OPERATOR, institution, **{**none, **asdict(caps)})

    page = member.get("/settings/api-keys/new").text

    assert fields_of(page) == {}
    assert "No further key can be created" in page


def test_the_section_institution_says_what_is_not_restricted(site: Site) -> None:
    institutions = site.container.manage_institutions()
    other = institutions.institution_named(OPERATOR, OTHER_INSTITUTION)
    site.container.manage_institutions().set_sign_in(OPERATOR, other.id, domains=("example.com",))

    page = text_of(a_member(site, OTHER_EMAIL).get("/settings/institution").text)

    assert "0 live keys; any number is allowed" in page
    assert "0 requests a day given out; any number is allowed" in page
    assert "signs in people with an address of example.com" in page
