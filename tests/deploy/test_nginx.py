"""nginx with its configuration, with a running service and with a stopped one."""

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
METRICS_TOKEN = "0123456789abcdef0123456789abcdef"

# The relevant part of Debian's nginx.conf, with all paths in one folder.
AROUND = """
pid {folder}/pid;
error_log {folder}/log;
daemon off;
events {{}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/evref.conf;
}}
"""


@dataclass(frozen=True)
class Nginx:
    """Its ports, and a TLS context that trusts its certificate."""

    plain: int
    tls: int
    context: ssl.SSLContext

    def get(self, path: str, *, tls: bool = True, **headers: str) -> Answer:
        """Send a request on a new connection; `X_Some_Name` is the field `X-Some-Name`."""
        http = (
            HTTPSConnection("localhost", self.tls, timeout=PATIENCE, context=self.context)
            if tls
            else HTTPConnection("localhost", self.plain, timeout=PATIENCE)
        )
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(http):
            http.request("GET", path, headers={"Host": HOST, **fields})
            response = http.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())


@pytest.fixture(scope="module")
def service(start: Start, store: Store) -> Server:
    started = start(
        store.folder,
        "serve",
        "--workers",
        "1",
        base_url=f"https://{HOST}",
        proxies="1",
        metrics_token=METRICS_TOKEN,
    )
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def nginx(service: Server) -> Iterator[Nginx]:
    program = needs("nginx")
    with folder_for_a_server() as folder:
        context = _certificate(folder)
        found = Nginx(free_port(), free_port(), context)
        _configure(folder, found, service.port)
        subprocess.run([program, "-t", "-q", "-c", folder / "nginx.conf"], check=True)
        with (folder / "printed").open("wb") as printed:
            process = subprocess.Popen(
                [program, "-c", folder / "nginx.conf"], stdout=printed, stderr=printed
            )
        try:
            eventually(lambda: _listens(found.tls), (folder / "log").read_text)
            yield found
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def _certificate(folder: Path) -> ssl.SSLContext:
    """Create a certificate in the folder; return a context that trusts only it."""
    certificate = folder / "fullchain.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
            *("ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", f"/CN={HOST}"),
            *("-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "privkey.pem"),
            *("-out", certificate),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.create_default_context(cafile=certificate)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _configure(folder: Path, nginx: Nginx, service: int) -> None:
    text = (DEPLOY / "nginx" / "evref.conf").read_text()
    for pattern, other in (
        (r"listen 80;", f"listen 127.0.0.1:{nginx.plain};"),
        (r"listen 443 ssl http2;", f"listen 127.0.0.1:{nginx.tls} ssl http2;"),
        (r"listen \[::\]:.*;", ""),
        (r"127\.0\.0\.1:8000", f"127.0.0.1:{service}"),
        (r"/etc/ssl/evref/", f"{folder}/"),
        (r"/var/log/nginx/", f"{folder}/"),
    ):
        text, times = re.subn(pattern, other, text)
        assert times, f"the configuration does not contain {pattern} any more"
    (folder / "evref.conf").write_text(text)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder))


def _listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=PATIENCE):
        return True
    return False


def test_a_response_passes_unchanged_with_a_single_request_id(nginx: Nginx, store: Store) -> None:
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
    assert nginx.get(LIST, tls=False, Authorization="Bearer x").status == 403
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

    answer = nginx.get(
        scraped.get("metrics_path", "/metrics"), Authorization=f"Bearer {METRICS_TOKEN}"
    )

    assert answer.status == 200
    families = list(text_string_to_metric_families(answer.body.decode()))
    measured = {sample.name: set(sample.labels) for each in families for sample in each.samples}
    documented = set(re.findall(r"^\| `(evref_\w+)`", how_to, re.MULTILINE))
    assert documented <= {*measured, *(family.name for family in families)}
    # `job` and `instance` are Prometheus' own.
    for name, labels in re.findall(r"\b(evref_[a-z_]+)(?:\{(.*?)\})?", rules):
        assert set(re.findall(r"(\w+)[=!]~?", labels)) <= measured[name] | {"job", "instance"}


def test_without_the_service_nginx_returns_a_problem(nginx: Nginx, service: Server) -> None:
    """Must be the last test, because it stops the service."""
    service.process.terminate()
    service.wait_until_ended()

    answer = nginx.get(LIST, X_Request_ID="ward-7.2")

    problem = json.loads(answer.body)
    assert answer.status == problem["status"] == 503
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["Retry-After"] == "5"
    assert answer.headers["X-Request-ID"] == problem["request_id"] == "ward-7.2"
    assert problem["type"] == f"https://{HOST}/problems/service-unavailable"
