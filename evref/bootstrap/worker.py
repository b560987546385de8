"""gunicorn's threaded worker, with errors that repeat nothing of a request."""

from __future__ import annotations

import json
import secrets
import socket
from contextlib import suppress
from http import HTTPStatus

from gunicorn.http.errors import (
    ConfigurationProblem,
    ExpectationFailed,
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
    UnsupportedTransferCoding,
)
from gunicorn.workers.gthread import ThreadWorker

_STATUSES: dict[type[Exception], HTTPStatus] = {
    ConfigurationProblem: HTTPStatus.INTERNAL_SERVER_ERROR,
    ExpectationFailed: HTTPStatus.EXPECTATION_FAILED,
    InvalidResponseHeader: HTTPStatus.INTERNAL_SERVER_ERROR,
    InvalidResponseHeaderName: HTTPStatus.INTERNAL_SERVER_ERROR,
    LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    UnsupportedTransferCoding: HTTPStatus.NOT_IMPLEMENTED,
    ParseException: HTTPStatus.BAD_REQUEST,
    Exception: HTTPStatus.INTERNAL_SERVER_ERROR,
}


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Answers what gunicorn cannot read with a problem.

    gunicorn itself would quote the request in its answer and its log, with a key that was sent in
    the wrong place, or with a query.
    """

    def handle_error(
        self,
        _request: object,
        client: socket.socket,
        address: tuple[str, int] | None,
        error: Exception,
    ) -> None:
        status = next(status for kind, status in _STATUSES.items() if isinstance(error, kind))
        request_id = secrets.token_hex(16)
        reason = type(error).__name__
        if status is HTTPStatus.INTERNAL_SERVER_ERROR:
            detail = "The log has the details under the request id."
            self.log.error("request %s failed: %s", request_id, reason, exc_info=error)
        else:
            detail = (
                "A request must be valid HTTP/1.1, with a request line of at most 8190 bytes and "
                "at most 64 header fields, each of at most 4096 bytes."
            )
            host = address[0] if address else "a socket"
            self.log.warning("request %s from %s is refused: %s", request_id, host, reason)
        problem = {
            "type": "about:blank",
            "title": status.phrase,
            "status": status,
            "detail": detail,
            "request_id": request_id,
        }
        body = json.dumps(problem).encode()
        head = (
            f"HTTP/1.1 {status:d} {status.phrase}\r\nConnection: close\r\n"
            f"Content-Type: application/problem+json\r\nContent-Length: {len(body)}\r\n"
            f"X-Request-ID: {request_id}\r\n\r\n"
        )
        with suppress(OSError):
            client.sendall(head.encode() + body)
