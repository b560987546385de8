"""The operator's caps on the keys of an institution."""

from datetime import date, timedelta

import pytest

from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey
from evref.domain.errors import InvalidValueError
from evref.testing.builders import NOON, a_key, a_secret

TODAY = NOON.date()
OTHERS = (
    a_key("k2", limit=600),
    a_key("k3", limit=300),
    a_key("k4", limit=5000, revoked_at=NOON),
    a_key("k5", limit=5000, expires_on=TODAY - timedelta(days=1)),
)
KEY = a_key("k1", limit=100)
CAPS = KeyCaps(most_keys=3, highest_daily_limit=500, total_daily_limit=1000)
TIGHT = KeyCaps(most_keys=2, highest_daily_limit=50, total_daily_limit=500)
EXPIRED = a_key("k1", limit=100, expires_on=TODAY - timedelta(days=1))
TOTAL = (
    "The cap of the institution allows at most 500 requests a day for all keys together, of which "
    "0 are left "
    "for this key."
)
ROTATED = KEY.rotated(a_secret("two"), timedelta(0), NOON)


@pytest.mark.parametrize(
    ("caps", "before", "after"),
    [
        (CAPS, None, KEY),
        (KeyCaps(), None, a_key("k1", limit=10_000_000)),
        (TIGHT, KEY, ROTATED),
        (TIGHT, KEY, KEY.changed(daily_limit=99)),
        (TIGHT, KEY, KEY.changed(name="Other", expires_on=date(2030, 1, 1))),
        (TIGHT, KEY, KEY.revoked(NOON)),
        (KeyCaps(most_keys=2), KEY, KEY.changed(daily_limit=200)),
        (TIGHT, None, EXPIRED),
    ],
)
def test_a_change_that_no_cap_forbids_is_allowed(
    caps: KeyCaps, before: ApiKey | None, after: ApiKey
) -> None:
    """Keys that no longer work do not count, and an existing key beyond a cap may stay."""
    caps.check(before, after, [*OTHERS, after], TODAY)


@pytest.mark.parametrize(
    ("before", "after"),
    [(None, KEY), (EXPIRED, KEY)],
    ids=["created", "valid again"],
)
def test_every_cap_that_a_key_would_exceed_is_named(before: ApiKey | None, after: ApiKey) -> None:
    with pytest.raises(InvalidValueError) as caught:
        TIGHT.check(before, after, [*OTHERS, after], TODAY)

    assert [(fault.field, fault.message) for fault in caught.value.faults] == [
        (
            "keys",
            "The cap of the institution allows at most 2 keys at a time. Revoke one first.",
        ),
        ("daily_limit", "The cap of the institution allows at most 50 requests a day for one key."),
        ("daily_limit", TOTAL),
    ]


def test_a_raised_limit_is_checked_against_the_caps_on_limits() -> None:
    with pytest.raises(InvalidValueError, match="1,000 requests a day for all keys together"):
        CAPS.check(KEY, KEY.changed(daily_limit=101), [*OTHERS, KEY], TODAY)
    with pytest.raises(InvalidValueError, match="at most 1 request a day for one key"):
        KeyCaps(highest_daily_limit=1).check(None, KEY, [KEY], TODAY)


@pytest.mark.parametrize("cap", [{"most_keys": -1}, {"highest_daily_limit": 2_000_000_001}])
def test_a_cap_out_of_range_is_rejected(cap: dict[str, int]) -> None:
    with pytest.raises(InvalidValueError, match=next(iter(cap))):
        KeyCaps(**cap)
