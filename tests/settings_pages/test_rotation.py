"""Rotating, revoking and finding keys, and how pages show a key's state."""

import re
from datetime import date
from html import unescape

import pytest

from evref.domain.access.key import KeyState, Permission
from evref.testing.builders import OPERATOR
from tests.settings_pages.site import EMAIL, Site
from tests.settings_pages.test_api_keys import ask_with
from tests.settings_pages.visitor import Visitor, a_member, fields_of, key_on, shows_a_key, text_of

KEYS = "/settings/api-keys"


def test_a_rotated_key_says_when_the_old_secret_ends(site: Site, member: Visitor) -> None:
    made = site.new_key("Ward app")
    path = f"{KEYS}/{made.key.id}"

    answer = member.fill_in(f"{path}/rotate", keep_old_for="24")

    new = key_on(answer.text)
    message = f"The previous key …{made.token.last_four} works until 21 November 2026, 09:30 UTC"
    assert answer.status_code == 201
    assert f'curl -H "Authorization: Bearer {new}" {site.settings.base_url}' in unescape(
        answer.text
    )
    for page in (answer.text, member.get(path).text):
        assert message in text_of(page)
    assert f"and the previous key …{made.token.last_four} stop" in text_of(
        member.get(f"{path}/revoke").text
    )
    assert [ask_with(site, key) for key in (new, made.token.text)] == [200, 200]
    site.clock.advance(hours=24)
    assert "The previous key" not in a_member(site).get(path).text


def test_the_old_key_can_be_ended_later_without_a_new_one(site: Site, member: Visitor) -> None:
    made = site.new_key("Ward app")
    path = f"{KEYS}/{made.key.id}"
    new = key_on(member.fill_in(f"{path}/rotate", keep_old_for="24").text)
    assert "End the previous secret now" in text_of(member.get(path).text)
    fields = fields_of(member.get(f"{path}/end-previous").text)

    answers = [member.send(f"{path}/end-previous", **fields) for _ in range(2)]

    assert [(answer.status_code, answer.location) for answer in answers] == [(303, path)] * 2
    assert "The previous secret has already ended. Nothing was changed." in text_of(
        member.get(path).text
    )
    assert [ask_with(site, key) for key in (new, made.token.text)] == [200, 401]
    changed = [entry for entry in site.audit_log() if entry.action == "key_changed"]
    assert [entry.detail for entry in changed] == [f"…{made.token.last_four} ended"]


def test_revoking_asks_first_and_is_final(site: Site, member: Visitor) -> None:
    made = site.new_key("Ward app")
    path = f"{KEYS}/{made.key.id}"
    opened = {
        form: fields_of(member.get(form).text)
        for form in (path, f"{path}/rotate", f"{path}/revoke")
    }

    answer = member.fill_in(f"{path}/revoke")

    assert (answer.status_code, answer.location) == (303, path)
    page = member.get(path).text
    assert "The key is revoked." in page
    assert fields_of(page) == {}
    assert ask_with(site, made.token.text) == 401
    entries = site.audit_log()
    assert (entries[0].actor, entries[0].action) == (EMAIL, "key_revoked")
    for form, fields in opened.items():
        late = member.send(form, **fields)
        assert (late.status_code, late.location) == (303, path)
        assert "The key is already revoked." in member.get(path).text
    assert site.audit_log() == entries


STATES = {
    KeyState.ACTIVE: ("✓ Active", ""),
    KeyState.NEAR_LIMIT: ("▲ Near limit", "At least 80% of today's limit is used."),
    KeyState.LIMIT_REACHED: ("■ Limit reached", "Further requests are refused until 00:00 UTC."),
    KeyState.NO_ACCESS: (
        "‖ No access (paused)",
        "Requests refused because the key has no access are not counted.",
    ),
    KeyState.EXPIRES_SOON: (
        "◑ Expires soon",
        "The key stops working at the end of 4 December 2026 (UTC).",
    ),
    KeyState.EXPIRED: ("○ Expired", "It works again if you change its expiry."),
    KeyState.REVOKED: ("✕ Revoked", "Revoking is final."),
}


def furnish(site: Site) -> dict[KeyState, str]:
    """Create a key in each state, named after it in capitals; return their ids."""
    site.clock.advance(days=-2)
    expired = site.new_key("EXPIRED", expires_on=site.clock.now().date())
    site.clock.advance(days=2)
    near, reached = site.new_key("NEAR_LIMIT", limit=10), site.new_key("LIMIT_REACHED", limit=10)
    site.use_key(near, 8)
    site.use_key(reached, 11)
    revoked = site.new_key("REVOKED")
    site.container.manage_keys().revoke(OPERATOR, revoked.key.id)
    made = {
        KeyState.ACTIVE: site.new_key("ACTIVE", expires_on=date(2026, 12, 5)),
        KeyState.NEAR_LIMIT: near,
        KeyState.LIMIT_REACHED: reached,
        KeyState.NO_ACCESS: site.new_key("NO_ACCESS", permission=Permission.NONE),
        KeyState.EXPIRES_SOON: site.new_key("EXPIRES_SOON", expires_on=date(2026, 12, 4)),
        KeyState.EXPIRED: expired,
        KeyState.REVOKED: revoked,
    }
    return {state: new_key.key.id for state, new_key in made.items()}


def test_every_state_is_named_in_words_and_with_a_sign(site: Site) -> None:
    ids = furnish(site)
    assert set(ids) == set(KeyState)
    member = a_member(site)

    rows = [text_of(row) for row in re.findall("<tr.*?</tr>", member.get(KEYS).text, re.DOTALL)]

    for state, key_id in ids.items():
        shown, meaning = STATES[state]
        (row,) = [row for row in rows if row.startswith(f"{state.name} ")]
        assert row.endswith(shown)
        page = text_of(member.get(f"{KEYS}/{key_id}").text)
        assert shown in page
        assert meaning in page


@pytest.fixture
def many(site: Site) -> Site:
    """Return a site with so many keys that its list has a search field."""
    furnish(site)
    # Words longer than the last four characters of a key, which are found too.
    for word in ("first", "second", "third", "fourth", "fifth", "sixth"):
        site.new_key(f"Étude {word}")
    return site


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("etude third", ["Étude third"]),
        ("  NEAR   limit ", ["NEAR_LIMIT"]),
        ("paused", ["NO_ACCESS"]),
        ("expire", ["EXPIRES_SOON", "EXPIRED"]),
        ("unicorn", []),
        ("<b>", []),
    ],
)
def test_keys_are_found_by_words_of_name_and_state(many: Site, q: str, names: list[str]) -> None:
    """Case and accents do not matter."""
    answer = a_member(many).get(KEYS, query_string={"q": q})

    shown = re.findall(r'<th role="rowheader" scope="row"><a [^>]*>([^<]*)<', answer.text)
    assert shown == names
    assert f"{len(names)} of 13 keys." in text_of(answer.text)
    assert ("No key contains all of these words." in answer.text) == (not names)
    assert fields_of(answer.text)["q"] == " ".join(q.split())


def test_a_key_is_found_by_its_last_four_characters(many: Site) -> None:
    made = many.new_key("Ward app")

    for q in (made.token.last_four, f"…{made.token.last_four}"):
        page = a_member(many).get(KEYS, query_string={"q": q}).text
        assert "Ward app" in page


def test_a_whole_key_that_is_searched_for_is_not_repeated(many: Site) -> None:
    made = many.new_key("Ward app")

    page = a_member(many).get(KEYS, query_string={"q": made.token.text}).text

    assert not shows_a_key(page)
    assert "q, which must not contain an API key" in page
