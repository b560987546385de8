"""Codes as records hold them: how they are read, which are refused, and what they find."""

from __future__ import annotations

import re
import warnings
from itertools import groupby

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Catalogue, DiagnosisFilter, Entry
from evref.domain.catalogue.icd import Icd10Code
from evref.domain.catalogue.record_code import RecordCode, RecordIcd10Code, RecordIcd11Code
from evref.domain.errors import InvalidValueError
from evref.testing.builders import a_diagnosis
from tests.domain.strategies import BASE_34, DIGITS, LETTERS, icd10_texts, icd11_texts

type_of_code = pytest.mark.parametrize("code_type", [RecordIcd10Code, RecordIcd11Code])


# How a code is read


@pytest.mark.parametrize(
    ("given", "read_as"),
    [
        # WHO
        ("M17", "M17"),
        ("M17.1", "M17.1"),
        ("M171", "M17.1"),
        ("m17.1", "M17.1"),
        ("G30.1+", "G30.1"),
        ("G30.1†", "G30.1"),
        ("F00.1*", "F00.1"),
        ("S72.00", "S72.00"),
        ("U07.1", "U07.1"),
        # ICD-10-CM
        ("M17.11", "M17.11"),
        ("S72.001A", "S72.001A"),
        ("S72001A", "S72.001A"),
        ("s72.001a", "S72.001A"),
        ("T81.4XXA", "T81.4XXA"),
        ("V00.01XA", "V00.01XA"),
        ("Y93.I1", "Y93.I1"),
        ("G20.A1", "G20.A1"),
        ("C4A.0", "C4A.0"),
        ("M1A.00X0", "M1A.00X0"),
        ("O9A.111", "O9A.111"),
        ("Z3A", "Z3A"),
        ("Z3A01", "Z3A.01"),
        ("QA0.0101", "QA0.0101"),
        # ICD-10-GM
        ("E11.90", "E11.90"),
        ("M17.-", "M17"),
        ("M17-", "M17"),
        ("S72.0-", "S72.0"),
        ("C80.-", "C80"),
        ("F32.1!", "F32.1"),
        ("U07.1!", "U07.1"),
        ("E10.30†", "E10.30"),
        ("E11.2-†", "E11.2"),
        ("G63.2*", "G63.2"),
        ("M01.-*", "M01"),
        # ICD-10-AM and ICD-10-CA
        ("S72.01", "S72.01"),
        ("Z86.43", "Z86.43"),
        ("S72.010", "S72.010"),
        ("I21.40", "I21.40"),
        # CIM-10 FR and the Finnish edition
        ("F03+1", "F03.1"),
        ("M45.+0", "M45.0"),
        ("T88.7#", "T88.7"),
    ],
)
def test_a_code_of_icd10_is_read_as_its_letters_and_digits(given: str, read_as: str) -> None:
    code = RecordIcd10Code(given)

    assert (code.given, code.read_as) == (given, read_as)


@pytest.mark.parametrize(
    ("given", "read_as"), [("fa01.0", "FA01.0"), ("FA01.0&xk8g", "FA01.0&XK8G"), ("1A00", "1A00")]
)
def test_a_code_of_icd11_is_read_in_any_case(given: str, read_as: str) -> None:
    code = RecordIcd11Code(given)

    assert (code.given, code.read_as) == (given, read_as)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "M",
        "M1",
        "17",
        "M17.",
        "M17..1",
        "M17.1.1",
        "M17 1",
        "M17.1 ",
        "M17.1\n",
        "M-17",
        "M17.1-1",
        "M17.1**",
        "M17.12345",
        "*M17",
        "MM17",
        "M1O",
        "I1I",
        "knee",
        "M15-M19",
        "M15\u2013M19",
        "XIII",
        "FA01",
        "8A20",
        "M8140/3",
        "M17.1,M17.2",
    ],
)
def test_what_is_no_code_of_icd10_is_refused_with_the_forms_that_are_taken(text: str) -> None:
    """Blocks, chapters, codes of ICD-11 and of ICD-O among them."""
    with pytest.raises(InvalidValueError) as caught:
        RecordIcd10Code(text)

    (fault,) = caught.value.faults
    assert fault.field == "icd10"
    assert RecordIcd10Code.FORM in fault.message


def test_what_is_no_code_of_icd11_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="icd11"):
        RecordIcd11Code("M17.1")


@type_of_code
@pytest.mark.parametrize("text", ["\u0131A00", "1A0\u017f", "\uff2d17", "M1\u0667", "FA0\ufb06"])
def test_a_character_beyond_ascii_is_never_read_as_a_letter_of_a_code(
    code_type: type[RecordCode], text: str
) -> None:
    """Where `str.upper` gives a letter of ASCII, as for a dotless i or a long s, as elsewhere."""
    with pytest.raises(InvalidValueError):
        code_type(text)


def is_record_icd10(text: str) -> bool:
    """The grammar, said a second time and in another way."""
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
def test_a_code_of_icd10_is_what_the_grammar_says_and_nothing_else(text: str) -> None:
    try:
        RecordIcd10Code(text)
    except InvalidValueError:
        taken = False
    else:
        taken = True

    assert taken == is_record_icd10(text)


@given(
    category=st.from_regex(r"[A-Z][0-9]{2}", fullmatch=True),
    divided=st.text(DIGITS + "AX", min_size=1, max_size=4),
    dot=st.sampled_from([".", ""]),
    mark=st.sampled_from(["", "-", *"+*!#†"]),
    in_capitals=st.booleans(),
)
def test_dot_marks_and_case_change_nothing(
    category: str, divided: str, dot: str, mark: str, in_capitals: bool
) -> None:
    text = f"{category}{dot}{divided}{mark}"
    given_text = text if in_capitals else text.lower()

    assert RecordIcd10Code(given_text).read_as == f"{category}.{divided}"


@given(icd10_texts)
def test_every_code_of_whos_is_read_as_itself(text: str) -> None:
    assert RecordIcd10Code(text).read_as == text
    assert RecordIcd10Code(RecordIcd10Code(text).read_as).read_as == text


@given(st.data())
def test_a_code_of_icd11_is_read_in_whichever_case(data: st.DataObject) -> None:
    text = data.draw(icd11_texts)
    upper = data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
    typed = "".join(c if up else c.lower() for c, up in zip(text, upper, strict=True))

    assert RecordIcd11Code(typed).read_as == text


# What a code finds


@pytest.mark.parametrize(
    ("catalogued", "given"),
    [
        ("M17", "M17"),
        ("M17", "M17.11"),
        ("M17", "M1711"),
        ("M17", "M17.-"),
        ("M54.5", "M54.5"),
        ("M54.5", "M5450"),
        ("M54.5", "M54.50"),
        ("S72.0", "S72.001A"),
        ("S72.01", "S72.01"),
        ("G30", "G30.1+"),
        ("G20", "G20.A1"),
    ],
)
def test_a_code_finds_itself_and_what_it_divides(catalogued: str, given: str) -> None:
    assert RecordIcd10Code(given).finds(a_diagnosis(icd10=[catalogued]))


@pytest.mark.parametrize(
    ("catalogued", "given"),
    [
        ("I63.9", "I63"),
        ("M54.5", "M54"),
        ("M54.5", "M54.-"),
        ("M54.5", "M54.4"),
        ("M10", "M1A.00X0"),
        ("S72.01", "S72.0"),
        ("M17", "M16.11"),
    ],
)
def test_a_code_finds_neither_what_divides_it_nor_its_sibling(catalogued: str, given: str) -> None:
    assert not RecordIcd10Code(given).finds(a_diagnosis(icd10=[catalogued]))


def test_a_code_finds_a_diagnosis_by_any_of_its_codes() -> None:
    several = a_diagnosis(icd10=["G30", "F00"], icd11=["FA01", "8A00.0"])

    assert RecordIcd10Code("F00.1*").finds(several)
    assert RecordIcd11Code("8A00.0&XK8G").finds(several)
    assert not RecordIcd10Code("F01").finds(several)
    assert not RecordIcd11Code("8A00").finds(several)


@given(icd10_texts, icd10_texts, st.text(DIGITS, max_size=2))
@example("M17", "M17.1", "")
@example("M17.1", "M17", "1")
def test_what_is_found_is_the_prefix_and_nothing_else(
    catalogued: str, record: str, more: str
) -> None:
    given = record if len(record) == 3 else record + more
    expected = given.replace(".", "").startswith(catalogued.replace(".", ""))

    assert RecordIcd10Code(given).finds(a_diagnosis(icd10=[catalogued])) == expected


# Whole lists


def icd10_cm() -> list[str]:
    """Every category and subdivision of ICD-10-CM, as its publisher lists them, with dots."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # on being loaded
        import simple_icd_10_cm  # noqa: PLC0415
    codes = simple_icd_10_cm.get_all_codes(with_dots=True)
    return [code for code in codes if simple_icd_10_cm.is_category_or_subcategory(code)]


def test_every_code_of_icd10_cm_is_read_as_itself_and_finds_its_own_category() -> None:
    """With its dot and without. It finds no other category, and none where ICD-10-CM has a category
    that WHO's ICD-10 cannot have.
    """
    codes = icd10_cm()
    categories = [f"{letter}{number:02}" for letter in LETTERS for number in range(100)]
    catalogue = Catalogue(
        Entry(a_diagnosis(category.lower(), name=category, icd10=[category]), ())
        for category in categories
    )

    assert len(codes) > 90_000
    for code in codes:
        assert RecordIcd10Code(code.replace(".", "")).read_as == code
    for category, group in groupby(sorted(codes), key=lambda code: code[:3]):
        wanted = DiagnosisFilter(codes=tuple(RecordIcd10Code(code) for code in group))
        expected = (category.lower(),) if re.fullmatch(Icd10Code.PATTERN, category) else ()
        found = catalogue.find(wanted)
        assert all(code.read_as == code.given for code in wanted.codes)
        assert tuple(one.diagnosis.id for one in found) == expected
        assert {match.diagnosis_ids for match in wanted.matches(found)} == {expected}
