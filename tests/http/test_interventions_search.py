"""`searchInterventions`: what it finds, in which order, and its filters."""

from __future__ import annotations

import pytest

from tests.http.service import Service, assert_problem, body

SEARCH = "/api/v1/interventions"

pytestmark = pytest.mark.shared_service


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


def test_matches_in_titles_come_before_matches_in_summaries(service: Service, token: str) -> None:
    answer = body(service.get(f"{SEARCH}?q=exercise&limit=5", token=token))

    knee = {"id": "knee-osteoarthritis", "name": "Knee osteoarthritis"}
    records = answer["data"]
    assert [(record["id"], record["matched_in"], record["diagnosis"]) for record in records] == [
        ("k-fitt-acute", "title", knee),
        ("k-home-subacute", "title", knee),
        ("k-fitt-chronic", "title", knee),
        ("k-home-chronic", "title", knee),
        ("k-home-acute-a", "summary", knee),
    ]
    (listed,) = (
        intervention
        for intervention in service.data(f"/api/v1/diagnoses/{knee['id']}/interventions", token)
        if intervention["id"] == "k-fitt-acute"
    )
    assert listed.items() <= records[0].items()
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

    assert [(fault["parameter"], fault["message"]) for fault in problem["errors"]] == [
        ("icd10", "has 29 codes of 51"),
        ("diagnosis", "has 20 ids of 51"),
        ("group", "has 2 groups of 51"),
    ]
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
