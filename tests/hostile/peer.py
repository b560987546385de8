"""A client on a raw socket, which can send any bytes."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from types import TracebackType
from typing import Self

from tests.servers import PATIENCE

_STATUS_LINE = re.compile(rb"HTTP/1\.1 ([0-9]{3}) ")


class Peer:
    """A connection to a port of this machine."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.socket.close()

    def send(self, data: bytes) -> Self:
        """Send as much as the other side accepts before it closes the connection."""
        with suppress(ConnectionError):
            self.socket.sendall(data)
        return self

    def end(self) -> Self:
        """Say that no more data follows."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
        return self

    def rest(self) -> bytes:
        """Return all bytes that arrive until the other side closes the connection."""
        received = b""
        with suppress(ConnectionError):
            while data := self.socket.recv(65536):
                received += data
        return received


def answer_to(port: int, data: bytes) -> bytes:
    """Return the response to these bytes, which are sent at once and followed by no more."""
    with Peer(port) as peer:
        return peer.send(data).end().rest()


def statuses(answer: bytes) -> list[int]:
    """Return the status of each response in the bytes; no body may look like a response."""
    return [int(status) for status in _STATUS_LINE.findall(answer)]
