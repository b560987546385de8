"""`listDiagnoses` and `getDiagnosis`: what they return, in which order, and their filters."""

from __future__ import annotations

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.testing.builders import an_entry
from tests.http.conftest import MakeService
from tests.http.service import Service, assert_problem, body, entries

DIAGNOSES = "/api/v1/diagnoses"

pytestmark = pytest.mark.shared_service


def test_a_list_has_its_count_and_the_disclaimer(service: Service, token: str) -> None:
    meta = body(service.get(DIAGNOSES, token=token))["meta"]

    assert meta == {
        "count": 5,
        "catalogue_version": Catalogue(entries()).version,
        "licence": None,
        "disclaimer": DISCLAIMER,
    }
    assert "the physician, health professional or user always makes the final decision" in (
        DISCLAIMER
    )


def test_a_diagnosis_has_the_fields_of_the_contract(service: Service, token: str) -> None:
    response = service.get(f"{DIAGNOSES}/knee-osteoarthritis", token=token)

    assert body(response) == {
        "data": {
            "id": "knee-osteoarthritis",
            "name": "Knee osteoarthritis",
            "icd10_codes": ["M17"],
            "icd11_codes": ["FA01"],
            "terms": {},
            "broader_codes": [],
            "scope": None,
            "not_covered": None,
            "mainstays": [],
            "enabled_modules": ["fitt_vip", "home", "concept"],
            "checked_on": "2026-02-01",
            "reviewed": None,
            "version": Catalogue(entries()).entry("knee-osteoarthritis").version,
        },
        "meta": {
            "catalogue_version": Catalogue(entries()).version,
            "licence": None,
            "disclaimer": DISCLAIMER,
        },
    }


def test_text_is_sent_unescaped(service: Service, token: str) -> None:
    response = service.get(f"{DIAGNOSES}/guillain-barre-syndrome", token=token)

    assert "Guillain-Barré".encode() in response.get_data()
    assert response.content_type == "application/json"


def test_codes_are_alternatives_that_other_parameters_narrow(service: Service, token: str) -> None:
    codes = "icd10=S83.511A,%20M17.-,B05&icd10=hello&icd11=FA01%2FFB53.0"

    response = service.get(
        f"{DIAGNOSES}?{codes}&module=concept&q=knee%20osteoarthritis", token=token
    )

    assert [record["id"] for record in body(response)["data"]] == ["knee-osteoarthritis"]
    assert body(response)["meta"]["count"] == 1


def test_matches_say_how_each_code_was_read_and_what_it_found(service: Service, token: str) -> None:
    answer = body(service.get(f"{DIAGNOSES}?icd10=%20s83511a%20,M17.-,B05", token=token))

    matches = answer["meta"]["matches"]
    assert matches == [
        {
            "parameter": parameter,
            "given": given,
            "read_as": read_as,
            "qualifier": None,
            "diagnosis_ids": list(codes),
            "diagnoses": [
                {"id": name, "relation": "certain", "code": code} for name, code in codes.items()
            ],
            "excluded_from": [],
            "narrower": [],
            "error": None,
        }
        for parameter, given, read_as, codes in [
            ("icd10", "s83511a", "S83.511A", {"twin-a": "S83.5"}),
            ("icd10", "M17.-", "M17", {"knee-osteoarthritis": "M17"}),
            ("icd10", "B05", "B05", {}),
        ]
    ]
    assert {name for match in matches for name in match["diagnosis_ids"]} == {
        record["id"] for record in answer["data"]
    }


def test_matches_are_in_the_order_of_the_request(service: Service, token: str) -> None:
    query = "icd10=M17,G61.0%2B%20J45*&icd11=FA01&%69cd10=J45&icd11=8C01.0&icd10="

    matches = body(service.get(f"{DIAGNOSES}?{query}", token=token))["meta"]["matches"]

    assert [(match["parameter"], match["given"]) for match in matches] == [
        ("icd10", "M17"),
        ("icd10", "G61.0+"),
        ("icd10", "J45*"),
        ("icd11", "FA01"),
        ("icd10", "J45"),
        ("icd11", "8C01.0"),
        ("icd10", ""),
    ]


def test_records_have_their_interventions_if_asked(service: Service, token: str) -> None:
    path = f"{DIAGNOSES}/knee-osteoarthritis"
    expected = service.data(f"{path}/interventions", token)

    (listed,) = service.data(f"{DIAGNOSES}?icd10=M17&module=home&include=interventions", token)
    single = service.data(f"{path}?include=interventions", token)

    assert listed["interventions"] == single["interventions"] == expected
    assert len({intervention["module"] for intervention in expected}) > 1
    assert listed == single == service.data(path, token) | {"interventions": expected}


@pytest.mark.parametrize(("count", "status"), [(50, 200), (51, 422)])
def test_at_most_fifty_diagnoses_have_their_interventions(
    make_service: MakeService, count: int, status: int
) -> None:
    service = make_service()
    service.publish(Catalogue(an_entry(f"d{number}") for number in range(count)))

    path = f"{DIAGNOSES}?icd10=M17&include=interventions"
    response = service.get(path, token=service.token())

    assert response.status_code == status
    if status == 422:
        (fault,) = assert_problem(response, 422, "invalid-parameter")["errors"]
        assert (fault["parameter"], fault["message"]) == (
            "include",
            "is given for 51 diagnoses, more than 50",
        )


@pytest.mark.parametrize("wrong", ["nobody", "KNEE-OSTEOARTHRITIS", "a" * 500, "%FF", ".."])
@pytest.mark.parametrize("rest", ["", "/interventions"])
def test_an_unknown_id_is_not_found(service: Service, token: str, wrong: str, rest: str) -> None:
    response = service.get(f"{DIAGNOSES}/{wrong}{rest}", token=token)

    assert_problem(response, 404, "unknown-diagnosis")


def test_a_search_says_why_it_found_each_diagnosis(service: Service, token: str) -> None:
    meta = body(service.get(f"{DIAGNOSES}?q=septic%20low%20back%20pain", token=token))["meta"]

    assert meta["found"] == []
    assert meta["suggestions"] == [
        {"diagnosis_id": "low-back-pain", "name": "Low back pain", "term": "Low back pain"}
    ]
    meta = body(service.get(f"{DIAGNOSES}?q=knee%20osteoarthirtis", token=token))["meta"]
    assert meta["suggestions"] == []
    assert [
        (hit["diagnosis_id"], hit["matched"], hit["language"], hit["by"], hit["spelling_corrected"])
        for hit in meta["found"]
    ] == [("knee-osteoarthritis", "Knee osteoarthritis", "en", "name", True)]
