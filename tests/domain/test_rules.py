"""Rules that several entities share, and what declarations allow."""

import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.declaration import Items, Slug
from evref.domain.errors import InvalidValueError
from evref.domain.rules import Length, Rules, folded


def faults(check: Callable[[Rules], None]) -> list[str]:
    """Return the messages of the faults that a check finds."""
    rules = Rules()
    check(rules)
    try:
        rules.enforce()
    except InvalidValueError as error:
        return [fault.message for fault in error.faults]
    return []


@given(st.text("ab0-", max_size=10) | st.text(max_size=10))
@example("ab\n")
@example("")
@example("a--b")
@example("٣")
def test_a_slug_is_words_of_lower_case_letters_and_digits_with_single_hyphens(value: str) -> None:
    is_slug = len(value) <= 8 and re.match(r"^[a-z0-9]+(-[a-z0-9]+)*\Z", value) is not None

    messages = faults(lambda rules: Slug(1, 8).check(rules, "id", value))

    assert (messages == []) is is_slug


@pytest.mark.parametrize("value", ["ab", "a\nb", "Ménière", "<b>&", "12345678"])
def test_plain_text_of_the_right_length_is_allowed(value: str) -> None:
    assert faults(lambda rules: rules.text("summary", value, Length(2, 8))) == []


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        ("a", "2 to 8 characters, has 1"),
        ("123456789", "2 to 8 characters, has 9"),
        (" ab", "white space"),
        ("ab\n", "white space"),
        ("a\tb", "control characters"),
        ("a\rb", "control characters"),
        ("a\x00b", "control characters"),
        ("a\x7fb", "control characters"),
        ("a\x85b", "control characters"),
        ("a\ud800b", "control characters"),
    ],
)
def test_a_fault_of_text_says_what_is_allowed(value: str, allowed: str) -> None:
    (message,) = faults(lambda rules: rules.text("summary", value, Length(2, 8)))

    assert allowed in message


@pytest.mark.parametrize("value", ["a\nb", "a\u2028b", "a\u2029b"])
def test_a_line_has_no_line_end_within(value: str) -> None:
    messages = faults(lambda rules: rules.line("name", value, Length(1, 8)))

    assert messages == ["must be a single line"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Guillain-Barré SYNDROME", "guillain-barre syndrome"),
        ("Ménière", "meniere"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("ﬁbromyalgia", "fibromyalgia"),
        ("A\u030angström", "angstrom"),
        ("\u212bngström", "angstrom"),
    ],
)
def test_folding_takes_away_case_accents_and_ligatures(text: str, expected: str) -> None:
    assert folded(text) == expected


@given(st.text("abcXYZéÉñÅ "))
def test_folded_text_does_not_depend_on_case(text: str) -> None:
    assert folded(text.upper()) == folded(text.lower()) == folded(text)


@pytest.mark.parametrize(
    "value", ["Ward app", "St. Mary's, Zürich", "東京 2", "مستشفى", "अस्पताल", "e\u0301", "🐴 №"]
)
def test_a_name_in_any_script_is_allowed(value: str) -> None:
    assert faults(lambda rules: rules.name("name", value, longest=100)) == []


@pytest.mark.parametrize(
    "invisible",
    [
        *("\u200b", "\u200d", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u00a0", "\u2003", "\u3164"),
        *("\u115f", "\ufe0f", "\u2800", "\ue000", "\U000e0041", "\U000e0100", "\u061c"),
    ],
)
def test_a_name_with_an_invisible_character_is_rejected(invisible: str) -> None:
    """Two names could look the same, or a name could be displayed in another order."""
    messages = faults(lambda rules: rules.name("name", f"Ward{invisible}app", longest=100))

    assert messages == [f"must not contain invisible characters, has U+{ord(invisible):04X}"]


@pytest.mark.parametrize(
    ("items", "repeated"),
    [
        (Items(), [("B00", 2), ("A00", 3), ("A00", 4)]),
        (Items(ignores_case=True), [("B00", 2), ("A00", 3), ("A00", 4), ("c00", 6)]),
        (Items(may_repeat=True), []),
    ],
)
def test_a_repeated_item_is_named_at_its_place(
    items: Items, repeated: list[tuple[str, int]]
) -> None:
    rules = Rules()

    items.check(rules, "icd10", ("B00", "A00", "B00", "A00", "A00", "C00", "c00"))

    assert [(fault.message, fault.item) for fault in rules.faults] == [
        (f"must not repeat {value}", place) for value, place in repeated
    ]
