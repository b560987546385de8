"""The pages of API keys."""

import re
from datetime import date
from html import unescape

import pytest

from evref.domain.access.key import Permission
from evref.testing.builders import OPERATOR
from tests.settings_pages.site import (
    EMAIL,
    MORNING,
    Site,
)
from tests.settings_pages.visitor import Visitor, a_member, fields_of, key_on, shows_a_key, text_of

KEYS = "/settings/api-keys"
NEW = f"{KEYS}/new"
FILLED = {"name": "Ward tablet", "daily_limit": "7", "expiry": "date", "expires_on": "2026-12-31"}


def ask_with(site: Site, key: str) -> int:
    """Return the status of an API request with this key."""
    answer = site.app.test_client().get(
        "/api/v1/diagnoses", headers={"Authorization": f"Bearer {key}"}
    )
    return answer.status_code


def test_an_institution_without_keys_is_led_to_the_first_one(member: Visitor) -> None:
    page = member.get(KEYS).text

    assert "General Hospital has no keys yet." in page
    assert NEW in page
    assert "<table" not in page


def test_a_name_and_one_click_make_a_working_key(site: Site, member: Visitor) -> None:
    assert fields_of(member.get(NEW).text)["daily_limit"] == "1000"

    answer = member.fill_in(NEW, name="Ward tablet")

    key = key_on(answer.text)
    assert answer.status_code == 201
    assert f'curl -H "Authorization: Bearer {key}" {site.settings.base_url}' in unescape(
        answer.text
    )
    assert ask_with(site, key) == 200
    made = site.only_key()
    assert (made.name, made.permission) == ("Ward tablet", Permission.READ)
    assert (made.daily_limit, made.expires_on) == (1000, date(2027, 11, 20))
    owner = site.container.manage_institutions().institution_named(OPERATOR, "General Hospital")
    assert made.institution_id == owner.id


@pytest.mark.parametrize(
    ("chosen", "shown", "last_day"),
    [
        ("never", "Never: the key works until you revoke it", None),
        ("30", "In 30 days: 20 December 2026", date(2026, 12, 20)),
        ("90", "In 90 days: 18 February 2027", date(2027, 2, 18)),
        ("365", "In 365 days: 20 November 2027", date(2027, 11, 20)),
    ],
)
def test_each_choice_of_expiry_names_its_day(
    site: Site, member: Visitor, chosen: str, shown: str, last_day: date | None
) -> None:
    """The expiry is the last day on which the key works."""
    assert shown in unescape(member.get(NEW).text)

    member.fill_in(NEW, name="Study", expiry=chosen)

    assert site.only_key().expires_on == last_day


@pytest.mark.parametrize(
    ("typed", "limit"),
    [("10,000", 10_000), ("10 000", 10_000), ("1\u00a0000\u202f000", 1_000_000), ("0012", 12)],
)
def test_a_limit_may_have_separators_of_thousands(
    site: Site, member: Visitor, typed: str, limit: int
) -> None:
    member.fill_in(NEW, name="Study", daily_limit=typed)

    assert site.only_key().daily_limit == limit


def test_a_key_is_shown_exactly_once(site: Site, member: Visitor) -> None:
    fields = fields_of(member.get(NEW).text) | {"name": "Ward tablet"}
    first = member.send(NEW, **fields)
    made = site.only_key()

    again = member.send(NEW, **fields)

    assert again.status_code == 303
    assert again.location == f"{KEYS}/{made.id}"
    assert site.only_key() == made
    assert shows_a_key(first.text)
    assert "This form has already created its key" in member.get(again.location).text
    for path in (KEYS, NEW, again.location, f"{again.location}/rotate", "/settings/audit-log"):
        assert not shows_a_key(member.get(path).text)


@pytest.mark.parametrize(
    ("field", "typed", "message"),
    [
        ("name", "", "Enter a name."),
        ("name", " ", "Enter a name."),
        ("name", "n" * 101, "Name must have 1 to 100 characters, has 101."),
        ("name", "a\nb", "Name must be a single line."),
        ("name", "a\x07b", "Name must be plain text without control characters."),
        *[
            ("daily_limit", typed, "Enter a whole number from 0 to 10,000,000.")
            for typed in (
                *("", "-1", "1.000", "1_000", "10,00", "\u0661\u0660", "10,000,001", "9" * 5000),
            )
        ],
        (
            "daily_limit",
            "1.500",
            "Type 1500 or 1,500, without a point. Enter a whole number from 0 to 10,000,000.",
        ),
        ("permission", "", "Choose a permission level."),
        ("permission", "write", "Choose a permission level."),
        ("expiry", "", "Choose when the key expires."),
        ("expiry", "31", "Choose when the key expires."),
        ("expiry", "keep", "Choose when the key expires."),
        ("expires_on", "", "Enter a date."),
        ("expires_on", "soon", "Enter a date as year, month and day: 2027-12-31."),
        ("expires_on", "2026-02-30", "Enter a date as year, month and day: 2027-12-31."),
        ("expires_on", "2026-11-19", "Enter today's date (20 November 2026, UTC) or a later one."),
    ],
)
def test_a_field_says_what_is_wrong_with_it(
    site: Site, member: Visitor, field: str, typed: str, message: str
) -> None:
    answer = member.fill_in(NEW, **(FILLED | {field: typed}))

    page = unescape(answer.text)
    shown = fields_of(answer.text)
    assert answer.status_code == 422
    assert re.search(rf'<p class="error" id="{field}-error">.*{re.escape(message)}</p>', page)
    assert re.search(rf'aria-describedby="{field}-error[ a-z_-]*" aria-invalid="true"', page)
    assert f'<a href="#{field}">' in page
    assert "<title>Error: " in page
    assert site.container.manage_keys().list_all(OPERATOR) == ()
    # Of the radio buttons none is then chosen; everything else is as it was typed.
    radio = field in {"permission", "expiry"}
    expected = {name: text for name, text in FILLED.items() if name != field}
    expected |= {} if radio else {field: typed}
    assert {name: shown.get(name) for name in expected} == expected


def test_all_faults_of_a_form_are_named_at_once(site: Site, member: Visitor) -> None:
    """A date beside a preset is an error too, because only one of them can be meant."""
    many = member.fill_in(
        NEW, name="", permission="", daily_limit="many", expiry="date", expires_on="2020-01-01"
    )
    assert len(re.findall('class="error"', many.text)) == 4

    answer = member.fill_in(NEW, name="Study", expiry="30", expires_on="2026-12-31")

    assert answer.status_code == 422
    assert "Choose “On this date”, or clear the date." in answer.text
    assert site.container.manage_keys().list_all(OPERATOR) == ()


def test_the_list_shows_the_state_of_each_key(site: Site, member: Visitor) -> None:
    made = site.new_key("Electronic record", limit=3)
    site.use_key(made, 5)
    site.new_key("Old study", expires_on=MORNING.date())
    site.clock.advance(days=1)
    site.use_key(made, 1)

    page = a_member(site).get(KEYS).text

    row = text_of(page)
    assert f"Electronic record …{made.key.last_four} Read 1 of 3 1 of 3 today" in row
    assert "today (21 November 2026) never ✓ Active" in row
    assert "Old study" in row.split("Expired and revoked")[1]
    assert "not yet yesterday (20 November 2026) ○ Expired" in row
    assert '<meter min="0" max="3" value="1"' in page


def test_a_change_holds_and_is_in_the_audit_log(site: Site, member: Visitor) -> None:
    made = site.new_key("Ward app")
    path = f"{KEYS}/{made.key.id}"

    answer = member.fill_in(path, name="Ward 3", permission="none", daily_limit="5")

    assert (answer.status_code, answer.location) == (303, path)
    assert "Saved." in member.get(path).text
    assert ask_with(site, made.token.text) == 403
    entry = site.audit_log()[0]
    assert (entry.actor, entry.key_id) == (EMAIL, made.key.id)
    assert entry.detail == (
        "name from 'Ward app' to 'Ward 3', permission from read to none, limit from 1000 to 5"
    )


@pytest.mark.parametrize(
    ("before", "chosen", "after", "message"),
    [
        (date(2026, 12, 1), "keep", date(2026, 12, 1), "Nothing was changed."),
        (date(2026, 12, 1), "never", None, "Saved. It takes effect within a second."),
        (date(2026, 12, 1), "30", date(2026, 12, 20), "Saved. It takes effect within a second."),
        (None, "keep", None, "Nothing was changed."),
        (None, "90", date(2027, 2, 18), "Saved. It takes effect within a second."),
    ],
)
def test_the_expiry_of_a_key_can_be_changed(
    *,
    site: Site,
    member: Visitor,
    before: date | None,
    chosen: str,
    after: date | None,
    message: str,
) -> None:
    made = site.new_key(expires_on=before)
    path = f"{KEYS}/{made.key.id}"
    assert fields_of(member.get(path).text)["expiry"] == "keep"
    log = len(site.audit_log())

    answer = member.fill_in(path, expiry=chosen)

    assert answer.status_code == 303
    assert message in member.get(path).text
    assert site.container.storage().keys.get(made.key.id).expires_on == after
    assert len(site.audit_log()) == log + (message != "Nothing was changed.")


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "\"'><img src=x onerror=y>", "{{7*7}}"]
)
def test_names_are_text_and_nothing_else(site: Site, member: Visitor, name: str) -> None:
    answer = member.fill_in(NEW, name=name)
    made = site.only_key()
    site.container.storage().admission.admit(
        site.new_key(name).token.digest, Permission.READ, MORNING
    )
    path = f"{KEYS}/{made.id}"

    pages = [answer.text] + [
        member.get(page_path).text
        for page_path in (KEYS, path, f"{path}/rotate", f"{path}/revoke", "/settings/audit-log")
    ]

    for page in pages:
        assert name in unescape(page)
        assert "<script>" not in page
        assert "<img src=x" not in page


@pytest.mark.parametrize("field", ["name", "daily_limit", "expires_on", "id"])
def test_a_key_in_the_place_of_something_else_is_not_repeated(
    site: Site, member: Visitor, field: str
) -> None:
    """A key pasted into the wrong field must not be stored there."""
    made = site.new_key()
    before = site.audit_log()

    answer = member.fill_in(NEW, **(FILLED | {field: made.token.text}))

    assert answer.status_code == 422
    assert made.token.text not in answer.text
    assert site.audit_log() == before
    assert ("Name must not contain an API key or its prefix." in answer.text) == (field == "name")


@pytest.mark.parametrize("field", ["permission", "expiry"])
def test_what_is_left_out_is_not_chosen(site: Site, member: Visitor, field: str) -> None:
    """Defaults fill in the form; a request that lacks the field does not get them."""
    fields = fields_of(member.get(NEW).text) | {"name": "Ward tablet"}
    del fields[field]

    answer = member.send(NEW, **fields)

    assert answer.status_code == 422
    assert f'<a href="#{field}">Choose ' in answer.text
    assert site.container.manage_keys().list_all(OPERATOR) == ()
