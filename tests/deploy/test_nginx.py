"""nginx with its configuration, with a running service and with a stopped one."""

from __future__ import annotations

import json
import re
import socket
import ssl
from http.client import HTTPResponse

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.deploy.proxy import HOST, METRICS_TOKEN, Nginx, nginx, service
from tests.deploy.shell import DEPLOY, ROOT
from tests.server.conftest import PATIENCE, Server, Store

__all__ = ["nginx", "service"]

LIST = "/api/v1/diagnoses"


def test_a_response_passes_unchanged_with_a_single_request_id(nginx: Nginx, store: Store) -> None:
    token = store.key().token.text

    response = nginx.get(
        LIST, Authorization=f"Bearer {token}", X_Request_ID="ward-7.1", Accept_Encoding="gzip"
    )
    other = nginx.get(LIST, Authorization=f"Bearer {token}", X_Request_ID="no id")

    assert (response.status, other.status) == (200, 200)
    assert response.headers["X-Request-ID"] == "ward-7.1"
    assert re.fullmatch(r"[0-9a-f]{32}", other.headers["X-Request-ID"])
    assert response.headers["ETag"].startswith('"')
    assert response.headers["Content-Encoding"] == "gzip"
    assert response.headers["X-RateLimit-Remaining"] == "999999"
    assert response.headers["Strict-Transport-Security"].startswith("max-age=")


def test_nginx_offers_http_2_and_not_older_tls(nginx: Nginx) -> None:
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


def test_without_tls_a_browser_is_redirected_and_a_request_with_a_key_is_not(nginx: Nginx) -> None:
    for path in (LIST, "/fhir/PlanDefinition", "/infobutton?mainSearchCriteria.v.dn=knee"):
        assert nginx.get(path, tls=False, Authorization="Bearer x").status == 403
    page = nginx.get("/docs?a=b", tls=False)
    assert (page.status, page.headers["Location"]) == (308, f"https://{HOST}/docs?a=b")


def test_every_metric_that_the_rules_use_exists(nginx: Nginx, store: Store) -> None:
    """With the names in the rules and the how-to, and every label that they use."""
    assert nginx.get(LIST, Authorization=f"Bearer {store.key().token.text}").status == 200
    (scraped,) = yaml.safe_load((DEPLOY / "prometheus" / "scrape.yml").read_text())[
        "scrape_configs"
    ]
    rules = (DEPLOY / "prometheus" / "evref-rules.yml").read_text()
    how_to = (ROOT / "docs" / "how-to" / "monitor.md").read_text()

    response = nginx.get(
        scraped.get("metrics_path", "/metrics"), Authorization=f"Bearer {METRICS_TOKEN}"
    )

    assert response.status == 200
    families = list(text_string_to_metric_families(response.body.decode()))
    measured = {sample.name: set(sample.labels) for each in families for sample in each.samples}
    documented = set(re.findall(r"^\| `(evref_\w+)`", how_to, re.MULTILINE))
    assert documented <= {*measured, *(family.name for family in families)}
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
def test_errors_of_nginx_are_problems_too(nginx: Nginx, sent: bytes, status: int) -> None:
    with nginx.connect() as connection:
        connection.sendall(sent)
        response = HTTPResponse(connection)
        response.begin()
        problem = json.loads(response.read())

    assert response.status == problem["status"] == status
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["X-Request-ID"] == problem["request_id"]


def test_without_the_service_nginx_returns_a_problem(nginx: Nginx, service: Server) -> None:
    """Must be the last test, because it stops the service."""
    service.process.terminate()
    service.wait_until_ended()

    response = nginx.get(LIST, X_Request_ID="ward-7.2")

    problem = json.loads(response.body)
    assert response.status == problem["status"] == 503
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Retry-After"] == "5"
    assert response.headers["X-Request-ID"] == problem["request_id"] == "ward-7.2"
    assert problem["type"] == f"https://{HOST}/problems/service-unavailable"
