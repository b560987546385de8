"""Codes as records contain them: how a field with codes is split and read."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.catalogue.record_code import (
    EXCLUDED,
    FORMS,
    Classification,
    Edition,
    RecordCode,
    read_field,
)
from tests.domain.strategies import BASE_34, DIGITS, LETTERS, icd10_texts, icd11_texts

ICD_10, ICD_11, _ = Classification


def only(text: str, edition: Edition | None = None) -> RecordCode:
    (code,) = read_field(ICD_10, text, edition)
    return code


@pytest.mark.parametrize(
    ("given", "read_as"),
    [
        # WHO
        ("M17", "M17"),
        ("M171", "M17.1"),
        ("G30.1+", "G30.1"),
        ("G30.1†", "G30.1"),
        ("F00.1*", "F00.1"),
        # ICD-10-CM
        ("M17.11", "M17.11"),
        ("S72.001A", "S72.001A"),
        ("S72001A", "S72.001A"),
        ("T81.4XXA", "T81.4XXA"),
        ("Y93.I1", "Y93.I1"),
        ("C4A.0", "C4A.0"),
        ("M1A.00X0", "M1A.00X0"),
        ("Z3A01", "Z3A.01"),
        ("QA0.0101", "QA0.0101"),
        # ICD-10-GM
        ("M17.-", "M17"),
        ("S72.0-", "S72.0"),
        ("F32.1!", "F32.1"),
        ("E11.2-†", "E11.2"),
        ("M01.-*", "M01"),
        # ICD-10-CA
        ("S72.010", "S72.010"),
        # CIM-10 FR and the Finnish edition
        ("F03+1", "F03.1"),
        ("M45.+0", "M45.0"),
        ("T88.7#", "T88.7"),
    ],
)
def test_a_code_of_icd10_is_read_as_its_letters_and_digits(given: str, read_as: str) -> None:
    assert only(given) == RecordCode(ICD_10, given, read_as)


@pytest.mark.parametrize(
    ("field", "edition", "codes"),
    [
        ("F32.1 G", None, ["F32.1"]),
        ("M17.1 L", None, ["M17.1"]),
        ("M17.1 g r", None, ["M17.1"]),
        ("F32.1G", "gm", ["F32.1"]),
        ("M17.1GR", "gm", ["M17.1"]),
        ("F32.1!G", "gm", ["F32.1"]),
        ("F32.1 V", None, ["F32.1?"]),
        ("F32.1Z", "gm", ["F32.1?"]),
        ("F32.1 A", None, ["F32.1-"]),
        ("F32.1 A", "cm", ["F32.1-"]),
        ("F32.1A", "gm", ["F32.1-"]),
        ("F32.1A", None, ["F32.1A?"]),
        ("F321V", "cm", ["F32.1V?"]),
        ("F32.1G", None, ["F32.1"]),
        ("M17.1R", "who", ["M17.1"]),
        ("H02.88B", None, ["H02.88B"]),
        ("H02.88B", "gm", ["H02.88"]),
        ("F32.A", None, ["F32.A"]),
        ("S83.511A", None, ["S83.511A"]),
        ("S83511A", "cm", ["S83.511A"]),
        ("M 17.1", None, ["M17.1"]),
        (" M17 .1 ", None, ["M17.1"]),
        ("G30.1+ F00.1*", None, ["G30.1", "F00.1"]),
        ("G30.1  F00.1* G", None, ["G30.1", "F00.1"]),
        ("I10 E11", None, ["I10", "E11"]),
        ("I 10 E 11", None, ["I10", "E11"]),
        ("M 17.1 L F 32.1 G", None, ["M17.1", "F32.1"]),
        ("ICD-10 I50", "cm", ["cm I50"]),
        ("ICD10 I50", None, ["I50"]),
        ("ICD-10-GM M17.1", "cm", ["gm M17.1"]),
        ("icd-10-cm:G47.31", None, ["cm G47.31"]),
        ("ICD-10-WHO G30.1+ F00.1*", None, ["who G30.1", "who F00.1"]),
        ("M17.1,hello,", None, ["M17.1", None, None]),
        ("ICD-10-AM M17.1", None, [None]),
        ("ICD-10", None, [None]),
        ("M17.1 I10 G E11 .9", None, ["M17.1", "I10", "E11.9"]),
        ("M17.1 knee", None, [None]),
        ("M17.1" + " " * 200 + "R" * 200, None, [None]),
    ],
)
def test_a_field_is_split_and_read(
    field: str, edition: str | None, codes: list[str | None]
) -> None:
    """In `codes`, a question mark stands for suspected or past, and a hyphen for excluded."""
    asked = None if edition is None else Edition(edition)
    read = read_field(ICD_10, field, asked)

    def described(code: RecordCode) -> str | None:
        if code.read_as is None:
            assert code.error == f"must be one of the {FORMS[ICD_10]}"
            return None
        assert code.error in {None, EXCLUDED}
        named = f"{code.edition} " if code.edition is not asked or " " in (codes[0] or "") else ""
        return named + code.read_as + ("?" if code.is_uncertain else "") + "-" * bool(code.error)

    assert [described(code) for code in read] == codes
    for code in read:
        if code.read_as is not None:
            again = only(code.spelled)
            assert (again.read_as, again.qualifier, again.is_uncertain) == (
                *(code.read_as, code.qualifier, code.is_uncertain),
            )


def test_a_text_that_looks_like_an_api_key_is_not_repeated() -> None:
    assert only("evref_0123456789").given == "…"


@pytest.mark.parametrize("classification", Classification)
@pytest.mark.parametrize("text", ["\u0131A00", "1A0\u017f", "\uff2d17", "M1\u0667", "FA0\ufb06"])
def test_a_character_beyond_ascii_is_never_read_as_a_letter_of_a_code(
    classification: Classification, text: str
) -> None:
    """`str.upper` makes ASCII letters of some characters, such as a dotless i or a long s."""
    (code,) = read_field(classification, text)

    assert code.read_as is None


def is_record_icd10(text: str) -> bool:
    """Check the grammar by a second definition, independent of the code."""
    text = text.removesuffix("†") if text.endswith("†") else re.sub(r"[+*!#]\Z", "", text, count=1)
    category, rest = text[:3].upper(), text[3:].upper()
    if not text.isascii() or len(category) < 3:
        return False
    has_category = (
        category[0] in LETTERS and category[1] in DIGITS and category[2] in BASE_34
    ) or (category[:2] == "QA" and category[2] in DIGITS)
    if rest in {"", "-", ".-"}:
        return has_category
    rest = rest.removesuffix("-").removeprefix(".").removeprefix("+")
    return has_category and 1 <= len(rest) <= 4 and set(rest) <= set(DIGITS + LETTERS)


near_icd10_texts = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["M17", "S72", "M1A", "QA0", "M1O", "FA0", "m17", "17"]),
        st.sampled_from(["", ".", "..", "+", ".+", "-", ".-", " "]),
        st.text("019AXaxO-. ", max_size=5),
        st.sampled_from(["", "-", "+", "*", "!", "#", "†", "**", "\n", " "]),
    ),
)


@given(near_icd10_texts | icd10_texts | st.text(max_size=8))
@example("M17." + "1" * 10_000)
def test_exactly_the_grammar_of_icd10_in_records_is_read(text: str) -> None:
    """White space and commas are removed first, because they separate codes."""
    text = re.sub(r"[\s,]", "", text)

    assert (only(text).read_as is not None) == is_record_icd10(text)


@given(st.data())
def test_a_code_of_icd11_is_read_in_any_case(data: st.DataObject) -> None:
    text = data.draw(icd11_texts)
    upper = data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
    typed = "".join(c if up else c.lower() for c, up in zip(text, upper, strict=True))

    assert [code.read_as for code in read_field(ICD_11, typed)] == [text]
