"""The daily request limit: its fields to the letter, its window, and what is over it."""

from __future__ import annotations

from tests.http.service import LATE, MIDNIGHT, Service, assert_problem

DIAGNOSES = "/api/v1/diagnoses"
FIELDS = (
    "RateLimit-Policy",
    "RateLimit",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
)
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


def test_the_count_starts_anew_at_midnight_utc(service: Service) -> None:
    """In the day's last second, what remains is still yesterday's."""
    token = service.token(limit=1)
    assert service.get(DIAGNOSES, token=token).status_code == 200

    service.clock.advance((MIDNIGHT - LATE).total_seconds() - 0.001)
    last_second = service.get(DIAGNOSES, token=token)
    service.clock.advance(0.001)
    new_day = service.get(DIAGNOSES, token=token)

    assert last_second.status_code == 429
    assert last_second.headers["Retry-After"] == "1"
    assert last_second.headers["RateLimit"] == '"daily";r=0;t=1'
    assert new_day.status_code == 200
    assert new_day.headers["RateLimit"] == '"daily";r=0;t=86400'
    assert new_day.headers["X-RateLimit-Reset"] == str(int(RESET) + 86400)
