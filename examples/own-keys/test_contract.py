"""The storage fulfils the contract, and the service uses it."""

from pathlib import Path

import pytest

from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container, container_for
from evref.bootstrap.settings import Settings, StorageKind
from evref.ports.storage import Storage
from evref.testing import StorageContract
from evref.testing.builders import OPERATOR

SETTINGS = Settings(storage=StorageKind.MEMORY, container="evref_own_keys.wiring:container")


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Container:
    """Return the container of a service with this storage; all else is in memory."""
    monkeypatch.setenv("KEYS_FILE", str(tmp_path / "keys.sqlite"))
    container = container_for(SETTINGS)
    container.storage().prepare()
    return container


@pytest.fixture
def storage(container: Container) -> Storage:
    """Return a prepared, empty storage."""
    storage: Storage = container.storage()
    return storage


class TestOwnKeysStorage(StorageContract):
    """Each part of the storage, and its unit of work."""


def test_the_service_admits_a_key_of_this_storage(container: Container) -> None:
    """It counts the request."""
    container.publish().publish_bundled(OPERATOR, lambda _done, _total: None, by="operator")
    hospital = container.manage_institutions().create_institution(OPERATOR, "Hospital")
    key = container.manage_keys().create(OPERATOR, hospital.id, name="App", daily_limit=1)
    client = create_app(SETTINGS, container).test_client()

    answers = [
        client.get("/api/v1/diagnoses", headers={"Authorization": f"Bearer {key.token.text}"})
        for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [200, 429]
