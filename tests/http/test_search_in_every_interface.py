"""A search for words finds the same in every interface: the API, the page, Infobutton and FHIR.

The tests of the tools of `evref-mcp` use the same queries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from html import unescape
from urllib.parse import urlencode

import pytest

from tests.fhir.conftest import ids
from tests.http.service import Service, body, in_memory
from tests.infobutton.asking import SNOMED_CT, coded, json_feed, subtitle, summaries
from tests.pages.site import bundled
from tests.search.cases import found_by_query

Ask = Callable[[Service, str, str], list[str]]


def asked_of_api(service: Service, token: str, words: str) -> list[str]:
    return service.ids(f"/api/v1/diagnoses?{urlencode({'q': words})}", token)


def asked_of_page(service: Service, _: str, words: str) -> list[str]:
    answer = service.get(f"/catalogue?{urlencode({'q': words})}")
    if answer.status_code == 303:
        return [answer.headers["Location"].partition("?")[0].rpartition("/")[2]]
    rows = answer.text.partition('id="entries"')[2].partition("</section>")[0]
    return re.findall('<li>\\s*<a href="/catalogue/([^"#]+)"', unescape(rows))


def asked_of_infobutton(service: Service, token: str, words: str) -> list[str]:
    """Ask with a code of a system that is not read, so that the words are searched instead."""
    feed = json_feed(service, token, coded(SNOMED_CT, "41381004", name=words))
    assert "Searched by name" in subtitle(feed)
    return [*summaries(feed)]


def asked_of_fhir(service: Service, token: str, words: str) -> list[str]:
    """Return the ids in their own order, because FHIR pages by id."""
    query = urlencode({"title": words.replace(",", r"\,")})
    return ids(body(service.get(f"/fhir/PlanDefinition?{query}", token=token)))


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with closing(in_memory(bundled())) as service:
        yield service


@pytest.mark.parametrize(
    "ask",
    [asked_of_api, asked_of_page, asked_of_infobutton, asked_of_fhir],
    ids=lambda ask: ask.__name__,
)
def test_a_query_finds_the_same_in_every_interface(service: Service, ask: Ask) -> None:
    token = service.token()
    # Every third query is enough, because the tests of the search try them all.
    by_name = found_by_query(in_a_record=ask in {asked_of_infobutton, asked_of_fhir})
    expected = dict(list(by_name.items())[::3])

    for query, diagnoses in expected.items():
        answer = ask(service, token, query)
        if ask is asked_of_fhir:
            # The title is read as a person's text, but wider words stand for no diagnosis there.
            is_wider = (
                body(service.get(f"/api/v1/diagnoses?{urlencode({'q': query})}", token=token))[
                    "meta"
                ]["umbrella"]
                is not None
            )
            assert is_wider or {*diagnoses} <= {*answer}, query
        else:
            assert answer == diagnoses, query
