"""`searchInterventions`: what it finds, in which order, and its filters."""

from __future__ import annotations

import pytest

from tests.http.service import Service, body

SEARCH = "/api/v1/interventions"

pytestmark = pytest.mark.shared_service


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("q=zinc", ["k-home-acute-z"]),
        ("q=zinc+therapy", ["k-home-acute-z"]),
        ("q=ZINC-TAPE", ["k-home-acute-z"]),
        ("q=xylotape", []),
        ("q=alike", ["k-home-acute-a", "k-home-acute-b"]),
        ("q=alik", ["k-home-acute-a", "k-home-acute-b"]),
        ("q=alikke", ["k-home-acute-a", "k-home-acute-b"]),
        ("q=alike&module=concept", []),
        ("q=move&phase=acute&module=concept&direction=for", ["k-concept"]),
        ("q=move&direction=against", []),
        ("q=guideline+describes&module=concept", ["k-concept"]),
        ("q=alike&limit=1&offset=1", ["k-home-acute-b"]),
        ("q=alike&offset=2", []),
    ],
)
def test_interventions_are_found_by_words_and_filters(
    service: Service, token: str, query: str, ids: list[str]
) -> None:
    assert service.ids(f"{SEARCH}?{query}", token) == ids


def test_matches_in_titles_come_before_matches_in_summaries(service: Service, token: str) -> None:
    """Interventions of the same rank are in the order of the card."""
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
        ("q=", "q"),
        ("q=a", "q"),
        ("q=%20%20%20", "q"),
        (f"q={'a' * 201}", "q"),
        ("q=exercise&q=home", "q"),
        ("q=exercise&limit=0", "limit"),
        ("q=exercise&limit=101", "limit"),
        ("q=exercise&limit=%205", "limit"),
        ("q=exercise&limit=", "limit"),
        ("q=exercise&offset=-1", "offset"),
        ("q=exercise&offset=1_0", "offset"),
        ("q=exercise&direction=none", "direction"),
        ("q=exercise&icd10=M17", "icd10"),
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
    """Such a query is one long word or many short words."""
    for query in ("x" * 200, "+".join("ab" for _ in range(67))):
        assert service.get(f"{SEARCH}?q={query}", token=token).status_code == 200
