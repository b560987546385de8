"""nginx with its configuration, with a running service and with a stopped one."""

from __future__ import annotations

import json
import re
import socket
import ssl
from base64 import b64encode
from http.client import HTTPResponse
from http.cookies import SimpleCookie
from pathlib import Path

import pytest

from evref.bootstrap.app import create_app
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.key import KeyToken
from evref.domain.accounts.invitation import InvitationToken
from tests.deploy.proxy import HOST, Nginx, running
from tests.deploy.shell import DEPLOY, ROOT, blocks, needs, run
from tests.deploy.test_other_proxies import recorder
from tests.server.conftest import Answer, Server, Start, Store
from tests.servers import PATIENCE, free_port, wait_until

HOW_TO = ROOT / "docs" / "how-to" / "deploy.md"
LIST = "/api/v1/diagnoses"
PAGE = "/catalogue"
KEY = KeyToken.make(0x5EED << 200).text
VERSIONS = ("--http1.1", "--http2")


def b64(text: str) -> str:
    return b64encode(text.encode()).decode()


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
        refused = nginx.get(path, tls=False, Authorization="Bearer x", X_Request_ID="w-7")
        problem = json.loads(refused.body)
        assert refused.status == problem["status"] == 403
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert problem["detail"].startswith("Use https")
        assert problem["request_id"] == refused.headers["X-Request-ID"] == "w-7"
    page = nginx.get("/docs?a=b", tls=False)
    assert (page.status, page.headers["Location"]) == (308, f"https://{HOST}/docs?a=b")


@pytest.mark.parametrize("sent_id", [KEY, KEY.upper(), KEY[6:], KEY.encode().hex()[:64], "w-7"])
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("path", "arguments", "status"),
    [
        ("/", ("--data-binary", "@-"), 413),
        ("/settings/sign-in", ("--upload-file", "-"), 413),
        ("/" + "x" * 5000, (), 414),
        ("/?q=" + "x" * 7000, (), 414),
        ("/", [word for n in range(64) for word in ("--header", f"X{n}: x")], 431),
        ("/", [word for n in range(70) for word in ("--header", f"X{n}: x")], 431),
    ],
)
def test_what_is_too_long_is_a_problem_in_every_version(
    nginx: Nginx, *, sent_id: str, version: str, path: str, arguments: list[str], status: int
) -> None:
    response = nginx.curl(
        *(path, version, *arguments, "--header", f"X-Request-ID: {sent_id}"), sent=b"x" * 65537
    )

    problem = json.loads(response.body)
    assert response.status == problem["status"] == status
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["x-request-id"] == problem["request_id"]
    assert KEY[6:20].lower() not in f"{response.headers}{problem}".lower()
    assert problem["request_id"] == sent_id or sent_id != "w-7" or status == 431


@pytest.mark.parametrize(
    ("line", "status"), [(b"GET /?%s", 414), (b"GET / HTTP/1.1\r\nX: %s", 431)]
)
def test_what_is_far_too_long_is_a_problem_in_http_1(
    nginx: Nginx, line: bytes, status: int
) -> None:
    """In HTTP/2, nginx closes the connection."""
    assert answered(nginx, line % (b"x" * 17000) + b" HTTP/1.1\r\nHost: x\r\n\r\n").status == status


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
        b"\x16\x03\r\n\r\n",
        b"AB / HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_a_malformed_request_is_a_problem(nginx: Nginx, sent: bytes) -> None:
    assert answered(nginx, sent).status == 400


def answered(nginx: Nginx, sent: bytes) -> Answer:
    with nginx.connect() as connection:
        connection.sendall(sent)
        response = HTTPResponse(connection)
        response.begin()
        body = response.read()
    problem = json.loads(body)
    assert response.status == problem["status"]
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["X-Request-ID"] == problem["request_id"]
    return Answer(response.status, dict(response.headers), body)


@pytest.mark.parametrize("path", [PAGE, LIST])
def test_a_browser_gets_a_page_and_a_program_a_problem(nginx: Nginx, path: str) -> None:
    """The API returns problem documents to browsers too."""
    browser = ("--header", "Accept: text/html", "--request", "AB")
    response = nginx.curl(path, *browser)

    assert response.status == 400
    assert response.headers["content-type"] == (
        "text/html; charset=utf-8" if path == PAGE else "application/problem+json"
    )
    assert response.headers["x-request-id"].encode() in response.body


@pytest.mark.parametrize("id_", ["x" * 64, "0123456789abcdef" * 4, "ward-7.1"])
def test_a_long_id_is_not_a_key(nginx: Nginx, id_: str) -> None:
    assert nginx.get("/health/live", X_Request_ID=id_).headers["X-Request-ID"] == id_


@pytest.mark.parametrize("version", VERSIONS)
def test_no_key_no_search_and_no_invitation_is_repeated(nginx: Nginx, version: str) -> None:
    invitation = InvitationToken.make(0x5EED << 256).text
    encoded = "".join(f"%{byte:02x}" for byte in KEY.encode())
    secrets = [KEY, KEY.lower(), KEY[6:], encoded, encoded.replace("%", "%25"), b64(KEY)]
    paths = [f"/catalogue/{secret}" for secret in secrets]
    paths += [f"/catalogue?q=diabetes&k={secret}" for secret in secrets]
    paths += [f"/settings/invitation/{invitation}", f"/settings/%69nvitation/{invitation}/"]
    answers = []

    for path in (*paths, "/catalogue?q=diabetes", f"/{'x' * 5000}?q=diabetes"):
        for tls in (True, False):
            answer = nginx.curl(
                *(path, version if tls else "--http1.1"),
                *("--header", f"X-Request-ID: {KEY}", "--referer", f"https://x/?q=diabetes{KEY}"),
                *("--request", "EVREF_ABCDEF") if path == paths[0] else (),
                tls=tls,
            )
            answers.append(str(answer))

    line = f'"get /catalogue http/{2.0 if version == "--http2" else 1.1}" 303'
    # A request is logged after its response was sent.
    wait_until(lambda: line in nginx.log.lower())
    log = nginx.log.lower()
    for secret in (KEY[6:20], encoded[18:40], b64(KEY)[8:40], "EVREF_ABC"):
        assert secret.lower() not in log + "".join(answers).lower()
    assert "diabetes" not in log
    assert invitation[:20].lower() not in log


@pytest.mark.parametrize(
    ("asked", "led_to"),
    [
        ("/docs?a=b", "/docs?a=b"),
        ("/catalogue?q=Kn%C3%BCe%20x&utm_id=a", "/catalogue?q=Kn%C3%BCe%20x&utm_id=a"),
        (f"/catalogue?q={'neurofibrosarcomatosis' * 2}", None),
        ("/catalogue/knee-osteoarthritis.ris", None),
        ("/static/evref.3f2a91c0.css?", None),
        (f"/catalogue?q={KEY[6:]}&a=b", "/catalogue"),
        ("/catalogue?q=%65vref%255Fx", "/catalogue"),
    ],
)
def test_without_tls_a_browser_is_redirected_with_a_query_that_is_no_key(
    nginx: Nginx, asked: str, led_to: str | None
) -> None:
    response = nginx.get(asked, tls=False)

    assert (response.status, response.headers["Location"]) == (
        308,
        f"https://{HOST}{led_to or asked}",
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_long_fields_pass_and_of_the_cookies_only_those_of_the_service(
    nginx: Nginx, version: str
) -> None:
    """The identity provider's cookies take 12 KiB, in one field or in several (HTTP/2)."""
    others = {f"_oauth2_proxy_{number}": "x" * 4000 for number in range(3)}
    own = {"__Host-evref_session": "a", "__Host-evref_device": "b", "__Host-evref_forms": "c"}
    first, *rest = (f"{name}={value}" for name, value in {**others, **own}.items())

    with recorder() as (port, received), running(port) as proxy:
        for sent in ([f"Cookie: {'; '.join([first, *rest])}"], [f"Cookie: {first}"], []):
            fields = [word for field in sent for word in ("--header", field)]
            proxy.curl("/catalogue", version, *fields)
    answer = nginx.curl("/health/live", version, "--header", "X: " + "x" * 15_000)

    cookies = [dict(fields).get("cookie") for fields in received]
    assert [cookie and SimpleCookie(cookie).items() for cookie in cookies] == [
        SimpleCookie(own).items(),
        None,
        None,
    ]
    assert answer.status == 200


@pytest.mark.parametrize("version", ["1.22.1", "1.26.3", "1.30.0 (Ubuntu)"])
def test_a_newer_nginx_gets_the_newer_directive_for_http_2(version: str, tmp_path: Path) -> None:
    needs("dpkg")
    (block,) = (block for block in blocks(HOW_TO.read_text()) if "compare-versions" in block)
    lines = block[block.index("if dpkg") : block.index("fi\n") + 3]
    available = tmp_path / "evref"
    shipped = (DEPLOY / "nginx" / "evref.conf").read_text()
    available.write_text(shipped)

    named = {"nginx -v 2>&1": f"echo 'nginx version: nginx/{version}'"}
    run(lines, tmp_path, {"/etc/nginx/sites-available/evref": str(available), **named})

    written = available.read_text()
    if version == "1.22.1":
        assert written == shipped
    else:
        assert written.count("    http2 on;\n") == 1
        assert "http2;" not in written
        assert "listen 443 ssl;" in written


def test_every_path_of_the_service_is_logged(nginx: Nginx) -> None:
    """Invitations are the exception, because their links are secrets."""
    id_ = "0123456789abcdef"
    app = create_app(Settings(storage=StorageKind.MEMORY, secret_key="x" * 40))
    examples = {"id": "copd-1", "slug": "not-found", "name": "index.css"}
    rules = [rule for rule in app.url_map.iter_rules() if "invitation/" not in rule.rule]
    paths = {re.sub(r"<(?:\w+:)?(\w+)>", lambda n: examples.get(n[1], id_), r.rule) for r in rules}

    for path in paths:
        nginx.get(path, tls=False, X_Request_ID="every.path")

    def logged() -> set[str]:
        lines = re.findall(r'"GET (\S+) HTTP/1.1" .* every.path$', nginx.log, re.MULTILINE)
        return set(lines)

    # A request is logged after its response was sent.
    wait_until(lambda: logged() == paths, lambda: f"{logged() ^ paths}")


def test_all_addresses_of_a_network_share_a_limit(service: Server) -> None:
    """An IPv6 network has 64 bits. Here nginx takes the address from a header."""
    replaced = {
        "rate=500r/s": "rate=1r/m",
        "burst=1000 nodelay": "burst=2 nodelay",
        "client_header_timeout 10s;": "set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP;",
    }
    with running(service.port, replaced) as strict:
        statuses = [
            strict.get("/health/live", X_Real_IP=address).status
            for address in (
                *("2001:db8::1", "2001:db8:0:0:1:a0a:a0a:a0a", "2001:db8::ffff:1:2", "2001:db8::4"),
                *("2001:db8:0:1::1", "2001:db8:0:a::1", "192.0.2.1", "192.0.2.2"),
            )
        ]

    assert statuses == [200, 200, 200, 429, 200, 200, 200, 200]


@pytest.mark.parametrize(
    ("zone", "searched"),
    [
        ("suggestions", "/catalogue/suggest?q=gout"),
        ("searches", "//catalogue?q=gout"),
        ("searches", "/catalogue/gout?searched=gout"),
        ("searches", "/infobutton?mainSearchCriteria.v.dn=gout&knowledgeResponseType=text/html"),
    ],
)
def test_searches_of_a_network_have_a_limit_of_their_own(
    service: Server, zone: str, searched: str
) -> None:
    replaced = {
        rf"(zone=evref_{zone}:10m) rate=10r/s": r"\1 rate=1r/m",
        rf"(zone=evref_{zone}) burst=20": r"\1 burst=2",
    }
    with running(service.port, replaced) as strict:
        searches = [strict.get(searched).status for _ in range(4)]
        others = {strict.get(path).status for path in ("/catalogue", "/evidence?q=gout") * 4}

    assert searches[3] == 429
    assert 429 not in {*searches[:3], *others}


def test_without_the_service_nginx_returns_a_problem() -> None:
    with running(free_port()) as alone:
        response = alone.get(LIST, X_Request_ID="ward-7.2")

    problem = json.loads(response.body)
    assert response.status == problem["status"] == 503
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Retry-After"] == "5"
    assert response.headers["X-Request-ID"] == problem["request_id"] == "ward-7.2"
    assert problem["type"] == f"https://{HOST}/problems/service-unavailable"


@pytest.mark.parametrize("passing", ["http://evref;", "http://evref/;"], ids=["on", "stripped"])
def test_the_service_lives_below_a_path(start: Start, store: Store, passing: str) -> None:
    address = f"https://{HOST}/evref"
    command = ("serve", "--workers", "1")
    below = start(store.folder, *command, base_url=address, proxies="1", catalogue_pages="public")
    below.wait_until_ready()
    lines = {
        r"location / \{\n +# (location /evref/ \{)": r"\1",
        r"location = /metrics \{\n +# (location = /evref/metrics \{)": r"\1",
        r"proxy_pass http://evref;(?=\n\n +# Replaces)": f"proxy_pass {passing}",
    }
    key = f"Bearer {store.key().token.text}"

    with running(below.port, lines) as nginx:
        page = nginx.get("/evref/catalogue")
        assert page.status == 200
        assert b'href="/evref/' in page.body
        assert b'href="/catalogue' not in page.body
        (style,) = re.findall(rb'href="(/evref/static/evref\.[^"]*)"', page.body)
        assert nginx.get(style.decode()).status == 200
        assert nginx.get("/evref/api/v1/diagnoses", Authorization=key).status == 200
        problem = json.loads(nginx.get("/evref/api/v1/nothing").body)
        assert problem["type"] == f"{address}/problems/not-found"
        assert problem["instance"] == "/evref/api/v1/nothing"
        assert nginx.get("/evref").headers["Location"].endswith("/evref/")
        assert nginx.get("/catalogue").status == 404
        assert '"GET /evref/catalogue ' in nginx.log
        below.kill()
        down = nginx.get("/evref/catalogue", Accept="text/html")
        assert down.status == 503
        assert b'href="/evref/static/' in down.body
        down = nginx.get("/evref/api/v1/diagnoses", Accept="text/html", Authorization=key)
        assert json.loads(down.body)["type"] == f"{address}/problems/service-unavailable"
