"""The metrics and the log of a running service."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest
from prometheus_client.parser import text_string_to_metric_families

from evref.domain.access.key import KeyToken
from tests.server.conftest import REPOSITORY, Connection, Server, Start, Store
from tests.servers import wait_until

LIST = "/api/v1/diagnoses"
ITEM = "/api/v1/diagnoses/<id>"
TOKEN = "0123456789abcdef0123456789abcdef"


def samples(server: Server) -> dict[tuple[str, ...], float]:
    """Return the values of metrics by name and labels, the labels sorted by name."""
    answer = server.get("/metrics", TOKEN)
    assert answer.status == 200
    return {
        (sample.name, *(text for _, text in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.body.decode())
        for sample in family.samples
    }


def entries(server: Server, logger: str) -> list[dict[str, Any]]:
    """Return the entries of a logger; every line of the log is JSON."""
    lines = [json.loads(line) for line in server.log.splitlines()]
    return [line for line in lines if line["logger"] == logger]


@pytest.fixture(scope="module")
def server(start: Start, store: Store) -> Server:
    """Start two workers with metrics and a log in JSON."""
    started = start(
        store.folder,
        "serve",
        "--workers",
        "2",
        metrics_token=TOKEN,
        log_format="json",
        access_log="on",
    )
    started.wait_until_ready(workers=2)
    return started


def test_the_workers_count_together(server: Server, store: Store) -> None:
    key = store.key(limit=21)
    before = samples(server)
    for _ in range(20):
        assert server.get(LIST, key.token.text).status == 200
    for path, token, status in (
        (f"{LIST}/nobody", key.token.text, 404),
        (LIST, key.token.text, 429),
        (LIST, KeyToken.make(7).text, 401),
        (LIST, None, 401),
        ("/nothing", None, 404),
    ):
        assert server.get(path, token).status == status
    killed, other = server.workers()
    wait_until(lambda: samples(server)["evref_workers",] == 2)
    os.kill(killed, signal.SIGKILL)
    after = samples(server)
    wait_until(lambda: set(server.workers()) - {killed, other})
    wait_until(lambda: samples(server)["evref_workers",] == 2)

    grown = {
        name: value - before.get(name, 0)
        for name, value in after.items()
        if value != before.get(name, 0)
    }
    expected = {
        ("evref_http_requests_total", "GET", LIST, "200"): 20,
        ("evref_http_requests_total", "GET", LIST, "429"): 1,
        ("evref_http_requests_total", "GET", LIST, "401"): 2,
        ("evref_http_requests_total", "GET", ITEM, "404"): 1,
        ("evref_http_requests_total", "GET", "none", "404"): 1,
        ("evref_http_request_duration_seconds_count", LIST): 23,
        ("evref_admissions_total", "admitted"): 21,
        ("evref_keys_near_limit_total",): 1,
        ("evref_admissions_total", "quota_exceeded"): 1,
        ("evref_admissions_total", "invalid_api_key"): 1,
        ("evref_admission_duration_seconds_count",): 23,
    }
    assert {name: grown.get(name) for name in expected} == expected


AS_ANOTHER_USER = """
import os
from pathlib import Path
from evref.adapters.inbound.metrics.counts import Metrics
from evref.adapters.inbound.web.host import CompletedRequest

metrics = Metrics(Path())
metrics.of_request(CompletedRequest({"REQUEST_METHOD": "GET"}, 200, 0.001))
Path(f"histogram_{os.getpid()}.db").rename("histogram_1.db")
if os.getuid() == 0:
    os.setuid(65534)
try:
    os.kill(1, 0)
except PermissionError:
    print(metrics.report(None, ()).decode())
"""


def test_a_process_of_another_user_with_the_id_of_an_ended_worker_is_not_a_worker(
    tmp_path: Path,
) -> None:
    """The first process of a machine belongs to root, and the test to another user."""
    tmp_path.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER_USER],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PROMETHEUS_MULTIPROC_DIR": "."},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "\nevref_workers 0.0\n" in done.stdout, done.stderr


def test_the_metrics_have_the_version_and_the_oldest_check(server: Server, store: Store) -> None:
    """The check is the first second of its day in UTC."""
    served = json.loads(server.get(LIST, store.key().token.text).body)
    metrics = samples(server)

    oldest = min(diagnosis["checked_on"] for diagnosis in served["data"])
    checked_at = metrics[("evref_catalogue_oldest_check_timestamp_seconds",)]
    assert datetime.fromtimestamp(checked_at, UTC).isoformat() == f"{oldest}T00:00:00+00:00"
    assert metrics["evref_catalogue_info", served["meta"]["catalogue_version"]] == 1


@pytest.mark.parametrize("token", [None, TOKEN[:-1], TOKEN + "0", "é"])
def test_the_metrics_are_for_the_operator(server: Server, token: str | None) -> None:
    answer = server.get("/metrics", token)

    assert answer.status == 401
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="evref metrics"'
    assert b"evref_http" not in answer.body
    assert TOKEN not in answer.body.decode()


def test_each_request_is_logged_with_its_id_and_the_keys(server: Server, store: Store) -> None:
    key = store.key()
    answers = [server.get(LIST, key.token.text) for _ in range(2)]
    missed = server.get(f"{LIST}/{key.token.text}?key={key.token.text}")
    asked = {answer.headers["X-Request-ID"]: answer for answer in [*answers, missed]}

    logged = [e for e in entries(server, "evref.access") if e["request_id"] in asked]

    assert [(e["status"], e["path"], e.get("key_id")) for e in logged] == [
        (200, LIST, key.key.id),
        (200, LIST, key.key.id),
        (401, f"{LIST}/…", None),
    ]
    assert {e["method"] for e in logged} == {"GET"}
    assert [e["route"] for e in logged] == [LIST, LIST, ITEM]
    assert all(0 < e["milliseconds"] < 60_000 for e in logged)
    assert all(datetime.fromisoformat(e["timestamp"]).tzinfo for e in logged)
    assert key.token.text not in server.log


def test_a_request_that_cannot_be_read_is_logged_too(server: Server) -> None:
    """Gunicorn logs it, without a request id."""
    connection = Connection(server.port)
    answer = connection.get("/" + "x" * 10_000)
    connection.close()

    wait_until(
        lambda: [e for e in entries(server, "gunicorn.error") if "too large" in e["message"]],
        lambda: server.log,
    )
    assert answer.status == 414


def test_as_text_the_log_has_the_same_ids(start: Start, store: Store) -> None:
    server = start(store.folder, "serve", "--workers", "1", access_log="on")
    server.wait_until_ready()
    key = store.key()
    request_id = server.get(LIST, key.token.text).headers["X-Request-ID"]

    line = next(line for line in server.log.splitlines() if request_id in line)
    assert f"[INFO] GET '{LIST}' 200 in " in line
    assert line.endswith(f"request_id {request_id}, key_id {key.key.id}")


def test_what_was_counted_goes_with_the_server(start: Start, store: Store) -> None:
    """Counts end with the server, not with a worker."""
    server = start(store.folder, "serve", "--workers", "1", metrics_token=TOKEN)
    server.wait_until_ready()
    (worker,) = server.workers()
    files = [
        Path(m.path) for m in psutil.Process(worker).memory_maps() if "evref-metrics" in m.path
    ]

    os.kill(worker, signal.SIGTERM)
    wait_until(lambda: server.workers() not in ([], [worker]), lambda: server.log)
    assert all(file.exists() for file in files)
    server.process.terminate()

    assert server.wait_until_ended() == 0
    assert files
    assert not any(file.parent.exists() for file in files)


def test_workers_of_any_server_share_a_folder_that_is_named(
    start: Start, store: Store, tmp_path: Path
) -> None:
    """Without the folder, each worker would report only itself, so the start is refused."""
    plain = ("--no-control-socket", "--workers", "2", "wsgi:app")
    refused = start(store.folder, *plain, module="gunicorn", metrics_token=TOKEN)
    folder = tmp_path / "metrics"
    server = start(
        store.folder, *plain, module="gunicorn", metrics_token=TOKEN, metrics_folder=str(folder)
    )
    server.wait_until_ready()
    token = store.key().token.text
    for _ in range(10):
        server.get(LIST, token)

    assert refused.wait_until_ended() != 0
    assert "EVREF_METRICS_TOKEN needs EVREF_METRICS_FOLDER" in refused.log
    assert samples(server)["evref_admissions_total", "admitted"] == 10


@pytest.mark.parametrize(
    "command",
    [("serve",), ("--config", str(REPOSITORY / "gunicorn.conf.py"), "wsgi:app")],
    ids=["evref serve", "gunicorn"],
)
def test_a_start_removes_the_counts_of_workers_that_ended(
    start: Start, store: Store, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Otherwise the folder would grow with every start; other files in it stay."""
    (tmp_path / "notes.txt").touch()
    settings = {"metrics_token": TOKEN, "metrics_folder": str(tmp_path)}
    module = "evref" if command == ("serve",) else "gunicorn"
    counts = []
    for _ in range(2):
        server = start(store.folder, *command, "--workers", "1", module=module, **settings)
        server.wait_until_ready()
        assert server.get("/nothing").status == 404
        counts.append(len(list(tmp_path.glob("*_*.db"))))
        assert samples(server)["evref_http_requests_total", "GET", "none", "404"] == 1
        server.process.terminate()
        assert server.wait_until_ended() == 0

    assert len(set(counts)) == 1
    assert (tmp_path / "notes.txt").exists()
