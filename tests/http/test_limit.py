"""The daily limit: its header fields, its day, and the state of a key."""

from __future__ import annotations

from datetime import timedelta

from werkzeug.test import TestResponse

from tests.http.service import LATE, MIDNIGHT, Service, assert_problem, body

LIST = "/api/v1/diagnoses"
LIMIT = "/api/v1/limit"
RESET = str(int(MIDNIGHT.timestamp()))


def fields(response: TestResponse) -> tuple[str, ...]:
    """Return the rate-limit fields, each of which the response has once."""
    names = (
        "RateLimit-Policy",
        "RateLimit",
        *(f"X-RateLimit-{name}" for name in ("Limit", "Remaining", "Reset")),
    )
    (values,) = zip(*(response.headers.getlist(name) for name in names), strict=True)
    return values


def test_the_default_limit_is_1000_requests_a_day(service: Service) -> None:
    """The remaining seconds are rounded up, so that no client asks too early."""
    assert fields(service.get(LIST, token=service.token())) == (
        '"daily";q=1000;w=86400',
        '"daily";r=999;t=3601',
        "1000",
        "999",
        RESET,
    )


def test_exactly_as_many_requests_are_answered_as_the_limit_says(service: Service) -> None:
    key = service.new_key(limit=3)

    answers = [service.get(LIST, token=key.token.text) for _ in range(4)]

    assert [fields(answer)[3] for answer in answers] == ["2", "1", "0", "0"]
    problem = assert_problem(answers[3], 429)
    assert problem["type"] == "https://iana.org/assignments/http-problem-types#quota-exceeded"
    assert problem["violated-policies"] == ["daily"]
    assert answers[3].headers["Retry-After"] == "3601"
    assert fields(answers[3]) == (
        '"daily";q=3;w=86400',
        '"daily";r=0;t=3601',
        "3",
        "0",
        RESET,
    )
    assert service.admitted(key) == 3


def test_a_new_key_has_used_nothing(service: Service) -> None:
    key = service.new_key(limit=7, expires_on=LATE.date() + timedelta(days=3))

    response = service.get(LIMIT, token=key.token.text)

    answer = body(response)
    assert answer["data"] == {
        "limit": 7,
        "remaining": 7,
        "used": 0,
        "refused": 0,
        "resets_at": "2026-03-02T00:00:00+00:00",
        "permission": "read",
        "expires_on": "2026-03-04",
    }
    assert answer["meta"].keys() == {"catalogue_version", "licence", "disclaimer"}
    assert response.headers["RateLimit"] == '"daily";r=7;t=3601'
    assert response.headers["X-RateLimit-Reset"] == RESET


def test_reading_the_limit_never_counts(service: Service) -> None:
    key = service.new_key(limit=2)
    token = key.token.text
    service.get(LIST, token=token)
    first = service.get(LIMIT, token=token)

    again = service.get(LIMIT, token=token, headers={"If-None-Match": first.headers["ETag"]})
    refused = service.get(f"{LIMIT}?x=1", token=token)
    head = service.request("HEAD", LIMIT, token=token)

    assert [response.status_code for response in (again, refused, head)] == [304, 422, 200]
    for response in (first, again, refused, head):
        assert response.headers["X-RateLimit-Remaining"] == "1"
    assert service.data(LIMIT, token)["used"] == 1
    assert service.admitted(key) == 1
