"""Tokens of API keys, and the limits, states and changes of keys."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.access.key import ApiKey, KeyToken, Permission
from evref.domain.errors import InvalidApiKeyError, InvalidValueError, KeyRevokedError
from evref.testing.builders import NOON, a_key

BASE_62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TODAY = NOON.date()
secrets = st.integers(0, 62**40 - 1)


@pytest.fixture
def token() -> str:
    return KeyToken.make(0x5EED << 200).text


def is_rejected(text: str) -> bool:
    try:
        KeyToken(text)
    except InvalidApiKeyError:
        return True
    return False


def test_the_format_of_tokens_does_not_change() -> None:
    """Clients store keys, so the format must never change."""
    token = KeyToken.make(123456789)

    assert token.text == "evref_000000000000000000000000000000000008M0kX0cNDse"
    assert token.digest == "b882b7b9d0a2974b597b0242e87c447ef4e1913b0dea0ed1039de4a80fa5f187"
    assert token.last_four == "NDse"


def test_any_single_changed_character_is_rejected(token: str) -> None:
    changed = [
        token[:place] + other + token[place + 1 :]
        for place in range(len(token))
        for other in f"{BASE_62}_- \n\u0661"
        if other != token[place]
    ]

    assert [text for text in changed if not is_rejected(text)] == []


@given(st.text() | st.text(BASE_62, min_size=46, max_size=46).map("evref_{}".format))
@example("")
@example("evref_")
@example("\ud800")
def test_a_malformed_token_is_rejected(text: str) -> None:
    assert is_rejected(text)


@given(secrets)
def test_the_representation_never_shows_the_secret(secret: int) -> None:
    token = KeyToken.make(secret)
    shown = f"{token!r} {token} {[token]}"

    assert not any(token.text[start : start + 5] in shown for start in range(6, 48))


@pytest.mark.parametrize("limit", [-1, 10_000_001, -(10**20), 10**20])
def test_a_limit_out_of_range_is_rejected(limit: int) -> None:
    with pytest.raises(InvalidValueError) as caught:
        a_key(limit=limit)

    assert [fault.field for fault in caught.value.faults] == ["daily_limit"]
    assert "0 to 10,000,000" in str(caught.value)


DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("key", "admitted", "state"),
    [
        (a_key(), 0, "active"),
        (a_key(expires_on=TODAY + 15 * DAY), 0, "active"),
        (a_key(expires_on=TODAY + 14 * DAY), 0, "expires soon"),
        (a_key(expires_on=TODAY), 0, "expires soon"),
        (a_key(limit=1000), 799, "active"),
        (a_key(limit=1000), 800, "near limit"),
        (a_key(limit=1000), 999, "near limit"),
        (a_key(limit=1000), 1000, "limit reached"),
        (a_key(limit=7), 5, "active"),
        (a_key(limit=7), 6, "near limit"),
        (a_key(limit=1), 0, "active"),
        (a_key(limit=1), 1, "limit reached"),
        (a_key(limit=10_000_000), 7_999_999, "active"),
        (a_key(limit=0), 0, "no access"),
        (a_key(permission=Permission.NONE), 0, "no access"),
        (a_key(expires_on=TODAY - DAY), 0, "expired"),
        (a_key(expires_on=date.min), 0, "expired"),
        (a_key(revoked_at=NOON), 0, "revoked"),
        # If several states apply, the most important one is shown.
        (a_key(expires_on=TODAY, limit=5), 4, "near limit"),
        (a_key(expires_on=TODAY, limit=5), 5, "limit reached"),
        (a_key(expires_on=TODAY, limit=5, permission=Permission.NONE), 5, "no access"),
        (a_key(expires_on=TODAY - DAY, permission=Permission.NONE), 1000, "expired"),
        (a_key(expires_on=TODAY - DAY, limit=0, revoked_at=NOON), 1, "revoked"),
    ],
)
def test_a_key_has_the_state_that_the_contract_names(
    key: ApiKey, admitted: int, state: str
) -> None:
    key_state = key.state(TODAY, admitted)

    assert key_state.value == state
    assert key_state.has_ended is not key.is_live(TODAY)


def test_a_key_has_at_least_one_secret() -> None:
    with pytest.raises(InvalidValueError, match="secrets"):
        replace(a_key(), secrets=())


def test_the_secret_of_a_key_does_not_contain_the_token() -> None:
    token = KeyToken.make(7)
    secret = token.secret(NOON)

    assert (secret.digest, secret.last_four) == (token.digest, token.text[-4:])
    assert (secret.created_at, secret.ends_at) == (NOON, None)
    assert token.text[6:46] not in repr(secret)
    assert token.digest not in repr(secret)
    assert secret.id == token.digest[:16]
    assert secret.id not in token.text


def test_revoking_is_final() -> None:
    revoked = a_key("k7").revoked(NOON)
    with pytest.raises(InvalidApiKeyError):
        revoked.check(revoked.newest.digest, NOON)

    assert revoked.revoked_at == NOON
    with pytest.raises(KeyRevokedError, match="k7"):
        revoked.revoked(datetime(2026, 3, 2, tzinfo=UTC))
    with pytest.raises(KeyRevokedError, match="k7"):
        revoked.changed(name="Alive again")
