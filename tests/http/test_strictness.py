"""Unknown, repeated, empty and invalid parameters are rejected, all in one response."""

from __future__ import annotations

from typing import Any

import pytest

from evref.adapters.inbound.web.problems import UNNAMED
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from tests.http.service import Service, assert_problem, body

DIAGNOSES = "/api/v1/diagnoses"
KNEE = f"{DIAGNOSES}/knee-osteoarthritis"
MODULES = [module.value for module in Module]
TOO_MANY = "has more than 50 values, alone or with other parameters"
PHASES = [phase.value for phase in Phase]

pytestmark = pytest.mark.shared_service


def faults(service: Service, token: str, path: str) -> dict[str, list[Any]]:
    """Return what the response says is allowed, by the name of the invalid parameter."""
    problem = assert_problem(service.get(path, token=token), 422, "invalid-parameter")
    for fault in problem["errors"]:
        assert set(fault) == {"parameter", "message", "allowed"}
        assert fault["message"]
    first = problem["errors"][0]
    assert problem["detail"].startswith(f"{first['parameter'] or UNNAMED} {first['message']}")
    return {fault["parameter"]: fault["allowed"] for fault in problem["errors"]}


@pytest.mark.parametrize(
    ("path", "parameter", "allowed"),
    [
        (f"{KNEE}/interventions?modul=home", "modul", ["module", "phase"]),
        (f"{KNEE}/interventions?q=knee", "q", ["module", "phase"]),
        (f"{KNEE}/interventions?=1", "", ["module", "phase"]),
        (f"{KNEE}/interventions?phase", "phase", PHASES),
        (f"{KNEE}/interventions?module=", "module", MODULES),
        (f"{KNEE}/interventions?module=physio", "module", MODULES),
        (f"{KNEE}/interventions?module=home,concept", "module", MODULES),
        (f"{KNEE}/interventions?phase=acute%20", "phase", PHASES),
        (f"{KNEE}/interventions?module=home&phase=acute&module=concept", "module", MODULES),
        (f"{DIAGNOSES}?module=home&module=home", "module", MODULES),
        (
            f"{DIAGNOSES}?page=2",
            "page",
            ["icd10", "edition", "icd11", "snomed", "include", "module", "q"],
        ),
        (f"{DIAGNOSES}?module=physio", "module", MODULES),
        (f"{DIAGNOSES}?icd10=M17&edition=am", "edition", ["who", "cm", "gm"]),
        (f"{DIAGNOSES}?icd11=FA01&edition=cm", "edition", ["who", "cm", "gm"]),
        (f"{KNEE}?fields=name", "fields", ["include"]),
        ("/api/v1/catalogue?module=home", "module", []),
        ("/api/v1/limit?key=k1", "key", []),
        ("/api/v1/openapi.json?version=3.0", "version", []),
    ],
)
def test_a_wrong_parameter_is_named_with_what_is_allowed(
    service: Service, token: str, path: str, parameter: str, allowed: list[str]
) -> None:
    assert faults(service, token, path) == {parameter: allowed}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("icd10", ["", "M1", "M15-M19", "%C4%B117", ",", "M17;M18", ",".join(["M17"] * 51)]),
        ("icd11", ["", "FAO1", "FA01/", "FA01%26", "XK8G", "M17,"]),
        ("include", ["", "interventions", "interventions&module=home"]),
        ("q", ["", "%20", "%20%20", "%09%0A", "%00", "a" * 201]),
    ],
)
def test_the_error_of_a_malformed_value_says_in_words_what_is_allowed(
    service: Service, token: str, name: str, values: list[str]
) -> None:
    """A malformed code is not looked up, and `include` without codes is rejected."""
    for value in values:
        (allowed,) = faults(service, token, f"{DIAGNOSES}?{name}={value}").items()

        assert allowed[0] == name
        assert len(allowed[1]) == 1


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("icd10=M15-M19,,x,", "has no code that can be read"),
        (f"icd10={'G30.1%2B%20F00.1*,' * 25}M17", TOO_MANY),
        ("&".join(["icd10=M17"] * 51), TOO_MANY),
        (f"icd11={'/'.join(['FA01'] * 17)},{'FA01,' * 33}FA01", TOO_MANY),
        (f"icd10={'M17,' * 29}M17&icd11={'FA01,' * 20}FA01", TOO_MANY),
    ],
)
def test_the_error_of_codes_says_what_is_accepted(
    service: Service, token: str, query: str, message: str
) -> None:
    problem = body(service.get(f"{DIAGNOSES}?{query}", token=token))

    fault = problem["errors"][0]
    assert fault["parameter"] == query.partition("=")[0]
    assert fault["message"] == message
    assert "1 to 50 codes separated by commas" in fault["allowed"][0]


@pytest.mark.parametrize("other", ["edition=cm", "include=interventions"])
def test_invalid_codes_cause_no_error_of_a_parameter_that_needs_codes(
    service: Service, token: str, other: str
) -> None:
    query = f"icd10={'M17,' * 50}M17&{other}"

    assert faults(service, token, f"{DIAGNOSES}?{query}").keys() == {"icd10"}


def test_an_api_key_in_place_of_a_code_is_not_repeated(service: Service, token: str) -> None:
    """Nor is a part of a key after a comma."""
    for sent, part in (
        (f"icd10=M17,{token[:30]}", token[6:12]),
        (f"icd10=M17,{token[:9]},{token[9:20]}", token[9:15]),
    ):
        answer = service.get(f"{DIAGNOSES}?{sent}", token=token).text

        assert '"given":"…"' in answer
        assert part not in answer


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        (
            f"{KNEE}/interventions?modul=home&phase=late",
            "modul is not a parameter of this operation; allowed: module, phase",
        ),
        (
            f"{KNEE}/interventions?phase=late",
            "phase has an unknown value; allowed: acute, subacute, chronic",
        ),
        (
            f"{KNEE}/interventions?phase=acute&phase=acute",
            "phase is given more than once; allowed: acute, subacute, chronic",
        ),
        (
            "/api/v1/interventions?q=knee&limit=x",
            "limit has an unknown value; allowed: a whole number from 1 to 100",
        ),
        ("/api/v1/catalogue?module=home", "module is not a parameter of this operation"),
        (
            "/api/v1/changes?limit=1&since=0123456789abcdef",
            "limit cannot be used with since",
        ),
    ],
)
def test_the_detail_is_the_first_error_in_a_sentence(
    service: Service, token: str, path: str, detail: str
) -> None:
    """It stands alone in a log, and `allowed` has values where there are any."""
    assert assert_problem(service.get(path, token=token), 422)["detail"] == detail


def test_all_faults_are_reported_at_once(service: Service, token: str) -> None:
    """A client can then correct its query in one step."""
    path = f"{KNEE}/interventions?modul=home&phase=late&x=1&module=home&module=concept"

    assert set(faults(service, token, path)) == {"modul", "phase", "x", "module"}


def test_an_empty_query_is_not_an_error(service: Service, token: str) -> None:
    assert len(service.ids(f"{DIAGNOSES}?", token)) == 5
    assert len(service.ids(f"{DIAGNOSES}?&", token)) == 5
