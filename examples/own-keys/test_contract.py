"""The storage fulfils the contract, and the service uses it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evref.bootstrap.app import create_app
from evref.bootstrap.container import Container, container_for
from evref.bootstrap.settings import Settings
from evref.ports.storage import Storage
from evref.testing import StorageContract
from evref.testing.builders import OPERATOR


@pytest.fixture
def container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Container]:
    """Return the container of a service with this storage; all else is in evref's database."""
    monkeypatch.setenv("KEYS_FILE", str(tmp_path / "keys.sqlite"))
    url = f"sqlite:///{tmp_path / 'evref.sqlite'}"
    container = container_for(Settings(storage="own-keys", database_url=url))
    with closing(container.storage()) as storage:
        storage.prepare()
        yield container


@pytest.fixture
def storage(container: Container) -> Storage:
    """Return a prepared, empty storage."""
    storage: Storage = container.storage()
    return storage


class TestOwnKeysStorage(StorageContract):
    """Each part of the storage, and its unit of work."""


def test_the_service_admits_a_key_of_this_storage(container: Container) -> None:
    """It counts the request."""
    container.publish().publish_bundled(OPERATOR, by="operator")
    hospital = container.manage_institutions().create_institution(OPERATOR, "Hospital")
    key = container.manage_keys().create(OPERATOR, hospital.id, name="App", daily_limit=1)
    client = create_app(container.settings(), container).test_client()

    answers = [
        client.get("/api/v1/diagnoses", headers={"Authorization": f"Bearer {key.token.text}"})
        for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [200, 429]
