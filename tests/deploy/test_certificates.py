"""The certificates between the machines of the how-to are valid for each machine's programs."""

from __future__ import annotations

import socket
import ssl
import threading
from pathlib import Path

import pytest

from tests.deploy.shell import ROOT, blocks, needs, run, section

PAGE = ROOT / "docs" / "how-to" / "run-on-many-machines.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the commands of the page have run."""
    needs("openssl")
    folder = tmp_path_factory.mktemp("certificates")
    (commands,) = blocks(section(PAGE, "## Certificates between the machines"))
    run(commands, folder, {})
    return folder


@pytest.mark.parametrize(
    ("machine", "name"),
    [("data", "10.0.0.20"), ("app-1", "evref.example.org"), ("app-2", "evref.example.org")],
)
def test_python_3_13_accepts_them(folder: Path, machine: str, name: str) -> None:
    client = ssl.create_default_context(cafile=folder / "ca.pem")
    # The default from Python 3.13 on.
    client.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(folder / f"{machine}.pem", folder / f"{machine}.key")
    ours, theirs = socket.socketpair()

    def serve() -> None:
        with theirs, server.wrap_socket(theirs, server_side=True) as connection:
            connection.sendall(b"ready")

    thread = threading.Thread(target=serve)
    thread.start()
    with ours, client.wrap_socket(ours, server_hostname=name) as connection:
        assert connection.recv(5) == b"ready"
    thread.join()
