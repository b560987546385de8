"""Viewers see everything of their institution, readers nothing, and neither changes it."""

import pytest

from evref.domain.principal import Role
from tests.settings_pages.site import COLLEAGUE, EMAIL, Site, in_memory
from tests.settings_pages.test_forms import FORMS, KEY_ID, site_with_forms
from tests.settings_pages.visitor import Visitor, a_member, fields_of, text_of

ENTRY = "/catalogue/knee-osteoarthritis"
READER = "reader@example.org"
NOT_FOR_READERS = "This page is not for readers"
DAY = 24 * 3600
REFUSED = "Only an admin of your institution can change this"
OWN = {"/settings/sign-in", "/settings/sign-out", "/settings/password"}


@pytest.fixture
def site() -> Site:
    site = site_with_forms(in_memory())
    site.add_member(COLLEAGUE, Role.VIEWER)
    site.add_member(READER, Role.READER)
    return site


@pytest.fixture
def viewer(site: Site) -> Visitor:
    return a_member(site, COLLEAGUE)


@pytest.fixture
def reader(site: Site) -> Visitor:
    return a_member(site, READER)


def changing() -> list[str]:
    """Return the forms that change something of the institution."""
    return [path for path in FORMS if path not in OWN and "/invitation/" not in path]


def test_a_viewer_gets_no_form_and_a_forged_one_changes_nothing(
    site: Site, viewer: Visitor
) -> None:
    """Requests with a valid token and every field are refused too.

    The page of a key has no forms; pages that consist of a form are refused.
    """
    token = fields_of(viewer.get("/settings/password").text)["csrf_token"]
    before = (site.audit_log(), site.members(), site.container.storage().keys.get(KEY_ID))

    for path in changing():
        page = viewer.get(path)
        assert page.status_code == (200 if path.endswith(KEY_ID) else 403)
        assert fields_of(page.text) == {}
        assert viewer.head(path).status_code == page.status_code
        for fields in ({}, {"csrf_token": token}, FORMS[path] | {"csrf_token": token}):
            answer = viewer.send(path, **fields)
            assert answer.status_code == 403
            assert REFUSED in answer.text
            assert "Nothing was changed." in answer.text
    assert (site.audit_log(), site.members(), site.container.storage().keys.get(KEY_ID)) == before


def test_a_viewer_sees_keys_members_and_the_audit_log(viewer: Visitor) -> None:
    for path in ("/settings/api-keys", f"/settings/api-keys/{KEY_ID}", "/settings/members",
                 "/settings/institution", "/settings/audit-log", "/settings/password"):  # fmt: skip
        answer = viewer.get(path)
        assert answer.status_code == 200
        assert f"{COLLEAGUE} General Hospital · viewer" in text_of(answer.text)
        for refused in changing():
            if not refused.endswith(KEY_ID):
                assert f'href="{refused}"' not in answer.text
    assert "Ward app" in viewer.get("/settings/api-keys").text
    assert EMAIL in viewer.get("/settings/members").text


def test_no_page_for_readers_mentions_keys(site: Site) -> None:
    reader = Visitor(site)
    form, entry = reader.get(reader.get(ENTRY).location), a_member(site, READER).get(ENTRY)

    assert "Sign in to read it" in text_of(form.text)
    for page in (form, entry):
        assert page.status_code == 200
        assert "API key" not in page.text
        assert "Institution settings" not in page.text
    assert "/settings/api-keys" not in entry.text


def test_a_reader_is_refused_everything_of_the_institution(reader: Visitor) -> None:
    for path in ("/settings/api-keys", "/settings/members", "/settings/audit-log", *changing()):
        answer = reader.get(path)
        assert answer.status_code == 403
        assert NOT_FOR_READERS in answer.text
        assert "key" not in text_of(answer.text).lower()


def test_a_reader_starts_in_the_catalogue(reader: Visitor) -> None:
    assert reader.get("/settings").location == "/catalogue"


def test_a_reader_s_session_lasts_thirty_days_from_its_beginning(
    site: Site, reader: Visitor
) -> None:
    again = Visitor(site)
    signed_in = again.sign_in(READER)
    (cookie,) = [
        cookie for cookie in signed_in.headers.getlist("Set-Cookie") if "session=" in cookie
    ]
    assert f"Max-Age={30 * DAY}" in cookie

    site.clock.advance(seconds=30 * DAY - 1)
    assert reader.get(ENTRY).status_code == 200
    site.clock.advance(seconds=1)
    assert reader.get(ENTRY).status_code == 303
