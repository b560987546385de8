"""The bounded store of ready answers."""

from __future__ import annotations

from evref.adapters.inbound.http.representations import KeptRepresentations, Representation


class Maker:
    """Makes representations of one size, and counts them."""

    def __init__(self, size: int) -> None:
        self.made = 0
        self._size = size

    def __call__(self) -> Representation:
        self.made += 1
        return Representation(b"x" * self._size, "text/plain")


def test_an_answer_is_made_once() -> None:
    """And told apart by the whole of its name."""
    kept, make = KeptRepresentations(100), Maker(10)

    first = kept.get(("1", "/a", ""), make)

    assert kept.get(("1", "/a", ""), make) is first
    assert make.made == 1
    assert kept.get(("2", "/a", ""), make) is not first
    assert kept.get(("1", "/a", "q=1"), make) is not first


def test_the_answer_that_was_used_longest_ago_makes_room() -> None:
    """However many there are to keep, they take no more than what was given them."""
    kept, make = KeptRepresentations(25), Maker(10)
    for name in ("a", "b", "a", "c"):
        kept.get((name,), make)

    kept.get(("a",), make)
    assert make.made == 3

    kept.get(("b",), make)
    assert make.made == 4


def test_an_answer_that_does_not_fit_is_made_each_time() -> None:
    """And drives no other out."""
    kept, small, large = KeptRepresentations(25), Maker(10), Maker(26)
    kept.get(("small",), small)

    answers = [kept.get(("large",), large) for _ in range(2)]
    kept.get(("small",), small)

    assert [len(answer.body) for answer in answers] == [26, 26]
    assert (large.made, small.made) == (2, 1)


def test_the_size_of_an_answer_includes_its_gzip() -> None:
    """Both are held."""
    representation = Representation(b"x" * 2000, "text/plain")

    assert representation.gzipped is not None
    assert representation.size() == 2000 + len(representation.gzipped)
