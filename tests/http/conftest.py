"""Fixtures that create a service on SQLite, the default storage.

The contracts of the adapters prove that the other storages behave the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from evref.bootstrap.settings import Settings
from tests.databases import prepared_sqlite
from tests.http.service import BASE_URL, EXAMPLES, Service

MakeService = Callable[..., Service]


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[MakeService]:
    """Yield a function that creates services without a catalogue, each with its own database."""
    with ExitStack() as stack:

        def make(**settings: Any) -> Service:
            if "database_url" not in settings:
                settings["database_url"] = prepared_sqlite(Path(mkdtemp(dir=tmp_path)))
            service = Service(Settings(**{"base_url": BASE_URL, **settings}))
            return stack.enter_context(closing(service))

        yield make


@pytest.fixture
def service(request: pytest.FixtureRequest, make_service: MakeService, tmp_path: Path) -> Service:
    """Return a service with the example catalogue.

    Tests with the marker `shared_service`, which change nothing but counts, share one service.
    """
    if request.node.get_closest_marker("shared_service"):
        shared: Service = request.getfixturevalue("shared_service")
        return shared
    return make_service(database_url=prepared_sqlite(Path(mkdtemp(dir=tmp_path)), EXAMPLES))


@pytest.fixture(scope="session")
def shared_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    url = prepared_sqlite(tmp_path_factory.mktemp("shared"), EXAMPLES)
    with closing(Service(Settings(base_url=BASE_URL, database_url=url))) as service:
        yield service


@pytest.fixture
def token(service: Service) -> str:
    return service.token()
