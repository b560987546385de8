"""The bounded cache of responses."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from evref.adapters.inbound.web.admission import CachedResponse
from evref.adapters.inbound.web.representations import Representation, ResponseCache

ENTRY = ResponseCache.ENTRY_BYTES + len("/a")


def of_size(size: int) -> Representation:
    return Representation([b"x" * size], "text/plain")


def test_a_response_is_found_by_its_path_and_query() -> None:
    """Path and query are distinguished even if both joined give the same text."""
    cache, cached = ResponseCache[Representation](10_000), of_size(10)
    cache.put(("/a", "q=1?"), cached)

    assert cache.get(("/a", "q=1?")) is cached
    assert cache.get(("/a?q=1", "")) is None
    assert cache.get(("/a", "")) is None


def test_the_least_recently_used_response_is_removed() -> None:
    cache = ResponseCache[Representation](2 * ENTRY + 25)
    cache.put(("/a", ""), of_size(10))
    cache.put(("/b", ""), of_size(10))
    cache.get(("/a", ""))
    cache.put(("/c", ""), of_size(10))

    assert [path for path in ("/a", "/b", "/c") if cache.get((path, ""))] == ["/a", "/c"]


def test_a_response_that_does_not_fit_is_not_cached() -> None:
    cache = ResponseCache[Representation](2 * ENTRY)

    assert cache.put(("/a", ""), of_size(10))
    assert not cache.put(("/b", ""), of_size(ENTRY + 1))
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
