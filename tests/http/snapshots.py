"""Generated documents, compared with committed copies so that review shows each change.

`python -m tests.http.snapshots` writes the copies again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from evref.adapters.inbound import rest
from evref.adapters.inbound.rest.components import REQUEST_ID
from evref.adapters.inbound.rest.examples import FAILING_REQUESTS, REQUESTS, name_of
from evref.adapters.inbound.web import problems
from evref.adapters.inbound.web.problems import Problem
from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.key import Permission
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Direction, Recommendation
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE
from evref.testing.builders import a_catalogue, an_entry
from tests.docs import api_page, catalogue_format
from tests.http.service import Service, body

EXAMPLES = Path(rest.__file__).parent / "examples.json"
DOCUMENT = Path(__file__).parent / "snapshots" / "openapi.json"
HOW_TO_RENEW = "differs from what the service answers; run: python -m tests.http.snapshots"


def examples() -> str:
    """Return the responses that the document shows, given by the service for a bundled file."""
    service = _service()
    # With one file, a new bundled diagnosis changes no example.
    knee = BUNDLED_CATALOGUE / "knee-osteoarthritis.yaml"
    (entry,) = YamlCatalogueFiles().read([knee], lambda _done, _total: None).entries
    mainstays = entry.diagnosis.mainstays
    turned, added, *_ = (
        intervention for intervention in entry.interventions if intervention.id not in mainstays
    )
    evidence = replace(
        turned.evidence, direction=Direction.UNCLEAR, recommendation=Recommendation.NOT_STATED
    )
    unchanged = (
        intervention for intervention in entry.interventions if intervention not in {turned, added}
    )
    before = (replace(turned, evidence=evidence), *unchanged)
    service.publish(a_catalogue(Entry(entry.diagnosis, before), an_entry("asthma")))
    service.publish(a_catalogue(entry))
    token = service.token()
    answers = {
        name_of(operation, name): _ask(service, path, token)
        for operation, requests in REQUESTS.items()
        for name, path in requests.items()
    }
    # The whole catalogue would be too long.
    for name in REQUESTS["getCatalogue"]:
        example = answers[name_of("getCatalogue", name)]
        first, *_ = example["data"]
        example["data"] = [first | {"interventions": first["interventions"][:1]}]
        example["meta"]["count"] = 1
    failures = {
        name_of(problem.slug, name): _problem(service, problem, path)
        for problem, requests in FAILING_REQUESTS.items()
        for name, path in requests.items()
    }
    return _text(answers | failures)


def _problem(service: Service, problem: Problem, path: str) -> Any:
    token: str | None = service.token()
    headers = {
        problems.NOT_ACCEPTABLE: {"Accept": "text/csv"},
        problems.PRECONDITION_FAILED: {"If-Match": '"0123456789abcdef"'},
    }.get(problem, {})
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
            service.container.gate().admit(key.token, Permission.READ)
    elif problem is problems.SERVICE_UNAVAILABLE:
        service = _service()  # with no catalogue
        token = service.token()
    elif problem is problems.INTERNAL_ERROR:
        service = _service()
        service.app.view_functions["api.list_diagnoses"] = _fail
    details = _ask(service, path, token, headers)
    assert details["status"] == problem.status, details
    return details


def _ask(
    service: Service, path: str, token: str | None, more: Mapping[str, str] = MappingProxyType({})
) -> Any:
    # Not checked against the document, which does not have this example yet.
    headers = {"X-Request-ID": REQUEST_ID, "Accept": "*/*", **more}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    with service.app.test_client() as client:
        return body(client.get(path, headers=headers))


def _fail() -> NoReturn:
    raise AssertionError


def document() -> str:
    """Return the OpenAPI document with the default settings."""
    return _text(body(_service().get("/api/v1/openapi.json")))


def _service() -> Service:
    return Service(Settings(storage=StorageKind.MEMORY, licence=BUNDLED_LICENCE))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Write all copies: first the examples, which the document contains, and last its page."""
    logging.disable()  # the service fails on purpose
    EXAMPLES.write_text(examples(), encoding="utf-8")
    catalogue_format.write()
    DOCUMENT.write_text(document(), encoding="utf-8")
    api_page.PAGE.write_text(api_page.page(json.loads(document())), encoding="utf-8")


if __name__ == "__main__":
    main()
