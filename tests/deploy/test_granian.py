"""Granian with the shipped settings, behind nginx with the shipped configuration."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest

from evref.domain.access.quota import DayUsage
from evref.ports.accounts import MEMBERS
from evref.testing.builders import OPERATOR
from tests.deploy.proxy import HOST, METRICS_TOKEN, Nginx, running
from tests.deploy.shell import DEPLOY, ROOT
from tests.deploy.test_sign_in import READER, auth_server, in_front_of, secret
from tests.deploy.test_slow_clients import (
    HALF_A_REQUEST,
    assert_others_are_exactly_counted,
    many_files,
    slow_clients,
)
from tests.server.conftest import Answer, Connection, Server, Start, Store, environment
from tests.servers import PATIENCE, free_port, wait_until

__all__ = ["many_files", "secret"]

Granian = Callable[..., Server]
LINE = "proxy_set_header XForwardedEmail $evref_email;"

LIST = "/api/v1/diagnoses"
ONE = f"{LIST}/knee-osteoarthritis"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}

REQUESTS: list[tuple[str, str, dict[str, str], bytes | None]] = [
    ("GET", LIST, {}, None),
    ("HEAD", LIST, {}, None),
    ("GET", LIST, {"Accept-Encoding": "gzip"}, None),
    ("GET", LIST, {"If-None-Match": "*"}, None),
    ("GET", LIST, {"Range": "bytes=0-9"}, None),
    ("GET", LIST, {"Authorization": "Bearer evref_mistyped"}, None),
    ("GET", LIST, {"Authorization": "Basic eDp5"}, None),
    ("GET", LIST, {"Origin": "https://elsewhere.example.org"}, None),
    ("GET", LIST, {"Accept": "text/html"}, None),
    ("GET", LIST, {"X-Long": "x" * 15_000}, None),
    ("GET", f"{LIST}?search=M%C3%A9ni%C3%A8re", {}, None),
    ("GET", f"{LIST}?search=%FF", {}, None),
    ("GET", f"{LIST}?search=a+b&search=c", {}, None),
    ("GET", f"{LIST}?unknown=1", {}, None),
    ("GET", f"{LIST}?", {}, None),
    ("GET", f"{LIST}/", {}, None),
    ("GET", f"/{LIST}", {}, None),
    ("GET", f"{LIST}/%2e%2e/x", {}, None),
    ("GET", f"{LIST}/caf%C3%A9", {}, None),
    ("GET", f"{LIST}/nothing", {}, None),
    ("POST", LIST, JSON, b"{}"),
    ("DELETE", LIST, {}, None),
    ("OPTIONS", LIST, {}, None),
    ("GET", ONE, {}, None),
    ("GET", f"{ONE}/interventions", {}, None),
    ("GET", f"{ONE}/interventions?module=home&phase=chronic", {}, None),
    ("GET", f"{ONE}/interventions?module=other", {}, None),
    ("GET", "/api/v1/catalogue", {}, None),
    ("GET", "/api/v1/catalogue", {"Accept": "application/x-ndjson"}, None),
    ("GET", "/api/v1/limit", {}, None),
    ("GET", "/openapi.json", {}, None),
    ("GET", "/static/swagger-ui-bundle.00000000.js", {}, None),
    ("GET", "/fhir/metadata", {}, None),
    ("GET", "/fhir/PlanDefinition?_count=2", {}, None),
    ("GET", "/infobutton?mainSearchCriteria.v.c=M17", {}, None),
    ("GET", "/", {}, None),
    ("GET", "/settings", {}, None),
    ("GET", "/settings/sign-in", {}, None),
    ("POST", "/settings/sign-in", FORM, b"email=a%40example.org&password=wrong"),
    ("POST", "/settings/sign-in", FORM, b"a" * 70_000),
    ("GET", "/health/ready", {}, None),
    ("GET", "/metrics", {"Authorization": "Bearer wrong"}, None),
]


@pytest.fixture(scope="module")
def granian(store: Store) -> Iterator[Granian]:
    """Start Granian with the settings and the command of the systemd unit, on a free port."""
    servers: list[Server] = []
    lines = (DEPLOY / "granian.env").read_text().splitlines()
    shipped = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    unit = (DEPLOY / "systemd" / "evref-granian.service").read_text()
    (arguments,) = re.findall(r"(?m)^ExecStart=\S+/granian (.*)$", unit)

    def start(**settings: str) -> Server:
        port = free_port()
        env = environment(
            base_url=f"https://{HOST}",
            proxies="1",
            metrics_token=METRICS_TOKEN,
            metrics_folder=str(store.folder / f"metrics-{port}"),
            **settings,
        )
        command = [sys.executable, "-m", "granian", *arguments.split()]
        env |= shipped | {"GRANIAN_PORT": str(port)}
        servers.append(Server(command, store.folder, port, env))
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


@pytest.fixture(scope="module")
def service(granian: Granian) -> Server:
    """Take the place of gunicorn behind `nginx`."""
    started = granian()
    started.wait_until_ready()
    return started


def admitted(store: Store, key_id: str) -> int:
    (day,) = store.container.manage_keys().history(OPERATOR, key_id)
    assert isinstance(day, DayUsage)
    return day.admitted


def comparable(answer: Answer) -> tuple[int, dict[str, str], bytes]:
    """Return the response without what differs by request or by server."""
    fields = {
        name.lower(): re.sub(r"(?<=;t=)\d+|(?<==)[^;]{20,}", "", value)
        for name, value in answer.headers.items()
        if name.lower() not in {"server", "date", "connection"}
    }
    body = re.sub(rb'(?<=name="csrf_token" type="hidden" value=")[^"]+', b"", answer.body)
    if body != answer.body:
        fields["content-length"] = str(len(body))
    return answer.status, fields, body


def test_the_answers_equal_those_of_gunicorn(nginx: Nginx, store: Store, start: Start) -> None:
    """The status, the body, and every header field but those of the server itself."""
    gunicorn = start(
        store.folder,
        "serve",
        base_url=f"https://{HOST}",
        proxies="1",
        metrics_token=METRICS_TOKEN,
    )
    gunicorn.wait_until_ready()
    with running(gunicorn.port) as other:
        keys = {proxy: store.key().token.text for proxy in (nginx, other)}

        for number, (method, path, headers, body) in enumerate(REQUESTS):
            fields = {"X-Request-ID": str(number), **headers}
            ours, theirs = (
                comparable(
                    proxy.send(
                        method, path, {"Authorization": f"Bearer {keys[proxy]}", **fields}, body
                    )
                )
                for proxy in (nginx, other)
            )
            assert ours == theirs, (method, path, headers)
    assert len(REQUESTS) >= 40


def test_slow_and_silent_connections_delay_nobody(
    nginx: Nginx, service: Server, store: Store
) -> None:
    """This holds for connections to nginx and for those to Granian itself."""
    with slow_clients(nginx) as stack:
        for number in range(500):
            silent = socket.create_connection(("127.0.0.1", service.port))
            stack.enter_context(closing(silent))
            silent.sendall(HALF_A_REQUEST["half the header fields"] if number % 2 else b"")
        for name in ("nothing", "half a form", "half a chunk"):
            for _ in range(30):
                stack.enter_context(nginx.connect()).sendall(HALF_A_REQUEST[name])

        assert_others_are_exactly_counted(nginx, store)


def test_exactly_the_limit_is_admitted_while_workers_are_killed(
    nginx: Nginx, service: Server, store: Store
) -> None:
    """A response may be lost with its worker, but each response was counted."""
    key = store.key(limit=400)

    def send(_number: int) -> int:
        return nginx.get(LIST, Authorization=f"Bearer {key.token.text}").status

    statuses: Counter[int] = Counter()
    with ThreadPoolExecutor(6) as clients:
        for _ in range(2):
            statuses += Counter(clients.map(send, range(50)))
            pending = [clients.submit(send, number) for number in range(100)]
            os.kill(service.workers()[0], signal.SIGKILL)
            statuses += Counter(response.result() for response in pending)
            # While nobody listens, nginx responds at once, and soon with its own 429.
            service.wait_until_ready()
        while 429 not in statuses:
            statuses += Counter(clients.map(send, range(50)))

    assert admitted(store, key.key.id) == 400
    assert 300 < statuses[200] <= 400
    assert set(statuses) <= {200, 429, 503}


def group_exists(server: Server) -> bool:
    """Return whether any process of the server is left."""
    try:
        os.killpg(server.process.pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_stop_while_it_starts_ends_it_and_its_workers(granian: Granian) -> None:
    """Before there are workers, and while they load the service.

    Not in the microseconds in which Granian 2.8 begins to wait for signals: there it would hang
    until systemd kills it.
    """

    def loads(server: Server) -> bool:
        spent = [worker.cpu_times().user for worker in server.processes()]
        return len(spent) == 2 and min(spent) > 0.1

    for has_begun in (lambda server: "Starting granian" in server.log, loads):
        server = granian()
        wait_until(lambda: has_begun(server), lambda: server.log)  # noqa: B023 - called here
        server.process.terminate()
        server.wait_until_ended()

        wait_until(lambda: not group_exists(server), lambda: server.log)  # noqa: B023


def test_a_stop_under_load_completes_the_requests_in_progress(
    granian: Granian, store: Store
) -> None:
    server, key = granian(), store.key()
    server.wait_until_ready()
    started = Event()

    def send(_client: int) -> int:
        answered = 0
        try:
            with closing(Connection(server.port)) as connection:
                while connection.get(LIST, key.token.text).status == 200:
                    answered += 1
                    started.set()
        except OSError:
            return answered
        raise AssertionError("the service refused a request")

    with ThreadPoolExecutor(8) as clients:
        sent = [clients.submit(send, number) for number in range(8)]
        assert started.wait(PATIENCE)
        server.process.terminate()
        answered = sum(request.result() for request in sent)

    assert server.wait_until_ended() == 0, server.log
    assert admitted(store, key.key.id) == answered


@pytest.mark.parametrize("server", ["granian", "cheroot", "gunicorn, granian", "gunicorn"])
def test_only_gunicorn_takes_a_sign_in_header_with_hyphens(server: str, store: Store) -> None:
    """The error contains the line for nginx; a server that is not installed here is unknown."""
    imports = server.replace("cheroot", "wsgiref.simple_server")
    started = {
        name: subprocess.run(
            [sys.executable, "-c", f"import {imports}, wsgi"],
            cwd=store.folder,
            env=environment(sign_in_header=name),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        for name in ("X-Forwarded-Email", "XForwardedEmail")
    }

    refused = started["X-Forwarded-Email"]
    assert started["XForwardedEmail"].returncode == 0
    assert refused.returncode == (0 if server == "gunicorn" else 4)
    lines = refused.stderr.splitlines() if server != "gunicorn" else [_refusal()]
    assert lines == [_refusal()]


def _refusal() -> str:
    return (
        "evref: EVREF_SIGN_IN_HEADER must have no hyphen under a server other than gunicorn: set "
        "it to XForwardedEmail, and in /etc/nginx/evref-sign-in.conf replace the line that sets "
        f"X-Forwarded-Email by: {LINE} (set there from the answer of auth_request)"
    )


def test_behind_nginx_and_a_proxy_no_client_can_name_somebody_else(
    granian: Granian, store: Store, secret: str
) -> None:
    """nginx, the sign-in of the how-to with the line for Granian, and Granian itself."""
    page = (ROOT / "docs" / "how-to" / "run-on-granian.md").read_text()
    assert f"`{LINE}`" in page
    service = granian(sign_in_header="XForwardedEmail")
    service.wait_until_ready()
    shipped = "proxy_set_header X-Forwarded-Email $evref_email;"

    with auth_server() as port, in_front_of(service, secret, port, {shipped: LINE}) as proxy:
        url = f"https://127.0.0.1:{proxy.tls}/catalogue"
        for name in ("XForwardedEmail", "X-Forwarded-Email", "X_Forwarded_Email"):
            for proof in ([], ["--header", f"X-Evref-Proxy-Secret: {secret}"]):
                forged = ["--header", f"{name}: forged@hospital.example", *proof, url]
                assert proxy.curl(*forged).status == 302, name
                answer = proxy.curl("--cookie", f"user={READER}", *forged)
                assert answer.status == 200
                assert READER.encode() in answer.body
                assert b"forged@" not in answer.body
    emails = {member.email for member in store.container.storage().records.find(MEMBERS)}
    assert READER in emails
    assert "forged@hospital.example" not in emails
