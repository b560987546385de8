"""What the pages ask or say before a member saves something that may be a mistake."""

import pytest

from evref.domain.access.key import Permission
from tests.settings_pages.site import Site
from tests.settings_pages.visitor import Visitor, fields_of, key_on, text_of

KEYS = "/settings/api-keys"


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
