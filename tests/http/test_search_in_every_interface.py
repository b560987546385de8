"""What people type finds the same in every interface: the API, the pages, Infobutton and FHIR.

`evref-mcp` asks the API.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from evref.domain.accounts.readers import Readers
from tests.http.conftest import MakeService
from tests.http.service import Service, body
from tests.pages.site import bundled
from tests.search.bundled import searchable
from tests.search.cases import KINDS, cases

QUERIES = [case.query for case in cases() if case.kind != KINDS["intervention"]][::6]
"""Some of each kind."""


@pytest.fixture(scope="module")
def typed() -> dict[str, list[str]]:
    return {
        query: [hit.diagnosis_id for hit in searchable().named(query).hits] for query in QUERIES
    }


def test_every_interface_finds_the_same(
    make_service: MakeService, typed: dict[str, list[str]]
) -> None:
    service = make_service(catalogue_pages=Readers.PUBLIC)
    service.publish(bundled())
    token = service.token()

    for query, expected in typed.items():
        assert of_api(service, token, query) == expected
        assert of_infobutton(service, token, query) == expected
        assert of_fhir(service, token, query) == sorted(expected)
        assert set(of_page(service, query)) == set(expected)
        assert of_suggestions(service, query) == expected[:8]


def of_api(service: Service, token: str, query: str) -> list[str]:
    return service.ids(f"/api/v1/diagnoses?{urlencode({'q': query})}", token)


def of_infobutton(service: Service, token: str, query: str) -> list[str]:
    asked = {"mainSearchCriteria.v.dn": query, "knowledgeResponseType": "application/json"}
    feed = body(service.get(f"/infobutton?{urlencode(asked)}", token=token))["feed"]
    documents: list[Any] = [each for each in feed["entry"] if "source" not in each]
    return [each["id"]["_value"].rpartition("/")[2] for each in documents]


def of_fhir(service: Service, token: str, query: str) -> list[str]:
    asked = urlencode({"title": query, "_count": 100})
    bundle = body(service.get(f"/fhir/PlanDefinition?{asked}", token=token))
    return sorted(each["resource"]["id"] for each in bundle.get("entry", []))


def of_page(service: Service, query: str) -> list[str]:
    answer = service.get(f"/catalogue?{urlencode({'q': query})}")
    if answer.status_code == 303:
        return [answer.headers["Location"].rpartition("/")[2]]
    entries = answer.text.partition('<div id="entries">')[2].partition("</div>")[0]
    return [each.partition('"')[0] for each in entries.split('href="/catalogue/')[1:]]


def of_suggestions(service: Service, query: str) -> list[str]:
    """Those that match; if none does, those that may be meant are suggested instead."""
    if not searchable().named(query).hits:
        return []
    found = body(service.get(f"/catalogue/suggest?{urlencode({'q': query})}"))["suggestions"]
    return [each["address"].rpartition("/")[2] for each in found]
