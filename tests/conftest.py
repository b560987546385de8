"""Shared servers and fixtures, and Hypothesis profiles.

The profile `local` tries new examples each time; `ci` tries the same ones each time.
"""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from flask import Flask
from hypothesis import HealthCheck, settings
from jinja2 import FileSystemBytecodeCache

from evref.ports import deadline
from tests.databases import PreparedDatabases
from tests.servers import (
    PATIENCE,
    PostgresqlServer,
    RedisServer,
    postgresql_server,
    redis_server,
)

# For detailed assertion messages in these modules; must run before any test imports them.
pytest.register_assert_rewrite("tests.http.document", "tests.http.service")

# No deadline, because the time of an example says little about the code on a busy machine.
settings.register_profile(
    "local", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


LONGEST_TEST = timedelta(minutes=2)


def pytest_runtest_setup() -> None:
    """Wait for midnight in UTC if it is near.

    Limits and counts belong to a UTC day, and a test with the real clock must not span two days.
    Tests of midnight use a fake clock.
    """
    now = datetime.now(UTC)
    if (now + LONGEST_TEST).date() != now.date():
        midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), UTC)
        time.sleep((midnight - now).total_seconds())


@pytest.fixture(scope="session", autouse=True)
def _compiled_templates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled templates, because each test creates an app that would compile them again."""
    cache = FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Flask, "jinja_options", {"bytecode_cache": cache})
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to an empty working directory, and remove all settings from the environment."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("EVREF_")]:
        monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """Let requests of this process wait for storage as long as tests wait; return the setting.

    On a busy machine, storage can take longer than operators can set, and than a request may wait.
    """
    monkeypatch.setattr(deadline, "REQUEST_SECONDS", PATIENCE)
    return {"storage_timeout_seconds": PATIENCE}


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """Yield a server for all tests.

    Each test creates its own database; no test stops the server.
    """
    with postgresql_server() as server:
        yield server


@pytest.fixture(scope="session")
def prepared_databases(postgresql: PostgresqlServer) -> PreparedDatabases:
    return PreparedDatabases(postgresql)


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    """Yield a server for all tests. Each test uses its own keys; no test stops the server."""
    with redis_server() as server:
        yield server
