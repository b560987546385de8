"""Granian with the shipped settings, behind nginx with the shipped configuration."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from evref.ports.accounts import MEMBERS
from tests.deploy.proxy import HOST, METRICS_TOKEN, Nginx, running
from tests.deploy.shell import DEPLOY, ROOT
from tests.deploy.test_sign_in import COOKIE, READER, auth_server, in_front_of, secret
from tests.deploy.test_slow_clients import (
    HALF_A_REQUEST,
    assert_others_are_exactly_counted,
    many_files,
    slow_clients,
)
from tests.server.conftest import Answer, Server, Start, Store, environment
from tests.servers import PATIENCE, free_port

__all__ = ["many_files", "secret"]

Granian = Callable[..., Server]
LINE = "proxy_set_header XForwardedEmail $evref_email;"

LIST = "/api/v1/diagnoses"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}

REQUESTS: list[tuple[str, str, dict[str, str], bytes | None]] = [
    ("GET", LIST, {}, None),
    ("HEAD", LIST, {}, None),
    ("GET", LIST, {"Accept-Encoding": "gzip"}, None),
    ("GET", LIST, {"If-None-Match": "*"}, None),
    ("GET", LIST, {"Range": "bytes=0-9"}, None),
    ("GET", LIST, {"Authorization": "Bearer evref_mistyped"}, None),
    ("GET", LIST, {"X-Long": "x" * 15_000}, None),
    ("GET", f"{LIST}?search=M%C3%A9ni%C3%A8re", {}, None),
    ("GET", f"{LIST}?search=%FF", {}, None),
    ("GET", f"{LIST}?search=a+b&search=c", {}, None),
    ("GET", f"{LIST}/", {}, None),
    ("GET", f"/{LIST}", {}, None),
    ("GET", f"{LIST}/%2e%2e/x", {}, None),
    ("GET", f"{LIST}/caf%C3%A9", {}, None),
    ("POST", LIST, JSON, b"{}"),
    ("DELETE", LIST, {}, None),
    ("OPTIONS", LIST, {}, None),
    ("GET", "/api/v1/catalogue", {}, None),
    ("GET", "/static/swagger-ui-bundle.00000000.js", {}, None),
    ("GET", "/fhir/PlanDefinition?_count=2", {}, None),
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
            storage="patient",
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
        for name in ("XForwardedEmail", "X-Forwarded-Email", "X_Forwarded_Email"):
            for proof in ([], ["--header", f"X-Evref-Proxy-Secret: {secret}"]):
                forged = ["--header", f"{name}: forged@hospital.example", *proof]
                assert proxy.curl("/catalogue", *forged).status == 302, name
                answer = proxy.curl("/catalogue", *COOKIE, *forged)
                assert answer.status == 200
                assert READER.encode() in answer.body
                assert b"forged@" not in answer.body
    emails = {member.email for member in store.container.storage().records.find(MEMBERS)}
    assert READER in emails
    assert "forged@hospital.example" not in emails
