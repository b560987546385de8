"""What only admission in Redis does: names, expiry, and keys that are held for a moment."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import timedelta

import pytest
from redis import Redis

from evref.adapters.outbound.memory import MemoryKeyStore, MemoryState
from evref.adapters.outbound.redis import RedisAdmission, RedisServer, RedisUsageReports
from evref.domain.access.key import ApiKey
from evref.domain.access.permission import Permission
from evref.domain.errors import InvalidApiKeyError, StorageUnavailableError
from evref.testing.builders import NOON, a_key, a_secret, an_audit_entry, an_institution
from evref.testing.stores import Stores, keep_institutions, keep_key
from tests import servers
from tests.fakes import FakeClock

TODAY = NOON.date()
A_DAY = 86_400
DIGEST = a_secret().digest


class CountingKeyStore(MemoryKeyStore):
    """Counts the look-ups of a key; each takes a given time."""

    def __init__(self, state: MemoryState, clock: FakeClock) -> None:
        super().__init__(state)
        self._clock = clock
        self.lookups = 0
        self.seconds = 0.0

    def by_digests(self, digests: Collection[str]) -> Mapping[str, ApiKey]:
        self.lookups += 1
        found = super().by_digests(digests)
        self._clock.advance(seconds=self.seconds)
        return found


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def keys(clock: FakeClock) -> CountingKeyStore:
    return CountingKeyStore(MemoryState(institutions={"i1": an_institution("i1")}), clock)


@pytest.fixture
def admission(server: RedisServer, keys: CountingKeyStore, clock: FakeClock) -> RedisAdmission:
    return RedisAdmission(server, keys, clock)


@pytest.fixture
def admin(redis: servers.RedisServer) -> Iterator[Redis]:
    with redis.client() as client:
        yield client


def keep(keys: CountingKeyStore, key: ApiKey | None = None) -> str:
    keys.add(key or a_key(), an_audit_entry())
    return DIGEST


def test_the_names_of_a_key_are_in_one_slot_of_a_cluster_and_expire(
    admission: RedisAdmission, keys: CountingKeyStore, admin: Redis
) -> None:
    """Both after 400 days."""
    admission.admit(keep(keys), Permission.READ, NOON)

    names = {"evref:{k1}:2026-03-01": 400, "evref:{k1}:last": 400}
    assert set(admin.keys()) == set(names)
    for name, days in names.items():
        assert days * A_DAY - 60 < admin.ttl(name) <= days * A_DAY


def test_counting_on_does_not_put_off_the_expiry(
    admission: RedisAdmission, keys: CountingKeyStore, admin: Redis
) -> None:
    """It runs from the day's first request."""
    digest = keep(keys, a_key(limit=2))
    admission.admit(digest, Permission.READ, NOON)
    admin.expire("evref:{k1}:2026-03-01", 100)

    for _ in range(3):
        admission.admit(digest, Permission.READ, NOON)

    assert admin.ttl("evref:{k1}:2026-03-01") <= 100


def test_services_with_other_prefixes_count_apart(
    server: RedisServer, keys: CountingKeyStore, clock: FakeClock
) -> None:
    """Also keys with the same id."""
    digest = keep(keys, a_key(limit=1))
    admissions = [RedisAdmission(server, keys, clock, prefix) for prefix in ("one", "two")]

    assert all(each.admit(digest, Permission.READ, NOON).was_admitted for each in admissions)


def test_the_last_day_of_use_is_the_latest_whatever_was_counted_last(
    admission: RedisAdmission, keys: CountingKeyStore, server: RedisServer
) -> None:
    """Hosts whose clocks differ count towards both days around midnight."""
    digest = keep(keys)
    for days in (1, 0):
        admission.admit(digest, Permission.READ, NOON + timedelta(days=days))

    use = RedisUsageReports(server).overview(["k1"], TODAY)["k1"]

    assert use.last_used_on == TODAY + timedelta(days=1)


def test_a_key_is_looked_up_at_most_twice_a_second(
    admission: RedisAdmission, keys: CountingKeyStore, clock: FakeClock
) -> None:
    """However many requests it makes."""
    digest = keep(keys)

    for _ in range(20):
        admission.admit(digest, Permission.READ, NOON)
        clock.advance(milliseconds=100)

    assert keys.lookups == 4


def test_a_revocation_holds_within_a_second_however_long_the_look_up_took(
    admission: RedisAdmission, keys: CountingKeyStore, clock: FakeClock
) -> None:
    """What was read before is not held from when it arrived, but from when it was asked for."""
    digest = keep(keys)
    keys.seconds = 0.9
    admission.admit(digest, Permission.READ, NOON)
    keys.change("k1", lambda key: (key.revoked(NOON), an_audit_entry()))

    with pytest.raises(InvalidApiKeyError):
        admission.admit(digest, Permission.READ, NOON)


def test_a_key_is_known_as_soon_as_it_is_made(
    admission: RedisAdmission, keys: CountingKeyStore
) -> None:
    """That there was none is not held."""
    with pytest.raises(InvalidApiKeyError):
        admission.admit(DIGEST, Permission.READ, NOON)

    assert admission.admit(keep(keys), Permission.READ, NOON).was_admitted


def test_a_script_that_the_server_has_forgotten_is_sent_again(
    admission: RedisAdmission, keys: CountingKeyStore, admin: Redis
) -> None:
    """As after a restart; the request is counted once."""
    digest = keep(keys)
    admission.admit(digest, Permission.READ, NOON)
    admin.script_flush()

    assert admission.admit(digest, Permission.READ, NOON).admitted == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda admin: admin.hset("evref:{k1}:2026-03-01", "admitted", "many"),
        lambda admin: admin.set("evref:{k1}:2026-03-01", "a text"),
    ],
    ids=["another-value", "another-type"],
)
def test_counts_that_somebody_else_changed_admit_nothing(
    stores: Stores, admin: Redis, damage: Callable[[Redis], object]
) -> None:
    """They are neither read as zero, nor overwritten, nor shown."""
    keep_institutions(stores, "i1")
    digest = keep_key(stores, a_key())
    stores.admission.admit(digest, Permission.READ, NOON)
    damage(admin)

    for act in (
        lambda: stores.admission.admit(digest, Permission.READ, NOON),
        lambda: stores.usage_reports.history("k1", TODAY, TODAY),
        lambda: stores.usage_reports.overview(["k1"], TODAY),
    ):
        with pytest.raises(StorageUnavailableError):
            act()


def test_a_last_day_of_use_that_is_none_is_not_told(stores: Stores, admin: Redis) -> None:
    """The overview is out of reach until somebody removes it."""
    admin.set("evref:{k1}:last", "yesterday")

    with pytest.raises(StorageUnavailableError, match="cannot be reached"):
        stores.usage_reports.overview(["k1"], TODAY)
