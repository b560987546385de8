"""The grammars of ICD-10 and ICD-11, and which codes cover other codes."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.catalogue.icd import Icd10Code, Icd11Code, covers
from evref.domain.declaration import kind_of
from evref.domain.rules import Rules
from tests.domain.strategies import (
    BASE_34,
    DIGITS,
    LETTERS,
    LETTERS_11,
    icd10_texts,
    icd11_texts,
)


def is_icd10(text: str) -> bool:
    """Check the grammar by a second definition, independent of the code."""
    category, dot, rest = text.partition(".")
    return (
        len(category) == 3
        and category[0] in LETTERS
        and category[1] in DIGITS
        and category[2] in DIGITS
        and (not dot or (len(rest) in {1, 2} and set(rest) <= set(DIGITS)))
    )


def is_stem(text: str) -> bool:
    category, dot, rest = text.partition(".")
    return (
        len(category) == 4
        and category[0] in set(BASE_34) - {"0", "X"}
        and category[1] in LETTERS_11
        and category[2] in DIGITS
        and category[3] in BASE_34
        and (not dot or (len(rest) in {1, 2} and set(rest) <= set(BASE_34)))
    )


def is_extension(text: str) -> bool:
    return (
        len(text) in {4, 5, 6}
        and text[0] == "X"
        and text[1] in LETTERS_11
        and text[2] in DIGITS
        and set(text[3:]) <= set(BASE_34)
    )


def is_icd11(text: str) -> bool:
    groups = [group.split("&") for group in text.split("/")]
    return all(
        is_stem(stem) and all(is_extension(extension) for extension in extensions)
        for stem, *extensions in groups
    )


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """Return a code with one character removed, added or replaced."""
    text: str = draw(texts)
    place = draw(st.integers(0, len(text)))
    added: str = draw(st.sampled_from(["", *BASE_34, *"IOXio./&-+ \n\t\u0660\u0131\u212a\uff2d"]))
    return text[:place] + added + text[place + draw(st.integers(0, 1)) :]


def accepts(code: object, text: str) -> bool:
    check = kind_of(code).checker()
    assert check is not None
    rules = Rules()
    check(rules, "code", text)
    return not rules.faults


@given(mutated(icd10_texts) | mutated(icd11_texts) | st.text(max_size=8))
@example("M17.")
@example("M17.123")
@example("M17\n")
@example("M1")
@example("M1\u0661")
@example("m17")
def test_exactly_the_grammar_of_icd10_is_accepted(text: str) -> None:
    assert accepts(Icd10Code, text) == is_icd10(text)


@given(mutated(icd11_texts) | mutated(icd10_texts) | st.text(max_size=12))
@example("XK8G")
@example("FA01&")
@example("FA01&FA02")
@example("FA01/XK8G")
@example("FA01.0.0")
@example("FI01")
@example("0A00")
@example("FA01\n")
@example("fa01")
@example("FA01" + "/FA01" * 199)
@example("FA01" + "/FA01" * 200)
@example("FA01" + "/FA01" * 10_000)
@example("FA01" + "&XK8G" * 10_000 + "!")
def test_exactly_the_grammar_of_icd11_is_accepted(text: str) -> None:
    assert accepts(Icd11Code, text) == (is_icd11(text) and len(text) < 1001)


@pytest.mark.parametrize(
    ("one", "other", "covered"),
    [
        ("FA01", "FA01", True),
        ("FA01", "FA01.0", True),
        ("FA01.0", "FA01.01", True),
        ("FA01", "FA01.0&XK8G", True),
        ("FA01", "8B11/FA01.0", True),
        ("FA01&XK8G", "FA01.0&XK8G", True),
        ("FA01&XK8G", "FA01&XJ1C6&XK8G", True),
        ("FA01&XK8G/FB53", "FB53.1/FA01&XK8G", True),
        ("FA01.0", "FA01", False),
        ("FA01", "FA00", False),
        ("FA01.0", "FA01.1", False),
        ("FA01&XK8G", "FA01", False),
        ("FA01&XK8G", "FA01&XK9J", False),
        ("FA01&XK8G", "FA01/FB53.1&XK8G", False),
        ("FA01&XA01", "FA01&XA012", False),
        ("FA01/FB53", "FA01", False),
    ],
)
def test_an_icd11_code_covers_codes_that_say_the_same_or_more(
    one: str, other: str, *, covered: bool
) -> None:
    """An extension code belongs to its stem, and has no ancestors among extension codes."""
    assert covers(one, other) is covered
