"""Tests of what only counts in Redis have: names, an expiry, and damage by others."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from redis import Redis

from evref.domain.errors import StorageUnavailableError
from evref.ports.storage import Storage
from evref.testing.builders import NOON, a_key
from evref.testing.filling import keep_institutions, keep_key
from tests import servers

TODAY = NOON.date()
A_DAY = 86_400


@pytest.fixture
def admin(redis: servers.RedisServer) -> Iterator[Redis]:
    with redis.client() as client:
        yield client


@pytest.fixture(autouse=True)
def _institution(storage: Storage) -> None:
    keep_institutions(storage, "i1")


def test_the_names_of_a_key_are_in_one_slot_of_a_cluster_and_expire(
    storage: Storage, admin: Redis
) -> None:
    storage.admission.admit(keep_key(storage, a_key()), NOON)

    names = {"evref:{k1}:2026-03-01": 400, "evref:{k1}:last": 400}
    assert set(admin.keys()) == set(names)
    for name, days in names.items():
        assert days * A_DAY - 60 < admin.ttl(name) <= days * A_DAY


def test_further_requests_do_not_delay_the_expiry(storage: Storage, admin: Redis) -> None:
    """The time to expiry begins with the first request of the day."""
    digest = keep_key(storage, a_key(limit=4))
    storage.admission.admit(digest, NOON)
    admin.expire("evref:{k1}:2026-03-01", 100)

    for _ in range(3):
        storage.admission.admit(digest, NOON)

    assert admin.ttl("evref:{k1}:2026-03-01") <= 100


def test_the_last_day_of_use_is_the_latest_whatever_was_counted_last(storage: Storage) -> None:
    """Around midnight, machines whose clocks differ count for different days."""
    digest = keep_key(storage, a_key())
    for days in (1, 0):
        storage.admission.admit(digest, NOON + timedelta(days=days))

    last_used_on, _ = storage.usage.overview(["k1"], TODAY)["k1"]

    assert last_used_on == TODAY + timedelta(days=1)


def test_a_script_that_the_server_has_forgotten_is_sent_again(
    storage: Storage, admin: Redis
) -> None:
    """A restarted server has no scripts. The request is still counted only once."""
    digest = keep_key(storage, a_key())
    storage.admission.admit(digest, NOON)
    admin.script_flush()

    assert storage.admission.admit(digest, NOON).admitted == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda admin: admin.hset("evref:{k1}:2026-03-01", "admitted", "many"),
        lambda admin: admin.set("evref:{k1}:2026-03-01", "a text"),
    ],
    ids=["another-value", "another-type"],
)
def test_counts_that_somebody_else_changed_admit_nothing(
    storage: Storage, admin: Redis, damage: Callable[[Redis], object]
) -> None:
    """Such counts are not read as zero, overwritten or shown."""
    digest = keep_key(storage, a_key())
    storage.admission.admit(digest, NOON)
    damage(admin)

    for act in (
        lambda: storage.admission.admit(digest, NOON),
        lambda: storage.usage.history("k1", TODAY, TODAY),
        lambda: storage.usage.overview(["k1"], TODAY),
    ):
        with pytest.raises(StorageUnavailableError):
            act()


def test_a_malformed_last_day_of_use_is_not_shown(storage: Storage, admin: Redis) -> None:
    """The overview is unavailable until somebody removes the value."""
    admin.set("evref:{k1}:last", "yesterday")

    with pytest.raises(StorageUnavailableError, match="cannot be reached"):
        storage.usage.overview(["k1"], TODAY)
