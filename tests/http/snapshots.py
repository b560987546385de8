"""What is compared with a committed copy, so that each change of the interface shows in review.

`python -m tests.http.snapshots` writes the copies anew.
"""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from pathlib import Path
from typing import Any, NoReturn

from evref.adapters.inbound import http
from evref.adapters.inbound.http import problems
from evref.adapters.inbound.http.components import REQUEST_ID
from evref.adapters.inbound.http.examples import FAILING_REQUESTS, REQUESTS, UNREADABLE, name_of
from evref.adapters.inbound.http.problems import Problem
from evref.domain.access import Permission
from evref.settings import Settings, StorageKind
from evref.worker import _answer as unreadable_answer
from tests.docs import api_page
from tests.http.service import Service, body

EXAMPLES = Path(http.__file__).parent / "examples.json"
DOCUMENT = Path(__file__).parent / "snapshots" / "openapi.json"
HOW_TO_RENEW = "differs from what the service answers; run: python -m tests.http.snapshots"


def examples() -> str:
    """The answers that the document shows, as the service gives them on its own catalogue."""
    service = _service()
    service.container.publish().publish_bundled(lambda _done, _total: None, by="operator")
    token = service.token()
    answers = {
        name_of(operation, name): _ask(service, path, token)
        for operation, requests in REQUESTS.items()
        for name, path in requests.items()
    }
    failures = {
        name_of(problem.slug, name): _problem(service, problem, path)
        for problem, requests in FAILING_REQUESTS.items()
        for name, path in requests.items()
    }
    unreadable = unreadable_answer(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, REQUEST_ID)
    kept = {UNREADABLE: json.loads(unreadable.partition(b"\r\n\r\n")[2])}
    return _text(answers | failures | kept)


def _problem(service: Service, problem: Problem, path: str) -> Any:
    token: str | None = service.token()
    if problem is problems.MISSING_CREDENTIALS:
        token = None
    elif problem is problems.INVALID_API_KEY:
        token = Service(service.container.settings()).token()
    elif problem is problems.INSUFFICIENT_PERMISSION:
        token = service.token(permission=Permission.NONE)
    elif problem is problems.QUOTA_EXCEEDED:
        key = service.new_key()
        token = key.token.text
        for _ in range(key.key.daily_limit):
            service.container.admit()(key.token, Permission.READ)
    elif problem is problems.SERVICE_UNAVAILABLE:
        service = _service()  # with no catalogue
        token = service.token()
    elif problem is problems.INTERNAL_ERROR:
        service = _service()
        service.app.view_functions["diagnoses.list_diagnoses"] = _fail
    found = _ask(service, path, token)
    assert found["status"] == problem.status, found
    return found


def _ask(service: Service, path: str, token: str | None) -> Any:
    # Not held against the document, which has no such example yet.
    headers = {"X-Request-ID": REQUEST_ID}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    with service.app.test_client() as client:
        return body(client.get(path, headers=headers))


def _fail() -> NoReturn:
    raise AssertionError


def document() -> str:
    """The OpenAPI document with the default settings."""
    return _text(body(_service().get("/api/v1/openapi.json")))


def _service() -> Service:
    return Service(Settings(storage=StorageKind.MEMORY))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Write all anew: first the examples, which are a part of the document, then the page on it."""
    logging.disable()  # of the failure that is brought about
    EXAMPLES.write_text(examples(), encoding="utf-8")
    DOCUMENT.write_text(document(), encoding="utf-8")
    api_page.PAGE.write_text(api_page.page(json.loads(document())), encoding="utf-8")


if __name__ == "__main__":
    main()
