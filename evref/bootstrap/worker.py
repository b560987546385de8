"""gunicorn's threaded worker, with threads that no client can hold by being slow.

gunicorn's own gives a connection to a thread at once, which then waits for what the client sends
and, in the end, for the client to hang up: so many slow clients as there are threads stop it.
Here the main loop waits for all of them, and a thread begins once a request is there whole.

A request that cannot be read never becomes one of the application: it is answered here, with
problem details.
"""

from __future__ import annotations

import errno
import json
import re
import selectors
import signal
import socket
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from http import HTTPStatus
from typing import Any

from gunicorn import util
from gunicorn.http import errors
from gunicorn.http.parser import RequestParser
from gunicorn.workers.gthread import TConn, ThreadWorker

from evref.adapters.inbound.pages.settings.blueprint import LONGEST_FORM

SECONDS_TO_SEND = 10.0
"""How long a client may take to send a request, from its first moment to its last byte."""

SECONDS_TO_RECEIVE = 20.0
"""How long a thread waits for a client to make room for more of its answer."""

SECONDS_TO_HANG_UP = 2.0
"""How long a client has, after the last answer, to close the connection from its side."""

LONGEST_HEAD = 32 * 1024
"""Bytes of the request line and all header fields."""

_AT_ONCE = 64 * 1024
_HEAD_END = re.compile(rb"\n\r?\n")
_CONTENT_LENGTH = re.compile(rb"\ncontent-length:[ \t]*([0-9]{1,9})[ \t]*\r?\n", re.IGNORECASE)
# Such a request is refused, so there is nothing to wait for.
_REFUSED_FIELD = re.compile(rb"\n(transfer-encoding|expect):", re.IGNORECASE)


class _RefusedError(Exception):
    """Indicates a request that is well-formed and not taken."""


class _TimeoutError(_RefusedError):
    """Indicates a request that did not come whole in time."""


class _LengthRequiredError(_RefusedError):
    """Indicates a body in a transfer coding: nothing here needs one, and proxies differ on them."""


class _ContentTooLargeError(_RefusedError):
    """Indicates a body longer than the longest form."""


_STATUS_OF: dict[type[Exception], HTTPStatus] = {
    errors.LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    errors.LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    errors.ExpectationFailed: HTTPStatus.EXPECTATION_FAILED,
    errors.UnsupportedTransferCoding: HTTPStatus.LENGTH_REQUIRED,
    _TimeoutError: HTTPStatus.REQUEST_TIMEOUT,
    _LengthRequiredError: HTTPStatus.LENGTH_REQUIRED,
    _ContentTooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
}


class _Connection(TConn):  # type: ignore[misc]  # gunicorn has no types
    """A client's connection, and what it has sent that no thread has taken yet."""

    def __init__(self, *of_gunicorn: object) -> None:
        super().__init__(*of_gunicorn)
        self.received = bytearray()
        self._looked_at = 0

    def has_whole_request(self) -> bool:
        """Whether there is nothing to wait for: a request is there, or one to be refused."""
        head = _HEAD_END.search(self.received, self._looked_at)
        if head is None:
            self._looked_at = max(len(self.received) - 2, 0)
            return len(self.received) > LONGEST_HEAD
        if _REFUSED_FIELD.search(self.received, 0, head.end()):
            return True
        length = _CONTENT_LENGTH.search(self.received, 0, head.end())
        body = 0 if length is None else int(length[1])
        return body > LONGEST_FORM or len(self.received) >= head.end() + body

    def take(self) -> bytes:
        taken = bytes(self.received)
        self.received.clear()
        self._looked_at = 0
        return taken


class _Waiting:
    """Connections that the main loop watches, each until its time is up, the same for all."""

    def __init__(self, poller: selectors.BaseSelector, seconds: float) -> None:
        self._poller = poller
        self._seconds = seconds
        self._until: dict[_Connection, float] = {}

    def add(self, connection: _Connection, on_readable: Callable[..., None]) -> None:
        self._until[connection] = time.monotonic() + self._seconds

        def watched(client: socket.socket) -> None:
            # What else happened in this round of the loop may have ended the wait.
            if connection in self._until:
                on_readable(connection, client)

        self._poller.register(connection.sock, selectors.EVENT_READ, watched)

    def remove(self, connection: _Connection) -> None:
        del self._until[connection]
        self._poller.unregister(connection.sock)

    def pop_oldest(self) -> _Connection | None:
        """The one that waited longest, which is then no longer watched."""
        oldest = next(iter(self._until), None)
        if oldest is not None:
            self.remove(oldest)
        return oldest

    def pop_overdue(self) -> list[_Connection]:
        """Those whose time is up, which are then no longer watched."""
        now = time.monotonic()
        overdue = []
        for connection, until in self._until.items():
            if until > now:
                break
            overdue.append(connection)
        for connection in overdue:
            self.remove(connection)
        return overdue


class Worker(ThreadWorker):  # type: ignore[misc]
    """The worker that `evref serve` runs."""

    def init_signals(self) -> None:
        super().init_signals()
        # Blocked since before this process began: see evref.bootstrap.server.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def run(self) -> None:
        self._receiving = _Waiting(self.poller, SECONDS_TO_SEND)
        self._hanging_up = _Waiting(self.poller, SECONDS_TO_HANG_UP)
        super().run()

    def accept(self, listener: socket.socket) -> None:
        """Take a new connection, and wait for what it sends."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in {errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED}:
                raise
            return
        self.nr_conns += 1
        if self.nr_conns >= self.worker_connections:
            self._make_room()
        connection = _Connection(self.cfg, client, address, listener.getsockname())
        self._receiving.add(connection, self._receive)

    def on_client_socket_readable(self, conn: _Connection, client: socket.socket) -> None:
        """Go on with a connection that was idle since its last answer."""
        if conn not in self.keepalived_conns:
            return  # it made room in this round of the loop
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._receiving.add(conn, self._receive)
        self._receive(conn, client)

    def handle(self, conn: _Connection) -> bool:
        """Answer one request, in a thread; whether the connection goes on.

        What is parsed is what was received: a thread never reads from a client.
        """
        conn.sock.settimeout(SECONDS_TO_RECEIVE)
        received = conn.take()
        conn.parser = RequestParser(self.cfg, [received], conn.client)
        request = None
        try:
            _refuse_head_that_is_read_in_two_ways(received)
            request = next(conn.parser)
            _refuse_body_that_is_not_here(request)
            goes_on = self.handle_request(request, conn) and conn.parser.finish_body()
            conn.received += conn.parser.unreader.take_buffered()
        except StopIteration:
            return False
        except OSError as error:
            self.log.debug("a connection was lost: %s", error)
            return False
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread goes on
            self.handle_error(request, conn.sock, conn.client, error)
            return False
        return bool(goes_on)

    def finish_request(self, conn: _Connection, fs: Future[bool]) -> None:
        """Wait for the connection's next request, or for the client to hang up."""
        if fs.cancelled() or not fs.result():
            self._hang_up(conn)
        elif conn.received:
            conn.sock.setblocking(False)
            self._receiving.add(conn, self._receive)
            self._begin_where_whole(conn)
        else:
            super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        """Let go of connections that took too long; the main loop asks once a second."""
        for connection in self._receiving.pop_overdue():
            if connection.received:
                self.handle_error(None, connection.sock, connection.client, _TimeoutError())
                self._hang_up(connection)
            else:
                self._close(connection)
        for connection in self._hanging_up.pop_overdue():
            self._close(connection)

    def handle_error(
        self,
        request: Any,  # noqa: ANN401 - gunicorn has no types
        client: Any,  # noqa: ANN401
        address: Any,  # noqa: ANN401
        error: Exception,
    ) -> None:
        """Answer with a problem of no further type (RFC 9457, section 4.2.1)."""
        if not isinstance(error, (errors.ParseException, _RefusedError)):
            super().handle_error(request, client, address, error)
            return
        status = _STATUS_OF.get(type(error), HTTPStatus.BAD_REQUEST)
        request_id = uuid.uuid4().hex
        # What was wrong is for the log alone: an error may quote the headers that it met.
        self.log.warning(
            "request %s could not be read: %s",
            request_id,
            type(error).__name__.lstrip("_"),
            extra={"request_id": request_id},
        )
        try:
            util.write_nonblock(client, _answer(status, request_id))
        except OSError:
            self.log.debug("request %s: the client did not wait for the answer", request_id)

    def _make_room(self) -> None:
        """Let go of who waited longest, so that whoever fills the worker keeps nobody out."""
        oldest = self._hanging_up.pop_oldest() or self._receiving.pop_oldest()
        if oldest is None and self.keepalived_conns:
            oldest = self.keepalived_conns.popleft()
            self.poller.unregister(oldest.sock)
        if oldest is not None:
            self._close(oldest)

    def _receive(self, connection: _Connection, client: socket.socket) -> None:
        try:
            data = client.recv(_AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            connection.received += data
            self._begin_where_whole(connection)
        else:
            self._receiving.remove(connection)
            self._close(connection)

    def _begin_where_whole(self, connection: _Connection) -> None:
        if connection.has_whole_request():
            self._receiving.remove(connection)
            self.enqueue_req(connection)

    def _hang_up(self, connection: _Connection) -> None:
        """Say that this was the last answer, and let the client close.

        Closing at once, with something unread, would take the answer from it (RFC 9112, 9.6).
        """
        try:
            connection.sock.setblocking(False)
            connection.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(connection)
        else:
            self._hanging_up.add(connection, self._drop)

    def _drop(self, connection: _Connection, client: socket.socket) -> None:
        with suppress(BlockingIOError):
            try:
                if client.recv(_AT_ONCE):
                    return
            except ConnectionError:
                pass
            self._hanging_up.remove(connection)
            self._close(connection)

    def _close(self, connection: _Connection) -> None:
        self.nr_conns -= 1
        connection.close()


def _refuse_head_that_is_read_in_two_ways(received: bytes) -> None:
    """The parser in C lets through what a proxy before it may have understood otherwise."""
    end = received.find(b"\r\n\r\n")
    head = received if end < 0 else received[: end + 2]
    if len(head) > LONGEST_HEAD:
        raise errors.LimitRequestHeaders("the head is too long")
    if not head.count(b"\r\n") == head.count(b"\n") == head.count(b"\r"):
        raise errors.InvalidHeader("CR or LF alone")
    if b"\n " in head or b"\n\t" in head:
        raise errors.ObsoleteFolding("a line that goes on")


def _refuse_body_that_is_not_here(request: Any) -> None:  # noqa: ANN401
    for name, value in request.headers:
        if name == "TRANSFER-ENCODING":
            raise _LengthRequiredError
        if name == "EXPECT":
            raise errors.ExpectationFailed(value)
        if name == "CONTENT-LENGTH" and int(value) > LONGEST_FORM:
            raise _ContentTooLargeError


def _answer(status: HTTPStatus, request_id: str) -> bytes:
    problem = {
        "type": "about:blank",
        "title": status.phrase,
        "status": status,
        "detail": f"The request could not be read: {status.phrase.lower()}.",
        "request_id": request_id,
    }
    body = json.dumps(problem).encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Connection: close",
        "Content-Type: application/problem+json",
        f"Content-Length: {len(body)}",
        f"X-Request-ID: {request_id}",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
    )
    return "\r\n".join((*head, "", "")).encode() + body
