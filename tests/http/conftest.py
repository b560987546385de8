"""A service over each storage, for tests that see it from outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from evref.bootstrap.settings import Settings
from evref.domain.catalogue.catalogue import Catalogue
from tests.http.service import (
    BASE_URL,
    STORAGES,
    Service,
    StorageSettings,
    entries,
)

MakeService = Callable[..., Service]


@pytest.fixture(params=STORAGES)
def storage(request: pytest.FixtureRequest) -> str:
    """The name of each storage in turn."""
    return str(request.param)


@pytest.fixture
def make_service(
    storage: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[MakeService]:
    """Makes services over the storage, without a catalogue, with settings of one's choice."""
    made: list[Service] = []
    storages = StorageSettings(storage, tmp_path, request.getfixturevalue)

    def make(**settings: Any) -> Service:
        defaults = {"base_url": BASE_URL, **storages.new()}
        made.append(Service(Settings(**{**defaults, **settings})))
        return made[-1]

    yield make
    for service in made:
        service.container.storage().close()


@pytest.fixture
def service(make_service: MakeService) -> Service:
    """A service with the example catalogue."""
    made = make_service()
    made.publish(Catalogue(entries()))
    return made


@pytest.fixture
def token(service: Service) -> str:
    """The token of a key that may read."""
    return service.token()
