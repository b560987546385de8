"""Tests of what a key can learn of its own limit and use."""

from datetime import datetime, timedelta

import pytest

from evref.application.access.gate import Gate
from evref.application.access.manage_keys import ManageKeys
from evref.domain.access.key import KeyToken, Permission
from evref.domain.access.quota import DayUsage, Quota, QuotaExceededError
from evref.domain.errors import InvalidApiKeyError
from evref.testing.builders import NOON, OPERATOR
from evref.testing.filling import keep_institutions
from tests.fakes import FakeClock


@pytest.fixture(autouse=True)
def _institution(keys: ManageKeys) -> None:
    keep_institutions(keys.storage, "i1")


@pytest.mark.parametrize("level", Permission)
def test_a_status_has_the_key_and_its_counts_of_the_day(
    gate: Gate, keys: ManageKeys, clock: FakeClock, level: Permission
) -> None:
    """For any level. Before the first request of a day the counts are 0; reading adds none."""
    made = keys.create(OPERATOR, "i1", name="Ward", permission=level, daily_limit=2)
    today = keys.today()

    for _ in range(2):
        quota = Quota(made.key.id, 2, 0, clock.now())
        assert gate.status(made.token) == (made.key, DayUsage(today, 2, 0, 0), quota)
    if level is not Permission.NONE:
        for _ in range(2):
            gate.admit(made.token)
        with pytest.raises(QuotaExceededError):
            gate.admit(made.token)
        assert gate.status(made.token)[1] == DayUsage(today, 2, 2, 1)
        clock.advance(days=1)
        assert gate.status(made.token)[1] == DayUsage(today + timedelta(days=1), 2, 0, 0)


def test_a_status_has_the_limit_of_now(gate: Gate, keys: ManageKeys) -> None:
    made = keys.create(OPERATOR, "i1", name="Ward", daily_limit=10)
    for _ in range(4):
        gate.admit(made.token)

    keys.change(OPERATOR, made.key.id, daily_limit=3)

    _, usage, quota = gate.status(made.token)
    assert (usage, quota.remaining) == (DayUsage(keys.today(), 3, 4, 0), 0)


def test_a_request_across_midnight_belongs_to_the_day_of_its_arrival(
    gate: Gate, keys: ManageKeys, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.set_time_of_day(NOON.replace(hour=23, minute=59, second=59))
    made, arrived = keys.create(OPERATOR, "i1", name="Ward"), clock.now()
    admit = gate.storage.admission.admit

    def admit_slowly(digest: str, instant: datetime) -> Quota:
        clock.advance(seconds=2)
        return admit(digest, instant)

    monkeypatch.setattr(gate.storage.admission, "admit", admit_slowly)

    assert gate.admit(made.token).seconds_left == 1
    assert [day.day for day in keys.history(OPERATOR, made.key.id)] == [arrived.date()]


def test_only_a_live_key_has_a_status(gate: Gate, keys: ManageKeys, clock: FakeClock) -> None:
    rotated = keys.create(OPERATOR, "i1", name="Rotated")
    newer = keys.rotate(OPERATOR, rotated.key.id, keep_old_for=timedelta(0))
    revoked = keys.create(OPERATOR, "i1", name="Revoked")
    keys.revoke(OPERATOR, revoked.key.id)
    expired = keys.create(OPERATOR, "i1", name="Expired", expires_on=keys.today())
    unknown = KeyToken.make(0)
    clock.advance(days=1)

    for token in (rotated.token, revoked.token, expired.token, unknown):
        with pytest.raises(InvalidApiKeyError):
            gate.status(token)
    assert gate.status(newer.token)[0].id == rotated.key.id
