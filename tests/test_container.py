"""The choice of the container that wires the service."""

from pathlib import Path
from typing import get_type_hints

import pytest
from dependency_injector import providers

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.redis import RedisStorage
from evref.adapters.outbound.sql import SqlStorage
from evref.bootstrap.container import Container, container_for
from evref.bootstrap.settings import Settings, SettingsError, StorageKind
from evref.domain.access.key import Permission
from evref.domain.access.token import KeyToken
from evref.domain.errors import StorageUnavailableError
from evref.ports.accounts import INSTITUTIONS
from evref.ports.storage import Storage
from evref.testing.builders import OPERATOR, a_catalogue
from evref.testing.filling import keep_catalogue
from tests.fakes import FakeClock

WIRING = """
from evref.adapters.outbound.memory import MemoryStorage
from evref.bootstrap.container import Container

def container(settings):
    made = Container(settings=settings)
    made.main_storage.override(MemoryStorage())
    return made

def nothing(settings):
    return None

def failing(settings):
    raise TypeError("no\\nstorage")
"""


@pytest.fixture
def wiring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a module with a contributor's containers."""
    name = f"wiring_of_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(WIRING)
    monkeypatch.syspath_prepend(tmp_path)
    return name


def test_the_default_container_is_that_of_the_service() -> None:
    assert isinstance(container_for(Settings()).storage(), SqlStorage)


def test_a_setting_names_another_container(wiring: str) -> None:
    """The use cases get the adapters that this container overrides."""
    container = container_for(Settings(container=f"{wiring}:container"))

    container.publish().publish_bundled(OPERATOR, lambda _done, _total: None, by="operator")

    storage = container.storage()
    assert isinstance(storage, MemoryStorage)
    assert container.browse().current().catalogue.version == storage.catalogue.version()


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("nowhere:container", "cannot be found: No module named 'nowhere'"),
        ("{}:missing", "cannot be found: module '{}' has no attribute 'missing'"),
        ("{}:nothing", "must create a container, but nothing does not"),
        ("{}:failing", "cannot create a container: TypeError: no storage"),
    ],
)
def test_a_name_that_makes_no_container_is_an_invalid_setting(
    wiring: str, named: str, message: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        container_for(Settings(container=named.format(wiring)))

    assert str(caught.value) == f"EVREF_CONTAINER {message.format(wiring)}"


def test_a_storage_is_replaced_as_a_whole_and_redis_may_count_for_it() -> None:
    """The unit of work and all parts except the counters are those of the replacement."""
    container = Container(settings=Settings(quota_url="redis://127.0.0.1:1"))
    replacement = MemoryStorage()
    container.main_storage.override(replacement)
    container.manage_institutions().create_institution(OPERATOR, "General Hospital")

    storage = container.storage()

    assert isinstance(storage, RedisStorage)
    parts = get_type_hints(Storage)
    same = {name for name in parts if getattr(storage, name) is getattr(replacement, name)}
    assert parts.keys() - same == {"admission", "usage"}
    institutions = replacement.records.find(INSTITUTIONS)
    assert [institution.name for institution in institutions] == ["General Hospital"]


def test_requests_do_not_wait_for_counters_that_hang_while_the_catalogue_is_read() -> None:
    """This happens when Redis hangs and the database responds."""
    container, clock = Container(settings=Settings(storage=StorageKind.MEMORY)), FakeClock()
    container.clock.override(providers.Object(clock))
    keep_catalogue(container.storage(), a_catalogue())
    asked = []

    def hang(*_: object) -> None:
        asked.append("counters")
        clock.advance(seconds=1)
        container.browse().current()
        raise StorageUnavailableError("no response")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(container.storage().admission, "admit", hang)
        for _ in range(3):
            with pytest.raises(StorageUnavailableError):
                container.gate().admit(KeyToken.make(7), Permission.READ)

    assert asked == ["counters"]
