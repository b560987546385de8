"""Starting the service: from an empty folder, and with every kind of problem."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.server.conftest import REPOSITORY, Server, Start, Store
from tests.servers import redis_server, wait_until

LIST = "/api/v1/diagnoses"
# By default, gunicorn leaves a socket in the user's home.
PLAIN = ("--no-control-socket",)


def curl_lines(server: Server) -> list[str]:
    """Return the curl lines that a server printed."""
    return [line.strip() for line in server.log.splitlines() if line.strip().startswith("curl ")]


def try_in_shell(line: str) -> list[str]:
    """Return the ids in the response when the line is run in a shell."""
    done = subprocess.run(
        line + " --silent --fail-with-body", shell=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return [record["id"] for record in json.loads(done.stdout)["data"]]


@pytest.mark.parametrize(("command", "storage"), [("demo", "sql"), ("serve", "memory")])
def test_one_command_leads_to_a_ready_curl_line(
    start: Start, tmp_path: Path, command: str, storage: str
) -> None:
    server = start(tmp_path, command, storage=storage)
    server.wait_until_ready()

    (line,) = curl_lines(server)

    assert len(try_in_shell(line)) >= 40
    assert f"http://127.0.0.1:{server.port}/docs" in server.log
    assert re.search(r"as demo@example\.org with the password \S{8,}", server.log)
    count = 1 if storage == "memory" else 2
    wait_until(lambda: len(server.workers()) == count, lambda: f"{server.workers()}")
    assert (tmp_path / "evref.sqlite").exists() == (storage == "sql")
    assert "Traceback" not in server.log


@pytest.mark.parametrize("module", ["evref", "gunicorn"])
def test_memory_is_refused_with_several_workers(start: Start, tmp_path: Path, module: str) -> None:
    """Each worker would have keys of its own."""
    config = ("--config", str(REPOSITORY / "gunicorn.conf.py"), "wsgi:app")
    command = ("serve",) if module == "evref" else config
    server = start(tmp_path, *command, "--workers", "2", module=module, storage="memory")

    assert server.wait_until_ended() == 1
    assert server.log == "evref: EVREF_STORAGE=memory works with one worker only\n"


def test_a_demo_that_was_stopped_starts_again_with_all_it_had(start: Start, tmp_path: Path) -> None:
    """The earlier key still works; the demo prints a new key, which expires."""
    first = start(tmp_path, "demo")
    first.wait_until_ready()
    (line,) = curl_lines(first)
    first.process.terminate()
    assert first.wait_until_ended() == 0

    second = start(tmp_path, "demo")
    second.wait_until_ready()
    (another,) = curl_lines(second)

    assert "to set a new one: evref member reset-password demo@example.org" in second.log
    assert f"http://127.0.0.1:{second.port}/settings" in second.log
    assert "This key expires tomorrow." in second.log
    assert try_in_shell(another)
    assert try_in_shell(line.replace(str(first.port), str(second.port)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "evref: There is no database yet; run: evref init"),
        (
            {"storage": "disk"},
            "evref: EVREF_STORAGE must be one of sql, memory, patient, not 'disk'",
        ),
    ],
)
def test_gunicorn_stops_where_the_application_cannot_start(
    start: Start, tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    server = start(tmp_path, *PLAIN, "--workers", "1", "wsgi:app", module="gunicorn", **settings)

    assert server.wait_until_ended() != 0
    assert server.log.splitlines().count(message) == 1
    assert "Traceback" not in server.log


@pytest.mark.parametrize(
    "command",
    [("serve", "--workers", "1"), (*PLAIN, "--workers", "1", "wsgi:app")],
    ids=["evref serve", "gunicorn"],
)
def test_it_starts_without_storage_and_serves_when_it_is_there(
    start: Start, store: Store, tmp_path: Path, command: tuple[str, ...]
) -> None:
    token = store.key().token.text
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "volume"
    elsewhere.mkdir()
    with closing(sqlite3.connect(store.folder / "evref.sqlite")) as database:
        database.execute("VACUUM INTO ?", [str(elsewhere / "evref.sqlite")])
    url = f"sqlite:///{folder / 'evref.sqlite'}"
    module = "evref" if "serve" in command else "gunicorn"
    server = start(tmp_path, *command, module=module, database_url=url)
    wait_until(lambda: status(server, "/health/ready") == 503, lambda: server.log)
    assert server.log.count("evref: starting without storage: ") == 1

    elsewhere.rename(folder)
    server.wait_until_ready()

    assert server.get(LIST, token).status == 200
    assert "Traceback" not in server.log


def status(server: Server, path: str) -> int | None:
    """Return the status of the response, or None while the server does not listen."""
    try:
        return server.get(path).status
    except ConnectionError:
        return None


def test_a_redis_that_may_evict_counts_is_warned_of_once(start: Start, store: Store) -> None:
    """Monitoring finds the warning too, also if the policy changes while the service runs."""
    token = "m" * 32
    with redis_server("--maxmemory-policy", "allkeys-lru") as redis:
        command = ("serve", "--workers", "2")
        server = start(store.folder, *command, quota_url=redis.url, metrics_token=token)
        server.wait_until_ready()
        evicting = server.get("/metrics", token).body
        with redis.client() as client:
            client.config_set("maxmemory-policy", "noeviction")
        kept = server.get("/metrics", token).body

    assert server.log.count("evref: Redis may evict counts") == 1
    assert b'evref_storage_warning{warning="Redis may evict counts' in evicting
    assert b"may evict" not in kept
