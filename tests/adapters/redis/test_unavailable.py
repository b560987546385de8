"""Tests that a failing Redis server counts as unavailable, whatever the driver raises."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.redis import RedisStorage
from evref.adapters.outbound.redis.server import RedisServer
from evref.domain.errors import (
    InvalidValueError,
    StorageNotReadyError,
    StorageUnavailableError,
)
from evref.testing.builders import NOON, a_key
from evref.testing.filling import at_once, keep_institutions, keep_key
from tests import servers
from tests.adapters.redis.conftest import WaitingStorage, storage_on
from tests.fakes import FakeClock


@pytest.fixture(scope="module")
def fragile() -> Iterator[servers.RedisServer]:
    with servers.redis_server() as server:
        yield server


@pytest.fixture
def served(fragile: servers.RedisServer) -> Iterator[tuple[WaitingStorage, str]]:
    """Yield a storage with one key, and the digest of the key."""
    for storage in storage_on(fragile, timeout_seconds=2.5):
        keep_institutions(storage, "i1")
        yield storage, keep_key(storage, a_key())


@contextmanager
def out_of_memory(server: servers.RedisServer) -> Iterator[None]:
    with server.client() as client:
        client.config_set("maxmemory", 1)
        yield
        client.config_set("maxmemory", 0)


@contextmanager
def without_scripts(server: servers.RedisServer) -> Iterator[None]:
    """Let the user run every command but the one that counts."""
    with server.client() as client:
        client.acl_setuser("default", enabled=True, commands=["-evalsha"])
        yield
        client.acl_setuser("default", enabled=True, commands=["+evalsha"])


FAULTS: dict[str, Callable[[servers.RedisServer], AbstractContextManager[None]]] = {
    "stopped": lambda server: server.stopped(),
    "frozen": lambda server: server.frozen(),
    "out of memory": out_of_memory,
    "without scripts": without_scripts,
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_nothing_is_admitted_while_there_is_a_fault(
    fragile: servers.RedisServer,
    served: tuple[WaitingStorage, str],
    fault: Callable[[servers.RedisServer], AbstractContextManager[None]],
) -> None:
    storage, digest = served
    at_once(8, lambda _: storage.admission.admit(digest, NOON))

    def refused(_: int) -> None:
        for act in (
            lambda: storage.admission.admit(digest, NOON),
            storage.ping,
        ):
            with pytest.raises(StorageUnavailableError) as caught:
                act()
            assert caught.value.reason.startswith(f"redis://127.0.0.1:{fragile.port}/0: ")

    with fault(fragile):
        at_once(8, refused)

    at_once(8, lambda _: storage.admission.admit(digest, NOON))
    storage.ping()


@pytest.mark.parametrize(
    ("options", "warned"),
    [
        ((), ["Redis keeps nothing on disk"]),
        (("--appendonly", "yes"), []),
        (("--save", "3600", "1"), []),
        # Many hosted servers refuse CONFIG although they keep data.
        (("--rename-command", "CONFIG", ""), []),
        (
            ("--appendonly", "yes", "--maxmemory-policy", "allkeys-lru"),
            ["Redis may evict counts (maxmemory-policy is allkeys-lru)"],
        ),
    ],
)
def test_a_redis_that_may_lose_counts_is_warned_of(options: list[str], warned: list[str]) -> None:
    with servers.redis_server(*options) as server:
        storage = RedisStorage(MemoryStorage(), server.url, FakeClock(), timeout_seconds=60)

        assert [warning.partition(":")[0] for warning in storage.warnings()] == warned
        storage.close()


def test_a_cluster_of_several_nodes_is_refused() -> None:
    """Most keys of the counters would be on another node. One node alone can be used."""
    options = ("--cluster-enabled", "yes")
    with servers.redis_server(*options) as one, servers.redis_server(*options) as other:
        with one.client() as client, other.client() as second:
            client.execute_command("CLUSTER ADDSLOTS", *range(8000))
            second.execute_command("CLUSTER ADDSLOTS", *range(8000, 16384))
            storage = RedisStorage(MemoryStorage(), one.url, FakeClock())
            storage.verify()
            client.execute_command("CLUSTER MEET", "127.0.0.1", other.port)
            servers.wait_until(lambda: client.cluster("INFO")["cluster_size"] == "2")

        with pytest.raises(StorageNotReadyError, match=r"^EVREF_QUOTA_URL .* of 2 nodes"):
            storage.verify()
        storage.close()


@pytest.mark.parametrize("is_there", [True, False], ids=["refuses it", "is missing"])
def test_the_error_of_a_server_has_no_password(
    fragile: servers.RedisServer, is_there: bool
) -> None:
    port = fragile.port if is_there else servers.free_port()
    server = RedisServer(f"redis://someone:secret@127.0.0.1:{port}/3?client_name=hidden")

    with pytest.raises(StorageUnavailableError) as caught:
        server.disclosed(lambda client: client.info())

    assert caught.value.reason.startswith(f"redis://127.0.0.1:{port}/3: ")
    for hidden in ("someone", "secret", "hidden"):
        assert hidden not in caught.value.reason
        assert hidden not in str(caught.value.__cause__)


@pytest.mark.parametrize(
    "url",
    ["", "localhost:6379", "http://localhost", "redis://h:port/0", "redis://h/0?wait=long"],
)
def test_a_url_that_is_not_of_redis_is_an_invalid_value(url: str) -> None:
    with pytest.raises(InvalidValueError, match=r"redis://:PASSWORD@HOST:6379/0"):
        RedisServer(url)


def test_without_the_packages_for_redis_the_error_says_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The packages are an extra, because services that count elsewhere do not need them."""
    monkeypatch.setitem(sys.modules, "redis", None)

    with pytest.raises(InvalidValueError, match=r"pip install 'evref\[redis\]'"):
        RedisServer("redis://localhost")
