"""Which container a service is wired by."""

from pathlib import Path

import pytest

from evref.adapters.outbound.memory import MemoryCatalogueStore
from evref.adapters.outbound.redis import RedisAdmission, RedisHealth
from evref.adapters.outbound.sql import SqlCatalogueStore
from evref.bootstrap.container import (
    Container,
    MemoryStores,
    RedisCounters,
    SqlStores,
    container_for,
)
from evref.bootstrap.settings import Settings, SettingsError
from evref.testing import Stores
from evref.testing.builders import OPERATOR

WIRING = """
from evref.adapters.outbound.memory import MemoryCatalogueStore, MemoryState
from evref.bootstrap.container import Container

def container(settings):
    made = Container(settings=settings)
    made.catalogue_store.override(MemoryCatalogueStore(MemoryState()))
    return made

def nothing(settings):
    return None
"""


@pytest.fixture
def wiring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module of somebody else's."""
    name = f"wiring_of_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(WIRING)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def test_by_default_it_is_the_service_s_own() -> None:
    assert isinstance(container_for(Settings()).catalogue_store(), SqlCatalogueStore)


def test_a_setting_names_another_one(wiring: str) -> None:
    """What it puts in the place of an adapter reaches those who use it."""
    container = container_for(Settings(container=f"{wiring}:container"))

    container.publish().publish_bundled(OPERATOR, lambda _done, _total: None, by="operator")

    assert isinstance(container.catalogue_store(), MemoryCatalogueStore)
    assert container.browse().current().version == container.catalogue_store().version()


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("nowhere:container", "cannot be found: No module named 'nowhere'"),
        ("{}:missing", "cannot be found: module '{}' has no attribute 'missing'"),
        ("{}:nothing", "must make a container, which nothing does not"),
    ],
)
def test_a_name_that_makes_no_container_is_a_wrong_setting(
    wiring: str, named: str, told: str
) -> None:
    """Said in one line."""
    with pytest.raises(SettingsError) as caught:
        container_for(Settings(container=named.format(wiring)))

    assert str(caught.value) == f"EVREF_CONTAINER {told.format(wiring)}"


PORTS = {
    "schema",
    "health",
    "connections",
    "catalogue_store",
    "keys",
    "admission",
    "usage_reports",
    "institutions",
    "members",
    "audit_log",
    "sessions",
    "sign_in_attempts",
    "secrets",
}


@pytest.mark.parametrize("stores", [MemoryStores, SqlStores])
def test_each_storage_offers_every_port(stores: type[MemoryStores | SqlStores]) -> None:
    assert set(stores.providers) >= PORTS


def test_a_storage_is_replaced_as_a_whole() -> None:
    """By any object with a method for each port."""
    container = Container(settings=Settings(database_url="sqlite:////nowhere/at/all.sqlite"))
    replacement = MemoryStores()
    container.storage.override(replacement)

    stores = Stores.of(container)
    container.manage_institutions().create_institution(OPERATOR, "General Hospital")

    assert {name: getattr(container, name)() for name in PORTS} == {
        name: getattr(replacement, name)() for name in PORTS
    }
    assert [each.name for each in stores.institutions.list()] == ["General Hospital"]


def test_redis_counts_for_whichever_storage_there_is() -> None:
    """And admits the keys of a store that was put in the place of another."""
    container = Container(settings=Settings(quota_url="redis://127.0.0.1:1"))
    replacement = MemoryStores()
    container.storage.override(replacement)

    assert isinstance(container.admission(), RedisAdmission)
    assert isinstance(container.health(), RedisHealth)
    assert container.redis.keys() is replacement.keys()
    assert container.redis.stored_health() is replacement.health()
    assert set(RedisCounters.providers) >= {"health", "connections", "admission", "usage_reports"}
