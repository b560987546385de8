"""The bounded store of ready answers."""

from __future__ import annotations

from evref.adapters.inbound.web.representations import Kept, KeptRepresentations, Representation


def of_size(size: int) -> Kept:
    return Kept("1", "/", Representation(b"x" * size, "text/plain"))


def test_an_answer_is_found_by_its_path_and_query() -> None:
    """Told apart by both, wherever the one ends and the other begins."""
    store, kept = KeptRepresentations(100), of_size(10)
    store.keep(("/a", "q=1?"), kept)

    assert store.get(("/a", "q=1?")) is kept
    assert store.get(("/a?q=1", "")) is None
    assert store.get(("/a", "")) is None


def test_a_newer_answer_takes_the_place_of_the_older() -> None:
    """Of another version of the catalogue."""
    store, newer = KeptRepresentations(15), of_size(10)
    store.keep(("/a", ""), of_size(10))
    store.keep(("/a", ""), newer)

    assert store.get(("/a", "")) is newer


def test_the_answer_that_was_used_longest_ago_makes_room() -> None:
    """However many there are to keep, they take no more than what was given them."""
    store = KeptRepresentations(25)
    store.keep(("/a", ""), of_size(10))
    store.keep(("/b", ""), of_size(10))
    store.get(("/a", ""))
    store.keep(("/c", ""), of_size(10))

    assert [path for path in ("/a", "/b", "/c") if store.get((path, ""))] == ["/a", "/c"]


def test_an_answer_that_does_not_fit_is_not_kept() -> None:
    """And drives no other out."""
    store = KeptRepresentations(25)
    store.keep(("/small", ""), of_size(10))
    store.keep(("/large", ""), of_size(26))

    assert store.get(("/large", "")) is None
    assert store.get(("/small", "")) is not None


def test_the_size_of_an_answer_includes_its_gzip() -> None:
    """Both are held."""
    representation = Representation(b"x" * 2000, "text/plain")

    assert representation.gzipped is not None
    assert representation.size() == 2000 + len(representation.gzipped)
