"""The bounded store of ready answers."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from evref.adapters.inbound.web.caching import CachedResponse, ResponseCache
from evref.adapters.inbound.web.representations import Representation

ENTRY = ResponseCache.ENTRY_BYTES + len("/a")


def of_size(size: int) -> CachedResponse:
    return CachedResponse("1", "/", Representation([b"x" * size], "text/plain"))


def test_an_answer_is_found_by_its_path_and_query() -> None:
    """Distinguished by both, wherever the one ends and the other begins."""
    store, kept = ResponseCache(10_000), of_size(10)
    store.put(("/a", "q=1?"), kept)

    assert store.get(("/a", "q=1?")) is kept
    assert store.get(("/a?q=1", "")) is None
    assert store.get(("/a", "")) is None


def test_the_answer_that_was_used_longest_ago_makes_room() -> None:
    """However many there are to keep, they take no more than what was given them."""
    store = ResponseCache(2 * ENTRY + 25)
    store.put(("/a", ""), of_size(10))
    store.put(("/b", ""), of_size(10))
    store.get(("/a", ""))
    store.put(("/c", ""), of_size(10))

    assert [path for path in ("/a", "/b", "/c") if store.get((path, ""))] == ["/a", "/c"]


def test_an_answer_that_does_not_fit_is_not_kept() -> None:
    """And drives no other out."""
    store = ResponseCache(2 * ENTRY)
    store.put(("/a", ""), of_size(10))
    store.put(("/b", ""), of_size(ENTRY + 1))

    assert store.get(("/b", "")) is None
    assert store.get(("/a", "")) is not None


@pytest.mark.parametrize("query_length", [0, 50, 4000])
@pytest.mark.parametrize("body_length", [0, 300, 5000])
def test_the_store_takes_no_more_memory_than_it_was_given(
    query_length: int, body_length: int
) -> None:
    """Whether answers or addresses are long, or there are merely many."""
    most_bytes = 1024 * 1024
    store = ResponseCache(most_bytes)
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(2000):
            body = b"%d" % number + b"x" * body_length
            representation = Representation([body], "application/json")
            kept = CachedResponse("0123456789abcdef", "/a", representation)
            store.put((f"/a/{number:06}", "q" * query_length + f"={number:06}"), kept)
        del kept, representation, body
        gc.collect()
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert used < most_bytes
