"""gunicorn's threaded worker, which answers requests that it cannot read with problem details.

Such a request never becomes one of the application: its first lines are malformed or too long.
"""

from __future__ import annotations

import json
import uuid
from http import HTTPStatus
from typing import Any

from gunicorn import util
from gunicorn.http import errors
from gunicorn.workers.gthread import ThreadWorker

_STATUS_OF: dict[type[Exception], HTTPStatus] = {
    errors.LimitRequestLine: HTTPStatus.REQUEST_URI_TOO_LONG,
    errors.LimitRequestHeaders: HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
    errors.ExpectationFailed: HTTPStatus.EXPECTATION_FAILED,
    errors.UnsupportedTransferCoding: HTTPStatus.NOT_IMPLEMENTED,
}


class Worker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """The worker that `evref serve` runs."""

    def handle_error(
        self,
        request: Any,  # noqa: ANN401 - gunicorn has no types
        client: Any,  # noqa: ANN401
        address: Any,  # noqa: ANN401
        error: Exception,
    ) -> None:
        """Answer with a problem of no further type (RFC 9457, section 4.2.1), and hang up."""
        if not isinstance(error, errors.ParseException):
            super().handle_error(request, client, address, error)
            return
        status = _STATUS_OF.get(type(error), HTTPStatus.BAD_REQUEST)
        request_id = uuid.uuid4().hex
        # What was wrong is for the log alone: an error may quote the headers that it met.
        self.log.warning("request %s could not be read: %s", request_id, type(error).__name__)
        try:
            util.write_nonblock(client, _answer(status, request_id))
        except OSError:
            self.log.debug("request %s: the client did not wait for the answer", request_id)


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
