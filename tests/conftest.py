"""Servers and fixtures that tests share, and Hypothesis profiles.

The profile `local` tries new examples each time, `ci` the same ones each time.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.databases import PreparedDatabases
from tests.servers import PostgresqlServer, RedisServer, postgresql_server, redis_server

# Their assertions are to be told in full as well; before any test imports them.
pytest.register_assert_rewrite("tests.http.document", "tests.http.service")

# Machines are noisy: how long an example takes says nothing about the code.
settings.register_profile(
    "local", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, and an environment without settings."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("EVREF_")]:
        monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """One server for all tests, each of which makes its own database; none may stop it."""
    with postgresql_server() as server:
        yield server


@pytest.fixture(scope="session")
def prepared_databases(postgresql: PostgresqlServer) -> PreparedDatabases:
    return PreparedDatabases(postgresql)


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    """One server for all tests, each of which has its own keys; none may stop it."""
    with redis_server() as server:
        yield server
