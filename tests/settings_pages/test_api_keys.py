"""The pages of API keys: their forms, what these ask before they save, and long lists."""

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

    assert again.status_code == 422
    assert f"The key …{made.last_four} has this name too." in again.text
    assert site.only_key() == made
    assert shows_a_key(first.text)
    key = f"{KEYS}/{made.id}"
    for path in (KEYS, NEW, key, f"{key}/rotate", "/settings/audit-log"):
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
    site.container.storage().admission.admit(site.new_key(name).token.digest, MORNING)
    path = f"{KEYS}/{made.id}"

    pages = [answer.text] + [
        member.get(page_path).text
        for page_path in (KEYS, path, f"{path}/rotate", f"{path}/revoke", "/settings/audit-log")
    ]

    for page in pages:
        assert name in unescape(page)
        assert "<script>" not in page
        assert "<img src=x" not in page


@pytest.mark.parametrize("field", ["name", "daily_limit", "expires_on"])
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


def send_again(member: Visitor, path: str, page: str) -> int:
    return member.send(path, **fields_of(page)).status_code


@pytest.mark.parametrize(
    ("days_ago", "warning"),
    [
        (0, "It used 37 today: requests are refused from now on."),
        (29, "It used 37 on the busiest of the last 30 days: on such a day, requests are refused."),
    ],
)
def test_a_limit_below_the_use_is_asked_about_first(
    site: Site, member: Visitor, days_ago: int, warning: str
) -> None:
    made = site.new_key()
    site.use_key(made, 37, days_ago=days_ago)
    path = f"{KEYS}/{made.key.id}"

    asked = member.fill_in(path, daily_limit="36")

    assert asked.status_code == 422
    assert f"{warning} To confirm, send the form again." in text_of(asked.text)
    assert site.only_key().daily_limit == 1000
    assert send_again(member, path, asked.text) == 303
    assert site.only_key().daily_limit == 36


@pytest.mark.parametrize("days_ago", [0, 30])
def test_a_limit_that_the_use_does_not_exceed_is_saved(
    site: Site, member: Visitor, days_ago: int
) -> None:
    """Another field of a key whose limit is already lower is saved too."""
    made = site.new_key()
    site.use_key(made, 37, days_ago=days_ago)
    path = f"{KEYS}/{made.key.id}"

    assert member.fill_in(path, daily_limit="37" if days_ago == 0 else "5").status_code == 303
    assert member.fill_in(path, name="Other").status_code == 303


def test_a_name_that_another_live_key_has_is_accepted_after_a_warning(
    site: Site, member: Visitor
) -> None:
    other = site.new_key("Ward app").key
    warning = f"The key …{other.last_four} has this name too. To confirm, send the form again."

    asked = member.fill_in(f"{KEYS}/new", name=" ward APP")

    assert asked.status_code == 422
    assert warning in text_of(asked.text)
    assert send_again(member, f"{KEYS}/new", asked.text) == 201
    third = site.new_key("Third").key
    renamed = member.fill_in(f"{KEYS}/{third.id}", name="Ward app")
    assert renamed.status_code == 422
    assert send_again(member, f"{KEYS}/{third.id}", renamed.text) == 303


def test_the_name_of_a_key_that_no_longer_works_or_of_the_key_itself_is_free(
    site: Site, member: Visitor
) -> None:
    other = site.new_key("Ward app").key
    assert member.fill_in(f"{KEYS}/{other.id}/revoke").status_code == 303

    assert member.fill_in(f"{KEYS}/new", name="Ward app").status_code == 201
    made = site.new_key("Other").key
    assert member.fill_in(f"{KEYS}/{made.id}", name="Other", daily_limit="7").status_code == 303


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"daily_limit": "0"}, "its daily limit is 0"),
        ({"permission": Permission.NONE.value}, "its permission level is “No access (paused)”"),
    ],
)
def test_a_secret_that_opens_nothing_says_so(
    member: Visitor, given: dict[str, str], reason: str
) -> None:
    created = member.fill_in(f"{KEYS}/new", name="Paused", **given)

    assert key_on(created.text)
    assert f"The key opens nothing: {reason}." in text_of(created.text)


def test_the_rule_of_passwords_stands_beside_the_field(member: Visitor) -> None:
    assert "8 to 1,024 characters of any kind" in text_of(member.get("/settings/password").text)


def names(page: str) -> list[str]:
    """Return the names of the keys on a page, in order."""
    return re.findall(r'scope="row"><a href="[^"]*">([^<]*)<', page)


def test_many_keys_are_listed_newest_first_in_pages_of_fifty(site: Site, member: Visitor) -> None:
    for number in range(103):
        site.new_key(f"Key {number:03}")
        site.clock.advance(seconds=1)
    used = site.new_key("Often used")
    site.use_key(used, 5)

    first, last = member.get(KEYS).text, member.get(f"{KEYS}?page=3").text

    assert names(first) == ["Often used", *(f"Key {n:03}" for n in range(102, 53, -1))]
    assert names(last) == [f"Key {n:03}" for n in range(3, -1, -1)]
    assert names(member.get(f"{KEYS}?page=99").text) == names(last)
    assert names(member.get(f"{KEYS}?sort=name").text)[0] == "Key 000"
    assert names(member.get(f"{KEYS}?sort=use&q=often").text) == ["Often used"]
    assert "must be one of" in text_of(member.get(f"{KEYS}?sort=secret").text)


@pytest.mark.parametrize("version", [None, "", "0" * 16, "[" * 9000])
def test_a_save_of_an_older_version_shows_both_and_saves_nothing(
    site: Site, member: Visitor, version: str | None
) -> None:
    path = f"{KEYS}/{site.new_key(limit=1000).key.id}"
    second = fields_of(member.get(path).text)
    if version is not None:
        second["version"] = version
    member.fill_in(path, daily_limit="500", permission="none", expiry="30")

    typed = {"name": "Other", "daily_limit": "700", "permission": "none", "expiry": "90"}
    refused = member.send(path, **second | typed)

    text = text_of(refused.text)
    assert refused.status_code == 422
    assert "Somebody else has changed this since you opened the page. Nothing was saved." in text
    for saved in ("Saved now: Ward app.", "Saved now: 500.", "Saved now: 20 December 2026."):
        assert saved in text
    assert "Saved now: No access" not in text
    assert site.container.storage().keys.list()[0].daily_limit == 500
    again = fields_of(refused.text)
    assert again | typed == again
    assert member.send(path, **again).status_code == 303
    key = site.container.storage().keys.list()[0]
    assert (key.name, key.daily_limit, key.permission.value) == ("Other", 700, "none")
