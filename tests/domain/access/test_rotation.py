"""Rotation of keys: which secrets are valid, and until when."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.access.key import LONGEST_OVERLAP, OVERLAPS, ApiKey
from evref.domain.errors import InvalidApiKeyError, InvalidValueError
from evref.testing.builders import NOON, a_key, a_secret

HOUR, DAY, TICK = timedelta(hours=1), timedelta(days=1), timedelta(microseconds=1)
NEVER, ZERO = datetime.max.replace(tzinfo=UTC), timedelta(0)


def rotated(key: ApiKey, name: str, keep_old_for: timedelta, instant: datetime = NOON) -> ApiKey:
    """Return the key with a secret of this name, which is also its last four characters."""
    return key.rotated(a_secret(name, last_four=name, created_at=instant), keep_old_for, instant)


def works(key: ApiKey, name: str, instant: datetime) -> bool:
    try:
        key.check(a_secret(name).digest, instant)
    except InvalidApiKeyError:
        return False
    return True


def ends(key: ApiKey) -> list[tuple[str, datetime | None]]:
    return [(old.last_four, old.ends_at) for old in key.ending_secrets(NOON)]


@pytest.fixture
def key() -> ApiKey:
    return a_key(secrets=[a_secret("aaaa", last_four="aaaa")])


def test_the_choices_are_none_an_hour_a_day_and_a_week() -> None:
    assert [overlap // HOUR for overlap in OVERLAPS] == [0, 1, 24, 168]
    assert max(OVERLAPS) == LONGEST_OVERLAP


def test_without_an_overlap_the_old_secret_ends_at_once(key: ApiKey) -> None:
    """The secret is removed, so that a slow clock elsewhere does not revive it."""
    after = rotated(key, "bbbb", ZERO)

    assert not works(after, "aaaa", NOON - DAY)
    assert [secret.last_four for secret in after.secrets] == ["bbbb"]


@pytest.mark.parametrize("keep_old_for", [-TICK, LONGEST_OVERLAP + TICK])
def test_an_overlap_out_of_range_is_rejected(key: ApiKey, keep_old_for: timedelta) -> None:
    with pytest.raises(InvalidValueError, match="keep_old_for: must be from 0 to 168 hours"):
        rotated(key, "bbbb", keep_old_for)


def test_an_expired_key_can_be_rotated_and_works_once_it_is_extended(key: ApiKey) -> None:
    today = NOON.date()
    expired = rotated(key.changed(expires_on=today - DAY), "bbbb", HOUR)

    assert not works(expired, "bbbb", NOON)
    extended = expired.changed(expires_on=today)
    assert works(extended, "bbbb", NOON)


def test_the_end_of_an_older_secret_stays_when_the_key_is_extended(key: ApiKey) -> None:
    """A member saw that end, and the secret may have leaked."""
    today = NOON.date()
    midnight = datetime(2026, 3, 2, tzinfo=UTC)

    expired = rotated(key.changed(expires_on=today - DAY), "bbbb", 7 * DAY)
    ending = rotated(key.changed(expires_on=today), "bbbb", 7 * DAY)

    assert expired.ending_secrets(NOON) == ()
    assert expired.changed(expires_on=None).ending_secrets(NOON) == ()
    assert not works(expired.changed(expires_on=None), "aaaa", NOON)
    assert ends(ending) == [("aaaa", midnight)]
    assert ending.changed(expires_on=None).ending_secrets(NOON) == ending.ending_secrets(NOON)


def test_a_secret_ends_with_its_key_if_that_expires_earlier(key: ApiKey) -> None:
    tomorrow = NOON.date() + DAY
    after = rotated(key.changed(expires_on=tomorrow), "bbbb", 7 * DAY)
    midnight = datetime(2026, 3, 3, tzinfo=UTC)

    assert ends(after) == [("aaaa", midnight)]
    assert works(after, "aaaa", midnight - TICK)
    assert not works(after, "aaaa", midnight)


@dataclass(frozen=True)
class Rotation:
    """A rotation and the time since the one before, which is negative if a clock is set back."""

    after: timedelta
    keep_old_for: timedelta


rotations = st.lists(
    st.builds(
        Rotation,
        after=st.integers(-3, 30).map(HOUR.__mul__) | st.integers(-2, 2).map(TICK.__mul__),
        keep_old_for=st.sampled_from(OVERLAPS) | st.integers(0, 168).map(HOUR.__mul__),
    ),
    max_size=8,
)


@given(rotations)
def test_a_secret_is_valid_as_long_as_every_later_rotation_allows(
    rotations: list[Rotation],
) -> None:
    """A secret ends at the earliest end that a later rotation set, and the newest secret never."""
    instant = NOON
    key = a_key(secrets=[a_secret("0", last_four="0000")])
    ends_at = [NEVER]
    for number, rotation in enumerate(rotations, start=1):
        instant += rotation.after
        before = key
        key = rotated(key, str(number), rotation.keep_old_for, instant)
        end = instant + rotation.keep_old_for
        ends_at = [
            min(earlier, end) if works(before, str(name), instant) else instant
            for name, earlier in enumerate(ends_at)
        ]
        ends_at.append(NEVER)

    times = {instant, *ends_at, *(end - TICK for end in ends_at)} - {NEVER}
    for time in (time for time in times if time >= instant):
        valid = [works(key, str(name), time) for name in range(len(ends_at))]
        assert valid == [time < end for end in ends_at]
        shown = {old.ends_at for old in key.ending_secrets(time)}
        assert shown == {end for end in ends_at[:-1] if time < end}
    in_order = [secret.created_at for secret in key.secrets]
    assert in_order == sorted(set(in_order))
    assert key.newest.digest == a_secret(str(len(rotations))).digest
