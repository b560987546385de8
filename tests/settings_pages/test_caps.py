"""The caps of the operator, as members meet them."""

import pytest

from evref.domain.access.caps import KeyCaps
from evref.testing.builders import OPERATOR
from tests.institutions import institution_id
from tests.settings_pages.site import INSTITUTION, Site
from tests.settings_pages.visitor import Visitor, text_of

KEY = "/settings/api-keys/0123456789abcdef"
SENTENCE = (
    "Your operator allows at most 1 live keys; 500 requests a day for one key; "
    "800 a day for all keys together."
)


@pytest.fixture(autouse=True)
def _capped(site: Site) -> None:
    """The institution has the only key that it may have."""
    keys, institution = site.container.manage_keys(), institution_id(site.container, INSTITUTION)
    keys.create(
        OPERATOR, institution, name="Ward app", daily_limit=300, key_id=KEY.rpartition("/")[2]
    )
    keys.set_caps(OPERATOR, institution, KeyCaps(1, 500, 800))


def test_members_see_the_caps_and_cannot_exceed_them(site: Site, member: Visitor) -> None:
    before = site.audit_log()
    for path in ("/settings/api-keys", "/settings/api-keys/new", KEY):
        assert SENTENCE in text_of(member.get(path).text)

    created = member.fill_in("/settings/api-keys/new", name="Second")
    raised = member.fill_in(KEY, daily_limit="501")

    assert created.status_code == raised.status_code == 422
    assert "at most 1 live keys, and there are 1 others." in created.text
    assert "at most 500 requests a day for one key." in raised.text
    assert site.audit_log() == before


def test_a_key_beyond_a_cap_lives_on_and_cannot_be_rotated(site: Site, member: Visitor) -> None:
    site.container.manage_keys().set_caps(
        OPERATOR, institution_id(site.container, INSTITUTION), KeyCaps(highest_daily_limit=100)
    )

    rotated = member.fill_in(f"{KEY}/rotate")
    lowered = member.fill_in(KEY, daily_limit="200")

    assert rotated.status_code == 422
    assert "at most 100 requests a day for one key." in rotated.text
    assert lowered.status_code == 303
    log = text_of(member.get("/settings/audit-log").text)
    assert "most keys from 1 to none, highest daily limit from 500 to 100" in log
