"""Sign-in by a proxy, through gunicorn and through nginx with the configuration of the how-to.

In place of oauth2-proxy, a test double answers nginx: its cookie contains the user.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from http.cookies import SimpleCookie
from types import MappingProxyType

import pytest

from evref.domain.access.key import KeyToken
from evref.domain.accounts.invitation import InvitationToken
from evref.domain.accounts.proxy_sign_in import ProxySecret
from evref.domain.principal import Role
from evref.ports.accounts import MEMBERS
from evref.testing.builders import OPERATOR
from tests.deploy.conftest import served_to_nginx
from tests.deploy.proxy import HOST, Nginx, running
from tests.deploy.shell import DEPLOY, adapted
from tests.server.conftest import Server, Start, Store
from tests.servers import PATIENCE, QuietHandler, answering, folder_for_a_server, free_port

PAGE = "/catalogue"
READER, OTHER = "reader@hospital.example", "other@hospital.example"
STRANGER = "stranger@elsewhere.example"
COOKIE = ("--cookie", f"user={READER}")
PROVIDER = "https://login.hospital.example/"
KEY = KeyToken.make(0x5EED << 200).text
INVITATION = InvitationToken.make(0x5EED << 256).text
_LOCATION = r"    location / \{\n    # location /evref/ \{\n        if (?s:.*?)\n    \}"


@pytest.fixture(scope="module")
def secret(store: Store) -> str:
    manage = store.container.manage_institutions()
    institution = manage.create_institution(OPERATOR, "Hospital with a proxy")
    store.container.people().create(
        OPERATOR, institution.id, "admin@hospital.example", password=None
    )
    made = manage.set_sign_in(OPERATOR, institution.id, domains=["hospital.example"])
    assert isinstance(made, ProxySecret)
    return made.text


@pytest.fixture(scope="module")
def service(start: Start, store: Store) -> Server:
    return served_to_nginx(start, store, sign_in_header="X-Forwarded-Email")


class _AuthServer(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - the name of http.server
        user = SimpleCookie(self.headers.get("Cookie", "")).get("user")
        if self.path == "/oauth2/start":
            # oauth2-proxy remembers this address; the provider sees it too.
            self.send_response(302)
            self.send_header("Location", PROVIDER)
            self.send_header("Returns-To", self.headers["X-Auth-Request-Redirect"])
        elif user is None:
            self.send_response(401)
        elif user.value == STRANGER:
            self.send_response(403)
        else:
            self.send_response(202)
            self.send_header("X-Auth-Request-Email", user.value)
        self.end_headers()


@pytest.fixture(scope="module")
def nginx(service: Server, secret: str) -> Iterator[Nginx]:
    with auth_server() as port, in_front_of(service, secret, port) as nginx:
        yield nginx


@contextmanager
def in_front_of(
    service: Server, secret: str, port: int, replaced: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Nginx]:
    """Run nginx with oauth2-proxy on this port, and with other lines for some of the shipped."""
    with folder_for_a_server() as folder:
        text = (DEPLOY / "nginx" / "evref-sign-in.conf").read_text()
        text = text.replace("127.0.0.1:4180", f"127.0.0.1:{port}")
        line = f'proxy_set_header X-Evref-Proxy-Secret "{secret}";'
        lines = {"include /etc/nginx/evref-proxy-secret.conf;": line, **replaced}
        (folder / "sign-in.conf").write_text(adapted(text, lines))
        with running(service.port, {_LOCATION: f"    include {folder}/sign-in.conf;"}) as nginx:
            yield nginx


def auth_server() -> AbstractContextManager[int]:
    return answering(_AuthServer)


def attacks(secret: str) -> dict[str, list[str]]:
    """Return header fields that must not sign a client in."""
    right, email = f"X-Evref-Proxy-Secret: {secret}", f"X-Forwarded-Email: {OTHER}"
    return {
        "no secret": [email],
        "doubled": [email, email, right],
        "two addresses": [email, f"X-Forwarded-Email: {READER}", right],
        "joined with a comma": [f"X-Forwarded-Email: {OTHER},{READER}", right],
        "a doubled secret": [email, right, right],
        "other case, no secret": [email.upper()],
        "underscores": [email.replace("-", "_"), right],
        "underscores in the secret": [email, right.replace("-Proxy-", "_Proxy_")],
        "underscores beside": [email.replace("-", "_"), f"X-Forwarded-Email: {READER},", right],
        "not ASCII": ["X-Forwarded-Email: \xe9@hospital.example", right],
    }


def test_gunicorn_signs_in_a_right_header_and_no_forged_one(
    service: Server, store: Store, secret: str
) -> None:
    members = store.container.storage().records.find(MEMBERS)

    for wrong, fields in attacks(secret).items():
        head = _head(service.port, fields)
        assert head.startswith("HTTP/1.1 303 "), (wrong, head)
        assert "_session=" not in head, wrong
    assert store.container.storage().records.find(MEMBERS) == members

    right = [f"x-FORWARDED-email: {READER}", f"X-Evref-Proxy-Secret: {secret}"]
    head = _head(service.port, right)
    assert head.startswith("HTTP/1.1 200 ")
    assert "__Host-evref_session=" in head
    assert OTHER not in service.log
    assert secret not in service.log


def test_nginx_takes_the_address_from_the_proxy_alone(
    nginx: Nginx, store: Store, secret: str
) -> None:
    signed_in = nginx.curl(PAGE, *COOKIE)
    assert signed_in.status == 200
    (reader,) = store.container.storage().records.find(MEMBERS, email=READER)
    assert reader.role is Role.READER

    for wrong, fields in attacks(secret).items():
        sent = [word for field in fields for word in ("--header", field)]
        forged = nginx.curl(PAGE, *sent)
        assert (forged.status, forged.headers["location"]) == (302, PROVIDER), wrong
        beside = nginx.curl(PAGE, *sent, *COOKIE)
        assert beside.status in {200, 303}, wrong
    emails = {member.email for member in store.container.storage().records.find(MEMBERS)}
    assert OTHER not in emails
    assert nginx.curl("/api/v1/diagnoses", *COOKIE).status == 401
    assert secret not in nginx.log


def test_the_proxy_signs_in_below_a_path(start: Start, store: Store, secret: str) -> None:
    address, fields = f"https://{HOST}/evref", {"sign_in_header": "X-Forwarded-Email"}
    below = start(store.folder, "serve", "--workers", "1", base_url=address, proxies="1", **fields)
    below.wait_until_ready()
    line = "location ~ ^/evref(/|$) {"

    with (
        auth_server() as port,
        in_front_of(below, secret, port, {f"location / {{\n# {line}": line}) as nginx,
    ):
        unknown = nginx.curl(f"/evref{PAGE}")
        signed_in = nginx.curl(f"/evref{PAGE}", *COOKIE)
        short = nginx.curl("/evref", *COOKIE)
        program = nginx.curl("/evref/api/v1/diagnoses", *COOKIE)

    assert (unknown.status, unknown.headers["location"]) == (302, PROVIDER)
    assert unknown.headers["returns-to"] == f"/evref{PAGE}"
    assert signed_in.status == 200
    assert signed_in.headers["set-cookie"].startswith("__Secure-evref_session=")
    assert "Path=/evref" in signed_in.headers["set-cookie"]
    assert short.headers["location"].endswith("/evref/")
    assert program.status == 401


def test_the_long_cookies_of_the_proxy_do_not_reach_the_service(nginx: Nginx) -> None:
    """oauth2-proxy splits a session of Entra or Keycloak into cookies of 4 KiB."""
    long = "; ".join(f"_oauth2_proxy_{number}={'x' * 4000}" for number in range(3))

    for version in ("--http1.1", "--http2"):
        answer = nginx.curl(PAGE, version, "--header", f"Cookie: user={READER}; {long}")
        assert answer.status == 200


@pytest.mark.parametrize(
    ("asked", "returned_to"),
    [
        (
            f"{PAGE}?q=knee%20pain&module=home&x=%C3%BC&utm_source=a",
            f"{PAGE}?q=knee%20pain&module=home&x=%C3%BC&utm_source=a",
        ),
        ("/fhirs?a=b&c=d", "/fhirs?a=b&c=d"),
        (f"/settings/invitation/{INVITATION}", "/"),
        (f"{PAGE}?q=knee&k={KEY}", PAGE),
        (f"{PAGE}?q=knee&k={KEY.replace('_', '%5F')}", PAGE),
        (f"{PAGE}?k={INVITATION}", PAGE),
        (f"{PAGE}/{KEY[6:]}", "/"),
        ("//host.example/", "/"),
    ],
)
def test_the_provider_sees_a_whole_address_and_no_secret(
    nginx: Nginx, asked: str, returned_to: str
) -> None:
    answer = nginx.curl(asked, "--path-as-is")

    assert (answer.status, answer.headers["returns-to"]) == (302, returned_to)


def test_an_info_button_signs_in_as_a_page_does_and_a_program_has_a_key(
    nginx: Nginx, store: Store
) -> None:
    """No request of a program ends the session that the proxy began."""
    button = "/infobutton?mainSearchCriteria.v.c=M17&mainSearchCriteria.v.cs=2.16.840.1.113883.6.3"
    page = f"{button}&KnowledgeResponseType=text%2Fhtml"
    signed_in = nginx.curl(PAGE, *COOKIE)
    session = signed_in.headers["set-cookie"].partition(";")[0]
    both = ("--cookie", f"user={READER}; {session}")
    key = ("--header", f"Authorization: Bearer {store.key().token.text}")

    unknown = nginx.curl(page)
    opened = nginx.curl(page, *both)
    programs = [nginx.curl(button, *key, *both), nginx.curl(page, *key), nginx.curl(button, *both)]
    for path in ("/health/x", "/schemas/x", "/fhir/x", "/api/x"):
        nginx.curl(path, *both)
    again = nginx.curl(PAGE, *both)

    assert (unknown.status, unknown.headers["location"]) == (302, PROVIDER)
    assert unknown.headers["returns-to"].endswith("&KnowledgeResponseType=text%2Fhtml")
    assert (opened.status, opened.headers["location"]) == (
        303,
        f"https://{HOST}/catalogue/knee-osteoarthritis",
    )
    assert [program.status for program in programs] == [200, 303, 401]
    assert again.status == 200
    assert "set-cookie" not in again.headers  # The session goes on.


def test_an_error_is_a_page_of_the_service(nginx: Nginx, service: Server, secret: str) -> None:
    browser = (*COOKIE, "--header", "Accept: text/html,*/*")
    many = [word for n in range(70) for word in ("--header", f"X{n}: x")]

    def page(nginx: Nginx, *arguments: str) -> tuple[int, str]:
        answer = nginx.curl(PAGE, *browser, "--header", "X-Request-ID: w-7", *arguments)
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["x-request-id"] == "w-7"
        assert b"<main><h1>" in answer.body
        return answer.status, answer.headers.get("retry-after", "")

    assert page(nginx, *many) == (431, "")
    assert page(nginx, "--request", "EVREF_X") == (400, "")
    assert page(nginx, "--data", "x" * 65537) == (413, "")
    assert page(nginx, "--cookie", f"user={STRANGER}") == (403, "")
    with in_front_of(service, secret, free_port()) as alone:
        assert page(alone) == (503, "5")


def _head(port: int, fields: list[str]) -> str:
    """Return the head of the response to a request with exactly these fields."""
    lines = [f"GET {PAGE} HTTP/1.1", f"Host: {HOST}", "Connection: close", *fields, "", ""]
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join(lines).encode("latin-1"))
        received = b""
        while b"\r\n\r\n" not in received and (part := connection.recv(65536)):
            received += part
    return received.decode("latin-1").partition("\r\n\r\n")[0]
