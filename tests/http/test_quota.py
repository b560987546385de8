"""The daily request limit: its fields to the letter, its window, and what is over it."""

from __future__ import annotations

import pytest

from tests.http.service import MIDNIGHT, Service, assert_problem

DIAGNOSES = "/api/v1/diagnoses"
FIELDS = (
    "RateLimit-Policy",
    "RateLimit",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
)
pytestmark = pytest.mark.shared_service

RESET = str(int(MIDNIGHT.timestamp()))


def fields(service: Service, token: str, path: str = DIAGNOSES) -> tuple[str, ...]:
    """The rate-limit fields of the next answer, each of which is there once."""
    response = service.get(path, token=token)
    for name in FIELDS:
        assert len(response.headers.getlist(name)) == 1
    return tuple(response.headers[name] for name in FIELDS)


def test_the_default_limit_is_1000_requests_a_day(service: Service) -> None:
    """The seconds that are left are rounded up, so that none asks too early."""
    assert fields(service, service.token()) == (
        '"daily";q=1000;w=86400',
        '"daily";r=999;t=3601',
        "1000",
        "999",
        RESET,
    )


def test_what_remains_goes_down_to_0_and_then_no_more_is_answered(service: Service) -> None:
    """Exactly as many are answered as the limit says."""
    key = service.new_key(limit=3)
    token = key.token.text

    remaining = [fields(service, token)[3] for _ in range(3)]
    refused = service.get(DIAGNOSES, token=token)

    assert remaining == ["2", "1", "0"]
    problem = assert_problem(refused, 429)
    assert problem["type"] == "https://iana.org/assignments/http-problem-types#quota-exceeded"
    assert problem["violated-policies"] == ["daily"]
    assert refused.headers["Retry-After"] == "3601"
    assert tuple(refused.headers[name] for name in FIELDS) == (
        '"daily";q=3;w=86400',
        '"daily";r=0;t=3601',
        "3",
        "0",
        RESET,
    )
    assert service.admitted(key) == 3
