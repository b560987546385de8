"""Tests of how long admission in Redis holds keys, and how many look-ups it needs."""

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.memory.access import MemoryKeys
from evref.adapters.outbound.redis.storage import HeldKeys
from evref.domain.access.key import ApiKey
from evref.domain.errors import InvalidApiKeyError
from evref.testing.builders import NOON, a_key, a_secret
from evref.testing.filling import change_key, keep_institutions, keep_key
from tests.fakes import FakeClock

MANY = [f"k{number}" for number in range(1, 51)]


class WatchedKeys(MemoryKeys):
    """Notes the digests of each look-up, which may take some seconds."""

    def __init__(self, clock: FakeClock) -> None:
        self.storage = MemoryStorage()
        keep_institutions(self.storage, "i1")
        super().__init__(self.storage.state)
        self.clock = clock
        self.seconds = 0.0
        self.lookups: list[str] = []

    def with_digest(self, digest: str) -> ApiKey:
        self.lookups.append(digest)
        key = super().with_digest(digest)
        self.clock.advance(seconds=self.seconds)
        return key


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def keys(clock: FakeClock) -> WatchedKeys:
    keys = WatchedKeys(clock)
    for key_id in MANY:
        keep_key(keys.storage, a_key(key_id))
    return keys


@pytest.fixture
def held(keys: WatchedKeys, clock: FakeClock) -> HeldKeys:
    return HeldKeys(keys, clock)


def digest_of(key_id: str) -> str:
    return a_secret(key_id).digest


def use_all(held: HeldKeys) -> list[str]:
    return [held.with_digest(digest_of(key_id)).id for key_id in MANY]


def test_each_key_is_looked_up_twice_a_second(
    held: HeldKeys, keys: WatchedKeys, clock: FakeClock
) -> None:
    """However often it is used."""
    for _ in range(8):
        assert use_all(held) == MANY
        clock.advance(milliseconds=125)

    assert keys.lookups == [*map(digest_of, MANY)] * 2


@pytest.mark.parametrize("key_id", ["k1", "k50"])
def test_a_change_of_one_of_many_keys_is_seen_within_half_a_second(
    held: HeldKeys, keys: WatchedKeys, clock: FakeClock, key_id: str
) -> None:
    """The changed key may be the first or the last that is used."""
    use_all(held)
    change_key(keys.storage, key_id, lambda key: key.revoked(NOON))

    clock.advance(milliseconds=500)
    use_all(held)

    assert held.with_digest(digest_of(key_id)).revoked_at == NOON


def test_a_revocation_holds_within_a_second_however_long_the_look_up_took(
    held: HeldKeys, keys: WatchedKeys
) -> None:
    """The time for which a key is held begins with the look-up, not with its result."""
    keys.seconds = 0.9
    held.with_digest(digest_of("k1"))
    change_key(keys.storage, "k1", lambda key: key.revoked(NOON))

    assert held.with_digest(digest_of("k1")).revoked_at == NOON


def test_a_key_is_known_as_soon_as_it_is_created(held: HeldKeys, keys: WatchedKeys) -> None:
    """The result that there is no such key is not held."""
    with pytest.raises(InvalidApiKeyError):
        held.with_digest(digest_of("new"))

    assert held.with_digest(keep_key(keys.storage, a_key("new"))).id == "new"
