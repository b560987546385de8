"""`listInterventions` and `searchInterventions`: what they return, their order and filters."""

from __future__ import annotations

from decimal import Decimal

import pytest

from evref.bootstrap.settings import StorageKind
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.effect import Measure, Per1000
from evref.testing.builders import a_catalogue, an_effect, an_entry, an_intervention
from tests.http.conftest import MakeService
from tests.http.service import Service, assert_problem, body, entries

KNEE = "/api/v1/diagnoses/knee-osteoarthritis/interventions"
pytestmark = pytest.mark.shared_service


def test_a_response_names_its_diagnosis_and_filters(service: Service, token: str) -> None:
    """A stored response must say what was asked."""
    knee = service.data("/api/v1/diagnoses/knee-osteoarthritis", token)

    meta = body(service.get(f"{KNEE}?phase=subacute", token=token))["meta"]

    assert meta["diagnosis"] == knee
    assert meta["filters"] == {"module": None, "phase": "subacute"}
    assert meta["count"] == 1
    assert meta["catalogue_version"] == Catalogue(entries()).version


def test_an_effect_has_the_fields_of_the_contract_and_numbers(
    make_service: MakeService,
) -> None:
    service = make_service(storage=StorageKind.MEMORY)
    effect = an_effect(
        "0.80",
        ("0.70", "1.0"),
        Measure.RISK_RATIO,
        per_1000=Per1000(Decimal(162), Decimal("114.50")),
        studies=None,
    )
    service.publish(a_catalogue(an_entry(interventions=[an_intervention(effects=[effect])])))

    text = service.get(KNEE, token=service.token()).text

    assert (
        '"effects":[{"outcome":"Pain at the end of treatment","comparison":"no exercise",'
        '"measure":"risk_ratio","estimate":0.8,"interval":{"low":0.7,"high":1.0},"unit":null,'
        '"better":"lower","favours":"neither","per_1000":{"comparison":162.0,"intervention":114.5},'
        '"studies":null,"participants":3537,"certainty":"high","reference":0}]'
    ) in text


def test_an_intervention_has_the_fields_of_the_contract(service: Service, token: str) -> None:
    """Only module `fitt_vip` has a dose, and a reference always has a URL."""
    fitt = service.data(f"{KNEE}?module=fitt_vip", token)[0]
    home = service.data(f"{KNEE}?module=home", token)[0]

    assert list(fitt) == [
        "id",
        "diagnosis_id",
        "module",
        "phase",
        "title",
        "summary",
        "cautions",
        "fitt_vp",
        "evidence",
        "effects",
        "references",
    ]
    assert fitt["fitt_vp"] == {
        "frequency": "Twice a week",
        "intensity": None,
        "time": None,
        "type": "Strength",
        "volume": None,
        "progression": None,
    }
    assert home["fitt_vp"] is None
    assert fitt["evidence"] == {
        "certainty": "moderate",
        "recommendation": "strong_for",
        "direction": "for",
        "source_grade": "Strong",
        "source": None,
        "superseded": False,
        "group": "recommended",
    }
    assert fitt["references"] == [
        {
            "title": "A guideline",
            "authors": "Kolasinski SL, Neogi T, et al.",
            "year": 2020,
            "source": "Arthritis & Rheumatology",
            "kind": "guideline",
            "doi": "10.1002/art.41142",
            "pmid": None,
            "url": "https://doi.org/10.1002/art.41142",
        }
    ]


SEARCH = "/api/v1/interventions"


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("q=alike", ["k-home-acute-a", "k-home-acute-b"]),
        ("q=move&phase=acute&module=concept&direction=for", ["k-concept"]),
        ("q=alike&limit=1&offset=1", ["k-home-acute-b"]),
        ("icd11=FA01&phase=subacute&group=recommended,to_consider", ["k-home-subacute"]),
        ("diagnosis=twin-a&diagnosis=knee-osteoarthritis&phase=subacute", ["k-home-subacute"]),
    ],
)
def test_interventions_are_found_by_words_and_filters(
    service: Service, token: str, query: str, ids: list[str]
) -> None:
    assert service.ids(f"{SEARCH}?{query}", token) == ids


def test_a_match_is_a_record_of_the_list_with_its_diagnosis_and_a_reason(
    service: Service, token: str
) -> None:
    answer = body(service.get(f"{SEARCH}?q=exercise&limit=5", token=token))

    first, *_, last = answer["data"]
    (listed,) = service.data(f"{KNEE}?module=fitt_vip&phase=acute", token)
    knee = {"id": "knee-osteoarthritis", "name": "Knee osteoarthritis"}
    assert first == {**first, **listed, "diagnosis": knee, "matched_in": "title"}
    assert (last["id"], last["matched_in"]) == ("k-home-acute-a", "summary")
    meta = answer["meta"]
    assert (meta["count"], meta["limit"], meta["offset"]) == (8, 5, 0)


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("", "q"),
        ("q=a", "q"),
        ("q=exercise&q=home", "q"),
        ("q=exercise&limit=0", "limit"),
        ("q=exercise&limit=101", "limit"),
        ("q=exercise&offset=1_0", "offset"),
        ("q=exercise&direction=none", "direction"),
        ("q=exercise&icd10=nothing+here", "icd10"),
        ("edition=gm&q=exercise", "edition"),
        ("module=home&group=advised_against", "q"),
        ("diagnosis=", "diagnosis"),
        ("diagnosis=knee-osteoarthritis,", "diagnosis"),
        ("q=exercise&group=against", "group"),
    ],
)
def test_an_invalid_parameter_is_named(
    service: Service, token: str, query: str, parameter: str
) -> None:
    response = service.get(f"{SEARCH}?{query}", token=token)

    assert response.status_code == 422
    (fault,) = body(response)["errors"]
    assert fault["parameter"] == parameter
    assert fault["message"].startswith(("is ", "has "))
    assert fault["allowed"]


def test_the_longest_query_is_answered(service: Service, token: str) -> None:
    for query in ("x" * 200, "+".join("ab" for _ in range(67))):
        assert service.get(f"{SEARCH}?q={query}", token=token).status_code == 200


def test_codes_ids_and_groups_are_limited_together(service: Service, token: str) -> None:
    """An unknown or removed diagnosis is an error, as it is in a path."""
    knees = ",".join(["knee-osteoarthritis"] * 20)
    query = f"{SEARCH}?icd10={','.join(['M17'] * 29)}&diagnosis={knees}&group=recommended"
    assert service.get(query, token=token).status_code == 200

    problem = assert_problem(service.get(f"{query},unclear", token=token), 422)

    assert [fault["parameter"] for fault in problem["errors"]] == ["icd10", "diagnosis", "group"]
    unknown = service.get(f"{SEARCH}?diagnosis=knee-osteoarthritis,x", token=token)
    assert_problem(unknown, 404, "unknown-diagnosis")


def test_an_intervention_has_an_address(service: Service, token: str) -> None:
    path = f"{SEARCH}/k-concept"
    listed = service.data("/api/v1/diagnoses/knee-osteoarthritis/interventions", token)

    response = service.get(path, token=token)

    knee = {"id": "knee-osteoarthritis", "name": "Knee osteoarthritis"}
    assert body(response)["data"] == {**listed[-1], "diagnosis": knee}
    assert "count" not in body(response)["meta"]
    again = service.get(path, token=token, headers={"If-None-Match": response.headers["ETag"]})
    assert again.status_code == 304


def test_an_intervention_that_is_unknown_or_hidden_is_not_found(
    service: Service, token: str
) -> None:
    for name in ("k-unknown", "K-concept", "k-hidden", "knee-osteoarthritis"):
        assert_problem(service.get(f"{SEARCH}/{name}", token=token), 404, "unknown-intervention")
    assert_problem(service.get(f"{SEARCH}/k-concept?q=x", token=token), 422)
