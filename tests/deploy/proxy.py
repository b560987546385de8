"""nginx with its configuration, in front of a real service."""

from __future__ import annotations

import re
import socket
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

from tests import servers
from tests.deploy.shell import DEPLOY, ROOT, needs, output
from tests.server.conftest import Answer
from tests.servers import PATIENCE, folder_for_a_server, free_port

HOST = "evref.example.org"
METRICS_TOKEN = "0123456789abcdef0123456789abcdef"

# The relevant part of Debian's nginx.conf with the additions of the how-to; all paths in a folder.
AROUND = """
pid {folder}/pid;
error_log {folder}/log;
daemon off;
worker_processes 2;
{main}
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
    """A running nginx: its ports, and a TLS context that trusts its certificate."""

    plain: int
    tls: int
    context: ssl.SSLContext
    folder: Path

    def connect(self) -> ssl.SSLSocket:
        """Open a TLS connection without sending anything."""
        plain = socket.create_connection(("127.0.0.1", self.tls), timeout=PATIENCE)
        return self.context.wrap_socket(plain, server_hostname="localhost")

    def get(self, path: str, *, tls: bool = True, **headers: str) -> Answer:
        """Send a GET request; `X_Some_Name` is the field `X-Some-Name`."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send("GET", path, fields, tls=tls)

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        tls: bool = True,
    ) -> Answer:
        """Send a request on a new connection."""
        http = (
            HTTPSConnection("localhost", self.tls, timeout=PATIENCE, context=self.context)
            if tls
            else HTTPConnection("localhost", self.plain, timeout=PATIENCE)
        )
        with closing(http):
            http.request(method, path, body, headers={"Host": HOST, **headers})
            response = http.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())

    def curl(self, path: str, *arguments: str, tls: bool = True, sent: bytes = b"") -> Answer:
        """Send a request with curl, in any version of HTTP; names of headers are in lower case."""
        origin = f"https://127.0.0.1:{self.tls}" if tls else f"http://127.0.0.1:{self.plain}"
        done = subprocess.run(
            [
                *(needs("curl"), "--silent", "--insecure", "--include", "--header", "Expect:"),
                *(*arguments, f"{origin}{path}"),
            ],
            input=sent,
            capture_output=True,
            check=True,
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        first, *fields = head.decode().split("\r\n")
        headers = dict(field.split(": ", 1) for field in fields)
        return Answer(
            int(first.split()[1]), {name.lower(): text for name, text in headers.items()}, body
        )

    @property
    def log(self) -> str:
        """Return all lines in all log files of nginx."""
        names = ("evref.log", "evref-errors.log", "log")
        return "".join((self.folder / name).read_text() for name in names)


@contextmanager
def running(service: int, replaced: dict[str, str] | None = None) -> Iterator[Nginx]:
    """Run nginx in front of a port, with the configuration, in which some texts are replaced."""
    program = needs("nginx")
    with folder_for_a_server() as folder:
        nginx = Nginx(free_port(), free_port(), _certificate(folder), folder)
        _configure(nginx, service, replaced or {})
        output(program, "-t", "-q", "-c", folder / "nginx.conf")
        with servers.running(folder / "printed", nginx.tls, program, "-c", folder / "nginx.conf"):
            yield nginx


def _certificate(folder: Path) -> ssl.SSLContext:
    """Create a certificate in the folder; return a context that trusts only it."""
    certificate = folder / "fullchain.pem"
    output(
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"),
        *("ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", f"/CN={HOST}"),
        *("-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "privkey.pem"),
        *("-out", certificate),
    )
    context = ssl.create_default_context(cafile=certificate)
    context.set_alpn_protocols(["http/1.1"])
    return context


def _configure(nginx: Nginx, service: int, replaced: dict[str, str]) -> None:
    folder = nginx.folder
    text = (DEPLOY / "nginx" / "evref.conf").read_text()
    for pattern, other in (
        (r"listen 80;", f"listen 127.0.0.1:{nginx.plain};"),
        (r"listen 443 ssl http2;", f"listen 127.0.0.1:{nginx.tls} ssl http2;"),
        (r"listen \[::\]:.*;", ""),
        (r"127\.0\.0\.1:8000", f"127.0.0.1:{service}"),
        (r"/etc/ssl/evref/", f"{folder}/"),
        (r"/var/log/nginx/", f"{folder}/"),
        *replaced.items(),
    ):
        text, times = re.subn(pattern, other, text)
        assert times, f"the configuration does not contain {pattern} any more"
    (folder / "evref.conf").write_text(text)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder, main=_main()))


def _main() -> str:
    """Return the lines that the how-to on deployment adds to nginx's main file."""
    how_to = (ROOT / "docs" / "how-to" / "deploy.md").read_text()
    directives = re.findall(r"(worker_(?:rlimit_nofile|connections) [0-9]+;)", how_to)
    files, connections = sorted(directives, reverse=True)
    return f"{files}\nevents {{ {connections} }}"
