"""A request costs a bounded effort, however its values are spread over parameters.

The tests count function calls, because times would vary.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.catalogue.diagnosis import Diagnosis
from evref.domain.catalogue.icd import stems_of
from tests.http.service import Service, in_memory
from tests.pages.site import bundled

MOST_CALLS = 200_000
"""Calls of functions in Python and C, which take less than 50 ms of a core."""

LONGEST_ADDRESS = 4000
"""The characters of a request target that nginx accepts."""

ROOT = "https://evref.example/fhir"
CRITERIA = "mainSearchCriteria.v"
WORDS = f"{CRITERIA}.dn=knee%20osteoarthritis"


def of_the_catalogue(
    texts: Callable[[Diagnosis], Iterable[str]], *more: str
) -> st.SearchStrategy[str]:
    """Return a strategy that reads the catalogue when it is used, and not when it is imported."""
    return st.deferred(
        lambda: st.sampled_from(
            [*more, *(text for entry in bundled().entries for text in texts(entry.diagnosis))]
        )
    )


icd10 = of_the_catalogue(lambda diagnosis: diagnosis.icd10_codes)
stems = of_the_catalogue(lambda diagnosis: [stems_of(code)[0] for code in diagnosis.icd11_codes])
icd11 = st.lists(stems, min_size=1, max_size=14).map("/".join)
words = of_the_catalogue(
    lambda diagnosis: diagnosis.name.split(),
    *("exercise", "exercsie", "pain", "a", "Schmerz", "xylophone"),
)
phrases = st.lists(words, min_size=1, max_size=25).map(lambda chosen: " ".join(chosen)[:200])
names = st.sampled_from(["a", "e", "home", "zq", "active", "knee-osteoarthritis"])
numbers = st.integers(0, 99).map(str)

REST = {"icd10": icd10, "icd11": icd11, "q": phrases, "module": st.just("home")}
INTERVENTIONS = {"q": phrases, "limit": numbers, "phase": st.just("acute")}
FHIR = {
    "_id": names,
    "url": st.builds("{}/ActivityDefinition/{}".format, st.just(ROOT), numbers),
    "version": names | numbers,
    "status": names,
    "name": st.sampled_from(["Intervention", "Diagnosis_k", "x"]),
    "identifier": st.sampled_from([f"{ROOT}/NamingSystem/intervention-id|", "x", "y"]),
    "context": icd10 | icd11,
    "title": words,
    "title:contains": names | words,
    "title:exact": words,
    "topic": st.sampled_from([f"{ROOT}/CodeSystem/module|", "home", "acute", "x"]) | numbers,
    "_lastUpdated": st.builds(
        "{}20{:02}".format, st.sampled_from(["ne", "ge"]), st.integers(0, 40)
    ),
    "_sort": st.just("-title,_lastUpdated"),
}
several_codes = st.lists(icd10 | icd11, max_size=50).map(lambda codes: ",".join(codes)[:200])
PAGES = {"q": phrases | phrases.map(lambda words: words.replace(" ", ";")) | several_codes}


@st.composite
def infobuttons(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Return criteria by code or by words, and subtopics."""
    query = [("knowledgeResponseType", "application/json")]
    for number in range(draw(st.integers(1, 52))):
        code, oid = draw(
            st.tuples(icd10, st.just("2.16.840.1.113883.6.90"))
            | st.tuples(icd11, st.just("urn:oid:2.16.840.1.113883.6.347"))
        )
        query += draw(
            st.sampled_from(
                [
                    [(f"{CRITERIA}.c{number}", code), (f"{CRITERIA}.cs{number}", oid)],
                    [(f"{CRITERIA}.dn{number}", draw(words))],
                    [(f"subTopic.v.c{number}", "Q000628")],
                ]
            )
        )
    return query


def spread(parameters: dict[str, st.SearchStrategy[str]]) -> st.SearchStrategy[Any]:
    """Return values in lists with commas, and in repeated parameters."""
    pairs = st.sampled_from(sorted(parameters)).flatmap(
        lambda name: st.tuples(
            st.just(name), st.lists(parameters[name], min_size=1, max_size=50).map(",".join)
        )
    )
    return st.lists(pairs, min_size=1, max_size=50)


queries = st.one_of(
    spread(REST).map(lambda query: ("/api/v1/diagnoses", query)),
    st.fixed_dictionaries(INTERVENTIONS).map(
        lambda query: ("/api/v1/interventions", [*query.items()])
    ),
    st.tuples(st.sampled_from(["/fhir/PlanDefinition", "/fhir/ActivityDefinition"]), spread(FHIR)),
    infobuttons().map(lambda query: ("/infobutton", query)),
    st.fixed_dictionaries(PAGES).map(lambda query: ("/catalogue", [*query.items()])),
)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with closing(in_memory(bundled())) as service:
        # Work that is done once for each version of the catalogue is not the work of a request.
        token = service.token()
        for path in ("PlanDefinition", "ActivityDefinition?title:contains=x", "CodeSystem"):
            service.get(f"/fhir/{path}", token=token)
        for path in ("/api/v1/interventions?q=x%20y", "/catalogue?q=x%20y", "/infobutton?" + WORDS):
            service.get(path, token=token)
        yield service


def calls(service: Service, path: str, token: str) -> int:
    """Return the number of function calls that a request causes."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    with service.app.test_client() as client:
        sys.setprofile(note)
        try:
            client.get(path, headers={"Authorization": f"Bearer {token}"})
        finally:
            sys.setprofile(None)
    return count


@given(queries)
@example(("/catalogue", [("q", "exercise;depression;anxiety;osteoarthritis;copd;gout")]))
def test_no_spread_of_values_exceeds_the_bound(service: Service, asked: tuple[str, Any]) -> None:
    path, pairs = asked
    kept = list(islice(pairs, 200))
    while len(target := f"{path}?{urlencode(kept)}") > LONGEST_ADDRESS:
        kept.pop()

    assert calls(service, target, service.token()) <= MOST_CALLS
