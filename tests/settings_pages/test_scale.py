"""The pages of an institution with many keys, and of two tabs that change the same key."""

import re

import pytest

from tests.settings_pages.site import Site
from tests.settings_pages.visitor import Visitor, fields_of, text_of

KEYS = "/settings/api-keys"


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


def test_the_second_of_two_tabs_with_the_same_values_changes_nothing(
    site: Site, member: Visitor
) -> None:
    path = f"{KEYS}/{site.new_key(limit=1000).key.id}"
    second = fields_of(member.get(path).text) | {"daily_limit": "500"}
    member.send(path, **second)

    assert member.send(path, **second).status_code == 303
    assert "Nothing was changed." in member.get(path).text
