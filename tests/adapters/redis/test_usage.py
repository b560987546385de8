"""What only admission in Redis does: names, expiry, and keys that are held for a moment."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import timedelta

import pytest
from redis import Redis

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.memory.access.keys import MemoryKeys
from evref.adapters.outbound.redis.server import RedisServer
from evref.adapters.outbound.redis.usage import RedisAdmission, RedisUsageReports
from evref.domain.access.key import ApiKey
from evref.domain.access.permission import Permission
from evref.domain.errors import InvalidApiKeyError, StorageUnavailableError
from evref.ports.storage import Storage
from evref.testing.builders import NOON, a_key, a_secret
from evref.testing.filling import change_key, keep_institutions, keep_key
from tests import servers
from tests.fakes import FakeClock

TODAY = NOON.date()
A_DAY = 86_400
DIGEST = a_secret().digest


class CountingKeys(MemoryKeys):
    """Counts the look-ups of a key; each takes a given time."""

    def __init__(self, clock: FakeClock) -> None:
        self.storage = MemoryStorage()
        keep_institutions(self.storage, "i1")
        super().__init__(self.storage.state)
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
def keys(clock: FakeClock) -> CountingKeys:
    return CountingKeys(clock)


@pytest.fixture
def admission(server: RedisServer, keys: CountingKeys, clock: FakeClock) -> RedisAdmission:
    return RedisAdmission(server, keys, clock)


@pytest.fixture
def admin(redis: servers.RedisServer) -> Iterator[Redis]:
    with redis.client() as client:
        yield client


def keep(keys: CountingKeys, key: ApiKey | None = None) -> str:
    return keep_key(keys.storage, key or a_key())


def test_the_names_of_a_key_are_in_one_slot_of_a_cluster_and_expire(
    admission: RedisAdmission, keys: CountingKeys, admin: Redis
) -> None:
    """Both after 400 days."""
    admission.admit(keep(keys), Permission.READ, NOON)

    names = {"evref:{k1}:2026-03-01": 400, "evref:{k1}:last": 400}
    assert set(admin.keys()) == set(names)
    for name, days in names.items():
        assert days * A_DAY - 60 < admin.ttl(name) <= days * A_DAY


def test_counting_on_does_not_put_off_the_expiry(
    admission: RedisAdmission, keys: CountingKeys, admin: Redis
) -> None:
    """It runs from the day's first request."""
    digest = keep(keys, a_key(limit=2))
    admission.admit(digest, Permission.READ, NOON)
    admin.expire("evref:{k1}:2026-03-01", 100)

    for _ in range(3):
        admission.admit(digest, Permission.READ, NOON)

    assert admin.ttl("evref:{k1}:2026-03-01") <= 100


def test_the_last_day_of_use_is_the_latest_whatever_was_counted_last(
    admission: RedisAdmission, keys: CountingKeys, server: RedisServer
) -> None:
    """Hosts whose clocks differ count towards both days around midnight."""
    digest = keep(keys)
    for days in (1, 0):
        admission.admit(digest, Permission.READ, NOON + timedelta(days=days))

    use = RedisUsageReports(server).overview(["k1"], TODAY)["k1"]

    assert use.last_used_on == TODAY + timedelta(days=1)


def test_a_revocation_holds_within_a_second_however_long_the_look_up_took(
    admission: RedisAdmission, keys: CountingKeys, clock: FakeClock
) -> None:
    """What was read before is not held from when it arrived, but from when it was asked for."""
    digest = keep(keys)
    keys.seconds = 0.9
    admission.admit(digest, Permission.READ, NOON)
    change_key(keys.storage, "k1", lambda key: key.revoked(NOON))

    with pytest.raises(InvalidApiKeyError):
        admission.admit(digest, Permission.READ, NOON)


def test_a_key_is_known_as_soon_as_it_is_made(
    admission: RedisAdmission, keys: CountingKeys
) -> None:
    """That there was none is not held."""
    with pytest.raises(InvalidApiKeyError):
        admission.admit(DIGEST, Permission.READ, NOON)

    assert admission.admit(keep(keys), Permission.READ, NOON).was_admitted


def test_a_script_that_the_server_has_forgotten_is_sent_again(
    admission: RedisAdmission, keys: CountingKeys, admin: Redis
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
    storage: Storage, admin: Redis, damage: Callable[[Redis], object]
) -> None:
    """They are neither read as zero, nor overwritten, nor shown."""
    keep_institutions(storage, "i1")
    digest = keep_key(storage, a_key())
    storage.admission.admit(digest, Permission.READ, NOON)
    damage(admin)

    for act in (
        lambda: storage.admission.admit(digest, Permission.READ, NOON),
        lambda: storage.usage.history("k1", TODAY, TODAY),
        lambda: storage.usage.overview(["k1"], TODAY),
    ):
        with pytest.raises(StorageUnavailableError):
            act()


def test_a_malformed_last_day_of_use_is_not_shown(storage: Storage, admin: Redis) -> None:
    """The overview is out of reach until somebody removes it."""
    admin.set("evref:{k1}:last", "yesterday")

    with pytest.raises(StorageUnavailableError, match="cannot be reached"):
        storage.usage.overview(["k1"], TODAY)
