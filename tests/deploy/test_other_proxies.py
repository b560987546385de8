"""Behind Apache, HAProxy and Caddy as the how-to sets them up, no client can name someone else.

No client can hide its address from the throttling of sign-ins either, which includes nginx.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests import servers
from tests.deploy import proxy as nginx
from tests.deploy.proxy import HOST
from tests.deploy.shell import needs, proxy_lines
from tests.servers import (
    QuietHandler,
    answering,
    folder_for_a_server,
    free_port,
)

READER = "reader@hospital.example"
# With one proxy, the service takes the last address of the field.
OTHER_ADDRESSES = (
    "X_Forwarded_For: 192.0.2.1",
    "X-Forwarded_For: 192.0.2.1",
    "x_forwarded-FOR: 192.0.2.1",
    "X-Forwarded-For: 192.0.2.1",
    "Connection: X-Forwarded-For",
)
Configure = Callable[[Path, int, int], tuple[list[str], str]]
FORWARDED_FOR = "x-forwarded-for"
SECRET = "secret-of-the-proxy"


def apache(folder: Path, port: int, service: int) -> tuple[list[str], str]:
    """Configure Apache; the module for OpenID Connect is in `tests/clients`."""
    names = ["mpm_event", "authz_core", "env", "headers", "proxy", "proxy_http"]
    modules = [f"LoadModule {n}_module /usr/lib/apache2/modules/mod_{n}.so" for n in names]
    lines = (
        proxy_lines("apache").replace("127.0.0.1:8000", f"127.0.0.1:{service}").replace("…", SECRET)
    )
    lines = re.sub(r"(?m)^ *(AuthType|Require) .*\n", "", lines)
    lines = lines.replace("%{OIDC_CLAIM_email}e", READER)
    own = [
        *("ServerName 127.0.0.1", f"Listen 127.0.0.1:{port}", f"ServerRoot {folder}"),
        *(f"PidFile {folder}/pid", f"DefaultRuntimeDir {folder}", f"Mutex file:{folder}"),
        f"ErrorLog {folder}/log",
    ]
    return [needs("apache2"), "-DFOREGROUND", "-f"], "\n".join([*own, *modules, lines])


def haproxy(_folder: Path, port: int, service: int) -> tuple[list[str], str]:
    sets = f"http-request set-header X-Forwarded-Email {READER}\n"
    sets += f"http-request set-header X-Evref-Proxy-Secret {SECRET}\n"
    return [needs("haproxy"), "-f"], (
        "defaults\nmode http\ntimeout connect 60s\ntimeout client 60s\ntimeout server 60s\n"
        f"frontend http\nbind 127.0.0.1:{port}\n{proxy_lines('text')}{sets}default_backend evref\n"
        f"backend evref\nserver evref 127.0.0.1:{service}\n"
    )


def caddy(folder: Path, port: int, service: int) -> tuple[list[str], str]:
    sets = (
        f"request_header X-Forwarded-Email {READER}\nrequest_header X-Evref-Proxy-Secret {SECRET}"
    )
    return [needs("caddy"), "run", "--adapter", "caddyfile", "--config"], (
        f"{{\nadmin off\nauto_https off\nstorage file_system {folder}\n}}\n"
        f"http://127.0.0.1:{port} {{\nroute {{\n{proxy_lines('caddy')}{sets}\n"
        f"reverse_proxy 127.0.0.1:{service}\n}}\n}}\n"
    )


@contextmanager
def recorder() -> Iterator[tuple[int, list[list[tuple[str, str]]]]]:
    """Serve in place of the service, and record the header fields that arrive."""
    received: list[list[tuple[str, str]]] = []

    class Recorder(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802 - the name of http.server
            received.append([(name.lower(), value) for name, value in self.headers.items()])
            self.send_response(204)
            self.end_headers()

    with answering(Recorder) as port:
        yield port, received


def running(command: list[str], text: str, folder: Path, port: int) -> AbstractContextManager[None]:
    file = folder / "configuration"
    file.write_text(text)
    return servers.running(folder / "printed", port, *command, file)


def last_address(fields: list[tuple[str, str]]) -> str:
    """Return the client's address as the service takes it, under each kind of server."""
    (addresses,) = (value for name, value in fields if name.replace("_", "-") == FORWARDED_FOR)
    return addresses.rpartition(",")[2].strip()


@pytest.mark.parametrize("configure", [apache, haproxy, caddy])
def test_a_client_cannot_name_another_person(configure: Configure) -> None:
    """It can neither remove the name nor hide its address."""
    curl = shutil.which("curl") or needs("curl")
    port = free_port()
    with folder_for_a_server() as folder, recorder() as (service, received):
        command, text = configure(folder, port, service)
        with running(command, text, folder, port):
            for sent in (
                "X_Forwarded_Email: forged@hospital.example",
                "x_forwarded_EMAIL: forged@hospital.example",
                "X-Forwarded_Email: forged@hospital.example",
                "X-Forwarded-Email: forged@hospital.example",
                "X_Forwarded-Email: forged@hospital.example",
                "Connection: X-Forwarded-Email, X-Evref-Proxy-Secret",
                *OTHER_ADDRESSES,
            ):
                url = f"http://127.0.0.1:{port}/catalogue"
                subprocess.run([curl, "-sf", "--header", sent, url], check=True)

    assert len(received) == 6 + len(OTHER_ADDRESSES)
    for fields in received:
        assert last_address(fields) == "127.0.0.1"
        named = [value for name, value in fields if name.replace("_", "-") == "x-forwarded-email"]
        assert named == [READER]
        assert ("x-evref-proxy-secret", SECRET) in fields
        assert not [name for name, _ in fields if "_" in name]


def test_apache_passes_no_sign_in_on_for_a_program() -> None:
    """The lines for pages set the header; for programs, nothing may be left of a client's."""
    port = free_port()
    with folder_for_a_server() as folder, recorder() as (service, received):
        command, text = apache(folder, port, service)
        with running(command, text, folder, port):
            for path in ("api/v1/diagnoses", "fhir/PlanDefinition", "infobutton"):
                subprocess.run(
                    [
                        *(needs("curl"), "-sf", f"http://127.0.0.1:{port}/{path}"),
                        *("--header", "X-Forwarded-Email: forged@hospital.example"),
                        *("--header", f"X-Evref-Proxy-Secret: {SECRET}"),
                    ],
                    check=True,
                )

    assert len(received) == 3
    for fields in received:
        assert not {"x-forwarded-email", "x-evref-proxy-secret"} & dict(fields).keys()


def test_behind_nginx_a_client_cannot_hide_its_address() -> None:
    with recorder() as (service, received), nginx.running(service) as running_nginx:
        for sent in OTHER_ADDRESSES:
            running_nginx.curl("/catalogue", "--header", f"Host: {HOST}", "--header", sent)

    assert [last_address(fields) for fields in received] == ["127.0.0.1"] * len(OTHER_ADDRESSES)
