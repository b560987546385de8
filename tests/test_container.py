"""Which container a service is wired by."""

from pathlib import Path

import pytest

from evref.adapters.outbound.memory import MemoryCatalogueStore
from evref.adapters.outbound.sql import SqlCatalogueStore
from evref.bootstrap.container import container_for
from evref.bootstrap.settings import Settings, SettingsError
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
