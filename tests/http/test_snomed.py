"""Codes of SNOMED CT in every interface, with a map that the operator has loaded."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from evref.bootstrap.settings import StorageKind
from evref.domain.catalogue.record_code import Edition
from evref.domain.catalogue.snomed import NOT_IN_MAP, LoadedMap, SnomedMap
from evref.domain.principal import Readers
from evref.testing.builders import NOON, OPERATOR
from tests.fhir.conftest import ids
from tests.http.conftest import MakeService
from tests.http.service import EXAMPLES, Service, assert_outcome, assert_problem, body
from tests.infobutton.asking import (
    AS_HTML,
    KNEE,
    SNOMED_CT,
    ask,
    coded,
    documents,
    json_feed,
    subtitle,
)

DIAGNOSES = "/api/v1/diagnoses"
SCT = "http://snomed.info/sct"

MAP = SnomedMap(
    Edition.WHO,
    {
        101: (("M17.9",),),
        102: (("M17.0", "Z99.9"),),
        103: (("M17.0",), ("G61.0",)),
        104: (("Z99.9",),),
        105: (("",),),
    },
)


def replace_map(service: Service, snomed: SnomedMap | None) -> None:
    loaded = None if snomed is None else LoadedMap(snomed, NOON, "operator")
    with service.container.storage().changes(OPERATOR, service.clock.now()) as changes:
        changes.catalogue.replace_map(loaded)
    service.clock.advance(seconds=1)


@pytest.fixture
def service(make_service: MakeService) -> Service:
    """Return a service with the example catalogue and the map."""
    service = make_service(storage=StorageKind.MEMORY, catalogue_pages=Readers.PUBLIC)
    service.publish(EXAMPLES)
    replace_map(service, MAP)
    return service


def test_a_list_of_codes_is_answered_in_one_request(service: Service, token: str) -> None:
    """Codes of ICD may be among them, and each match says how its code was read."""
    path = f"{DIAGNOSES}?snomed=101,102&icd10=S83.5&snomed=103,104,105,999,x&include=interventions"

    response = service.get(path, token=token)

    assert response.status_code == 200
    answer = body(response)
    assert [record["id"] for record in answer["data"]] == [
        *("guillain-barre-syndrome", "knee-osteoarthritis", "twin-a")
    ]
    matches = {match["given"]: match for match in answer["meta"]["matches"]}
    assert [*matches] == ["101", "102", "S83.5", "103", "104", "105", "999", "x"]
    assert {given: match["read_as"] for given, match in matches.items()} == {
        "101": "M17.9",
        "102": "M17.0, Z99.9",
        "S83.5": "S83.5",
        "103": "M17.0, G61.0",
        "104": "Z99.9",
        "105": "105",
        "999": None,
        "x": None,
    }
    assert {match["parameter"] for match in matches.values()} == {"icd10", "snomed"}
    assert matches["999"]["error"] == NOT_IN_MAP
    knee = "knee-osteoarthritis"
    relations = {
        given: {fit["id"]: fit["relation"] for fit in match["diagnoses"]}
        for given, match in matches.items()
        if match["diagnoses"]
    }
    assert relations == {
        "101": {knee: "certain"},
        "102": {knee: "approximate"},
        "103": {"guillain-barre-syndrome": "certain", knee: "certain"},
        "S83.5": {"twin-a": "certain"},
    }


@pytest.mark.parametrize(
    ("query", "parameters"),
    [
        ("snomed=x", ["snomed"]),
        ("snomed=", ["snomed"]),
        (f"snomed={'1,' * 30}1&icd10={'M17,' * 20}M17", ["snomed", "icd10"]),
        ("snomed=101&edition=who", ["edition"]),
    ],
)
def test_an_invalid_parameter_is_named(
    service: Service, token: str, query: str, parameters: list[str]
) -> None:
    problem = assert_problem(service.get(f"{DIAGNOSES}?{query}", token=token), 422)

    assert sorted(fault["parameter"] for fault in problem["errors"]) == sorted(parameters)


def test_a_map_is_served_and_removed_without_a_restart(service: Service, token: str) -> None:
    path = f"{DIAGNOSES}?snomed=101"
    version = body(service.get(path, token=token))["meta"]["catalogue_version"]
    replace_map(service, None)

    (fault,) = assert_problem(service.get(path, token=token), 422, "invalid-parameter")["errors"]
    assert fault["parameter"] == "snomed"
    assert "no map of SNOMED CT" in fault["message"]
    assert_outcome(service.get(f"/fhir/PlanDefinition?context={SCT}|101", token=token), 400)

    replace_map(service, SnomedMap(None, {101: (("G61.0",),)}))
    answer = body(service.get(path, token=token))
    assert [record["id"] for record in answer["data"]] == ["guillain-barre-syndrome"]
    assert answer["meta"]["catalogue_version"] == version


def test_an_info_button_finds_by_code(service: Service, token: str) -> None:
    feed = json_feed(service, token, coded(SNOMED_CT, "102", name="Guillain-Barré syndrome"))

    assert documents(feed) == ["Knee osteoarthritis"]
    assert subtitle(feed).startswith("Results for SNOMED CT 102 (ICD-10 M17.0, Z99.9).")
    assert "also means other conditions" in str(feed["entry"][0]["summary"])
    page = ask(service, token, coded(SNOMED_CT, "101") | AS_HTML).headers["Location"]
    assert page.endswith("/catalogue/knee-osteoarthritis")
    search = ask(service, token, coded(SNOMED_CT, "102") | AS_HTML).headers["Location"]
    assert search.endswith("/catalogue?q=102")


@pytest.mark.parametrize(
    ("code", "diagnoses"), [("104", []), ("105", []), ("999", ["Guillain-Barré syndrome"])]
)
def test_a_code_of_the_map_is_never_searched_by_name(
    service: Service, token: str, code: str, diagnoses: list[str]
) -> None:
    feed = json_feed(service, token, coded(SNOMED_CT, code, name="Guillain-Barré syndrome"))
    beside_icd = json_feed(service, token, coded(SNOMED_CT, code, "1") | KNEE)

    assert documents(feed) == diagnoses
    assert ("Searched by name" in subtitle(feed)) == bool(diagnoses)
    assert documents(beside_icd) == ["Knee osteoarthritis"]


def test_a_code_that_was_not_searched_is_not_said_to_be_missing(
    service: Service, token: str
) -> None:
    """A code outside the map is not read, so nothing is known about its diagnosis."""
    text = subtitle(json_feed(service, token, coded(SNOMED_CT, "999")))

    assert "Not searched: code 999" in text
    assert text.endswith("ICD-11 and of its map of SNOMED CT only.")
    assert "does not contain this diagnosis" not in text


@pytest.mark.parametrize("context", [f"{SCT}|103", f"urn:oid:{SNOMED_CT}|103", "103"])
def test_fhir_finds_by_code(service: Service, token: str, context: str) -> None:
    bundle = body(service.get(f"/fhir/PlanDefinition?context={quote(context)}", token=token))
    nothing = body(service.get(f"/fhir/PlanDefinition?context={quote(SCT)}|104,999", token=token))

    assert ids(bundle) == ["guillain-barre-syndrome", "knee-osteoarthritis"]
    assert nothing["total"] == 0


def test_the_search_field_finds_by_code(service: Service) -> None:
    address = service.get("/catalogue?q=101").headers["Location"]
    assert address.partition("?")[0].endswith("/knee-osteoarthritis")
    page = service.get("/catalogue?q=102").text
    assert "SNOMED CT <code>102 (ICD-10 M17.0, Z99.9)</code>" in page
    assert "also means other conditions" in page
    assert "SNOMED CT <code>" not in service.get("/catalogue?q=999").text
