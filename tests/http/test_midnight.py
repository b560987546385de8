"""Requests while the clock passes midnight in UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest

from evref.application.access.manage_keys import NewKey
from evref.domain.access.key import Permission
from evref.domain.access.quota import Quota
from tests.http.service import MIDNIGHT, Service

DIAGNOSES = "/api/v1/diagnoses"
TODAY, TOMORROW = date(2026, 3, 1), date(2026, 3, 2)


@pytest.fixture(autouse=True)
def _late(service: Service) -> None:
    """Begin each test one second before midnight."""
    service.clock.set_time_of_day(MIDNIGHT - timedelta(seconds=1))


def counted(service: Service, key: NewKey) -> dict[date, tuple[int, int]]:
    """Return the numbers of admitted and refused requests by day."""
    days = service.container.storage().usage.history(key.key.id, TODAY, TOMORROW)
    return {day.day: (day.admitted, day.refused) for day in days}


def test_a_request_across_midnight_belongs_to_the_day_of_its_arrival(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is counted on that day, and its header fields describe that day."""
    key = service.new_key(limit=10)
    admission = service.container.storage().admission
    admit: Callable[[str, Permission, datetime], Quota] = admission.admit

    def admit_slowly(digest: str, needed: Permission, instant: datetime) -> Quota:
        quota = admit(digest, needed, instant)
        service.clock.advance(seconds=2)
        return quota

    monkeypatch.setattr(admission, "admit", admit_slowly)
    over = service.get(DIAGNOSES, token=key.token.text)
    monkeypatch.undo()
    after = service.get(DIAGNOSES, token=key.token.text)

    midnight = int(MIDNIGHT.timestamp())
    assert over.headers["RateLimit"] == '"daily";r=9;t=1'
    assert over.headers["X-RateLimit-Reset"] == str(midnight)
    assert after.headers["RateLimit"] == '"daily";r=9;t=86399'
    assert after.headers["X-RateLimit-Reset"] == str(midnight + 86_400)
    assert counted(service, key) == {TODAY: (1, 0), TOMORROW: (1, 0)}
