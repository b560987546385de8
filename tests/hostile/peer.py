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
        """Send as much of it as the other side takes before it hangs up."""
        with suppress(ConnectionError):
            self.socket.sendall(data)
        return self

    def end(self) -> Self:
        """Say that nothing more is coming."""
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)
        return self

    def rest(self) -> bytes:
        """All that comes until the other side hangs up."""
        received = b""
        with suppress(ConnectionError):
            while data := self.socket.recv(65536):
                received += data
        return received


def answer_to(port: int, data: bytes) -> bytes:
    """All that is answered to these bytes, sent at once and followed by nothing."""
    with Peer(port) as peer:
        return peer.send(data).end().rest()


def statuses(answer: bytes) -> list[int]:
    """Those of all answers in the bytes, none of which has a body that looks like another."""
    return [int(status) for status in _STATUS_LINE.findall(answer)]
