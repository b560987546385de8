"""nginx with the configuration as it is, before a real service and before none."""

from __future__ import annotations

import json
import re
import socket
import ssl

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.deploy.proxy import HOST, METRICS_TOKEN, Nginx, nginx, service
from tests.deploy.shell import DEPLOY, ROOT
from tests.server.conftest import PATIENCE, Server, Store

__all__ = ["nginx", "service"]

LIST = "/api/v1/diagnoses"


def test_an_answer_passes_unchanged_with_the_one_request_id(nginx: Nginx, store: Store) -> None:
    token = store.key().token.text

    answer = nginx.get(
        LIST, Authorization=f"Bearer {token}", X_Request_ID="ward-7.1", Accept_Encoding="gzip"
    )
    other = nginx.get(LIST, Authorization=f"Bearer {token}", X_Request_ID="no id")

    assert (answer.status, other.status) == (200, 200)
    assert answer.headers["X-Request-ID"] == "ward-7.1"
    assert re.fullmatch(r"[0-9a-f]{32}", other.headers["X-Request-ID"])
    assert answer.headers["ETag"].startswith('"')
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["X-RateLimit-Remaining"] == "999999"
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")


def test_http_2_is_offered_and_older_tls_is_not(nginx: Nginx) -> None:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2", "http/1.1"])

    with (
        socket.create_connection(("127.0.0.1", nginx.tls), timeout=PATIENCE) as plain,
        context.wrap_socket(plain) as encrypted,
    ):
        assert encrypted.selected_alpn_protocol() == "h2"
        assert encrypted.version() == "TLSv1.3"


def test_in_the_clear_no_key_is_redirected_and_a_person_is(nginx: Nginx) -> None:
    assert nginx.get(LIST, tls=False, Authorization="Bearer x").status == 403
    page = nginx.get("/docs?a=b", tls=False)
    assert (page.status, page.headers["Location"]) == (308, f"https://{HOST}/docs?a=b")


def test_what_prometheus_and_its_rules_ask_for_is_measured(nginx: Nginx, store: Store) -> None:
    """By the names that the rules and the how-to have, with every label that they look at."""
    assert nginx.get(LIST, Authorization=f"Bearer {store.key().token.text}").status == 200
    (scraped,) = yaml.safe_load((DEPLOY / "prometheus" / "scrape.yml").read_text())[
        "scrape_configs"
    ]
    rules = (DEPLOY / "prometheus" / "evref-rules.yml").read_text()
    how_to = (ROOT / "docs" / "how-to" / "monitor.md").read_text()

    answer = nginx.get(
        scraped.get("metrics_path", "/metrics"), Authorization=f"Bearer {METRICS_TOKEN}"
    )

    assert answer.status == 200
    families = list(text_string_to_metric_families(answer.body.decode()))
    measured = {sample.name: set(sample.labels) for each in families for sample in each.samples}
    told = set(re.findall(r"^\| `(evref_\w+)`", how_to, re.MULTILINE))
    assert told <= {*measured, *(family.name for family in families)}
    # `job` and `instance` are Prometheus' own.
    for name, labels in re.findall(r"\b(evref_[a-z_]+)(?:\{(.*?)\})?", rules):
        assert set(re.findall(r"(\w+)[=!]~?", labels)) <= measured[name] | {"job", "instance"}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n", 413),
        (b"GET /" + b"x" * 5000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 5000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: " * 6 + b"x" * 5000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", 400),
        (b"\x16\x03\r\n\r\n", 400),
    ],
)
def test_what_nginx_refuses_is_a_problem_too(nginx: Nginx, sent: bytes, status: int) -> None:
    with nginx.connect() as connection:
        connection.sendall(sent)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))

    head, _, body = answer.partition(b"\r\n\r\n")
    problem = json.loads(body)
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert problem["status"] == status
    assert b"\r\nContent-Type: application/problem+json\r\n" in head
    assert f"X-Request-ID: {problem['request_id']}".encode() in head


def test_without_the_service_nginx_answers_with_a_problem(nginx: Nginx, service: Server) -> None:
    """The last test here: it ends the service."""
    service.process.terminate()
    service.wait_until_ended()

    answer = nginx.get(LIST, X_Request_ID="ward-7.2")

    problem = json.loads(answer.body)
    assert answer.status == problem["status"] == 503
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Retry-After"] == "5"
    assert answer.headers["X-Request-ID"] == problem["request_id"] == "ward-7.2"
    assert problem["type"] == f"https://{HOST}/problems/service-unavailable"
