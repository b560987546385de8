"""The bounded cache of responses, and that a cached response equals a new one."""

from __future__ import annotations

import gc
import time
import tracemalloc
from unittest.mock import patch

import pytest
from werkzeug.test import TestResponse

from evref.adapters.inbound.web.admission import CachedResponse
from evref.adapters.inbound.web.representations import Representation, ResponseCache
from evref.domain.access.key import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.search.found import Found
from evref.domain.catalogue.served import Question, Served
from evref.testing.builders import OPERATOR
from evref.testing.filling import at_once
from tests.http.service import INFOBUTTON, Service, body, entries

ENTRY = ResponseCache.ENTRY_BYTES + len("/a")


def of_size(size: int) -> Representation:
    return Representation([b"x" * size], "text/plain")


def test_a_response_that_does_not_fit_is_not_cached() -> None:
    cache = ResponseCache[Representation](2 * ENTRY)

    cache.put(("/a", ""), of_size(10))
    cache.put(("/b", ""), of_size(ENTRY + 1))

    assert cache.get(("/b", "")) is None
    assert cache.get(("/a", "")) is not None


@pytest.mark.parametrize(("query_length", "body_length"), [(0, 0), (4000, 300), (0, 5000)])
def test_the_cache_uses_no_more_memory_than_its_limit(query_length: int, body_length: int) -> None:
    most_bytes = 1024 * 1024
    cache = ResponseCache[CachedResponse](most_bytes)
    gc.collect()
    tracemalloc.start()
    try:
        # Even the smallest responses do not all fit.
        for number in range(most_bytes // ResponseCache.ENTRY_BYTES + 200):
            body = b"%d" % number + b"x" * body_length
            representations = {"text/plain": Representation([body], "text/plain")}
            cached = CachedResponse(str(number), "/a", str, representations)
            cache.put((f"/a/{number:06}", "q" * query_length + f"={number:06}"), cached)
        del cached, representations, body
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert used < most_bytes


LIST = "/api/v1/diagnoses"


KNEE = f"{LIST}/knee-osteoarthritis/interventions"


TARGETS = [
    LIST,
    f"{LIST}?q=knee",
    f"{LIST}/twin-a",
    KNEE,
    f"{KNEE}?module=home&phase=acute",
    INFOBUTTON,
]


def lasting(response: TestResponse) -> dict[str, str]:
    """Return the headers that do not differ from one request to the next."""
    differ = {"X-Request-ID", "RateLimit", "X-RateLimit-Remaining"}
    return {name: value for name, value in response.headers.items() if name not in differ}


@pytest.mark.parametrize("headers", [{}, {"Accept-Encoding": "gzip"}, {"If-None-Match": "*"}])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_cached_response_has_the_same_headers_and_body(
    service: Service, token: str, method: str, headers: dict[str, str]
) -> None:
    for number, target in enumerate(TARGETS):
        first = service.request(method, target, token=token, headers=headers)
        cached = service.request(method, target, token=token, headers=headers)

        assert cached.status_code == first.status_code
        assert lasting(cached) == lasting(first)
        assert cached.get_data() == first.get_data()
        assert cached.headers["X-RateLimit-Remaining"] == str(998 - 2 * number)


def test_a_cached_response_is_not_rendered_again(service: Service, token: str) -> None:
    """It is used whatever the client accepts, until the catalogue changes.

    Each request is counted.
    """
    service.get(LIST, token=token)
    with patch.object(Served, "find", side_effect=AssertionError):
        cached = [
            service.get(LIST, token=token, headers={"Accept": accept})
            for accept in ("", "text/plain", "*/*;q=0.5", "nonsense")
        ]
    service.publish(Catalogue(entries()[:1]))
    service.clock.advance(seconds=1)
    rendered = service.get(LIST, token=token)

    assert [body(response)["meta"]["count"] for response in cached] == [5] * 4
    assert body(rendered)["meta"]["count"] == 1
    assert rendered.headers["X-RateLimit-Remaining"] == "994"


def test_concurrent_requests_for_one_address_render_it_once(service: Service, token: str) -> None:
    find, calls = Served.find, []

    def find_slowly(served: Served, question: Question) -> Found:
        calls.append(question)
        time.sleep(0.05)
        return find(served, question)

    with patch.object(Served, "find", find_slowly):
        responses = at_once(8, lambda _: service.get(LIST, token=token))

    assert len({response.get_data() for response in responses}) == len(calls) == 1
    assert service.get(LIST, token=token).headers["X-RateLimit-Remaining"] == "991"


def test_a_refusal_is_the_same_before_and_after_caching(service: Service, token: str) -> None:
    revoked = service.new_key()
    service.container.manage_keys().revoke(OPERATOR, revoked.key.id)
    refused = [
        (None, 401),
        (revoked.token.text, 401),
        (service.token(permission=Permission.NONE), 403),
        (service.token(limit=0), 429),
    ]

    before = [service.get(target, token=sent) for target in TARGETS for sent, _ in refused]
    for target in TARGETS:
        assert service.get(target, token=token).status_code == 200
    after = [service.get(target, token=sent) for target in TARGETS for sent, _ in refused]

    statuses = [status for _, status in refused] * len(TARGETS)
    assert [response.status_code for response in after] == statuses
    for first, second in zip(before, after, strict=True):
        assert body(second) | {"request_id": ""} == body(first) | {"request_id": ""}
        assert lasting(second) == lasting(first)
