"""What the settings pages show to readers: their own password, and nothing about keys."""

import pytest

from evref.domain.principal import Role
from tests.settings_pages.site import COLLEAGUE, Site, in_memory
from tests.settings_pages.test_forms import FORMS, site_with_forms
from tests.settings_pages.test_viewers import changing
from tests.settings_pages.visitor import Visitor, a_member, fields_of, text_of

ENTRY = "/catalogue/knee-osteoarthritis"
REFUSED = "This page is not for readers"
DAY = 24 * 3600


@pytest.fixture
def site() -> Site:
    site = site_with_forms(in_memory())
    site.add_member(COLLEAGUE, Role.READER)
    return site


@pytest.fixture
def reader(site: Site) -> Visitor:
    return a_member(site, COLLEAGUE)


def test_no_page_for_readers_mentions_keys(site: Site) -> None:
    reader = Visitor(site)
    form, entry = reader.get(reader.get(ENTRY).location), a_member(site, COLLEAGUE).get(ENTRY)

    assert "Sign in to read it" in text_of(form.text)
    for page in (form, entry):
        assert page.status_code == 200
        assert "API key" not in page.text
        assert "Institution settings" not in page.text
    assert "/settings/api-keys" not in entry.text


def test_a_reader_is_refused_everything_of_the_institution(site: Site, reader: Visitor) -> None:
    token = fields_of(reader.get("/settings/password").text)["csrf_token"]
    before = (site.audit_log(), site.members())
    pages = ["/settings/api-keys", "/settings/members", "/settings/audit-log", *changing()]

    answers = [reader.get(path) for path in pages]
    answers += [
        reader.send(path, **FORMS[path] | {"csrf_token": token}) for path in pages if path in FORMS
    ]

    for answer in answers:
        assert answer.status_code == 403
        assert REFUSED in answer.text
        assert "key" not in text_of(answer.text).lower()
    assert (site.audit_log(), site.members()) == before


def test_a_reader_starts_in_the_catalogue(reader: Visitor) -> None:
    assert reader.get("/settings").location == "/catalogue"


def test_a_reader_s_session_lasts_thirty_days_from_its_beginning(
    site: Site, reader: Visitor
) -> None:
    again = Visitor(site)
    signed_in = again.sign_in(COLLEAGUE)
    (cookie,) = [
        cookie for cookie in signed_in.headers.getlist("Set-Cookie") if "session=" in cookie
    ]
    assert f"Max-Age={30 * DAY}" in cookie

    site.clock.advance(seconds=30 * DAY - 1)
    assert reader.get(ENTRY).status_code == 200
    site.clock.advance(seconds=1)
    assert reader.get(ENTRY).status_code == 303
