"""The wiring of the service, and the choice of its storage."""

from collections.abc import Callable
from pathlib import Path
from typing import get_type_hints

import pytest
from dependency_injector import providers

from evref.adapters.outbound.memory import MemoryStorage
from evref.adapters.outbound.redis import RedisStorage
from evref.adapters.outbound.sql import SqlStorage
from evref.bootstrap.app import create_app
from evref.bootstrap.container import STORAGES, Container, container_for
from evref.bootstrap.settings import Settings, SettingsError, StorageKind
from evref.domain.access.key import KeyToken
from evref.domain.errors import StorageUnavailableError
from evref.ports.accounts import INSTITUTIONS
from evref.ports.storage import DelegatingStorage, Storage
from evref.testing.builders import OPERATOR, a_catalogue
from evref.testing.filling import keep_catalogue, served_version
from tests.entry_points import offer
from tests.fakes import FakeClock


def whole(_settings: Settings, _default: Callable[[], Storage]) -> Storage:
    return MemoryStorage()


def partly(_settings: Settings, default: Callable[[], Storage]) -> Storage:
    return DelegatingStorage(default())


def nothing(_settings: Settings, _default: Callable[[], Storage]) -> None:
    """Return no storage, as a function does that lacks its return statement."""


def failing(_settings: Settings, _default: Callable[[], Storage]) -> Storage:
    raise TypeError("no\nstorage")


@pytest.fixture
def _offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer the functions above as storages."""
    functions = {name: f"{__name__}:{name}" for name in ("whole", "partly", "nothing", "failing")}
    offer(tmp_path, "storages", {STORAGES: functions | {"lost": "nowhere:storage"}})
    monkeypatch.syspath_prepend(tmp_path)


def test_by_default_storage_is_a_database() -> None:
    assert isinstance(container_for(Settings()).storage(), SqlStorage)


@pytest.mark.usefixtures("_offered")
def test_an_installed_package_offers_a_storage() -> None:
    container = container_for(Settings(storage="whole"))

    container.publish().publish_bundled(OPERATOR, by="operator")

    storage = container.storage()
    assert isinstance(storage, MemoryStorage)
    assert container.browse().current().catalogue.version == served_version(storage)


@pytest.mark.usefixtures("_offered")
def test_a_storage_that_replaces_parts_gets_the_database_with_its_settings(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'evref.sqlite'}"

    storage = container_for(Settings(storage="partly", database_url=url)).storage()

    storage.prepare()
    storage.close()
    assert isinstance(storage, DelegatingStorage)
    assert (tmp_path / "evref.sqlite").exists()


@pytest.mark.usefixtures("_offered")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "disk",
            " must be one of sql, memory, failing, lost, nothing, partly, whole, not 'disk'",
        ),
        ("lost", "=lost cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        ("nothing", "=nothing is not of the type Storage"),
        ("failing", "=failing cannot be loaded: TypeError: no storage"),
    ],
)
def test_a_name_that_makes_no_storage_is_an_invalid_setting(name: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        container_for(Settings(storage=name))

    assert str(caught.value) == f"EVREF_STORAGE{message}"


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
                container.gate().admit(KeyToken.make(7))

    assert asked == ["counters"]


def test_the_application_is_made_from_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Creating it does not access storage, which may not exist yet."""
    monkeypatch.setenv("EVREF_BASE_URL", "https://evref.example.org")

    app = create_app()

    assert isinstance(app.spec, dict)
    assert [server["url"] for server in app.spec["servers"]] == ["https://evref.example.org"]
    assert list(folder.iterdir()) == []
