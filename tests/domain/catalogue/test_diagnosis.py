"""The rules of a diagnosis."""

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.diagnosis import RESERVED_IDS, Module, Review
from evref.domain.catalogue.icd import CodeList, FinerCodes
from evref.domain.errors import InvalidValueError
from evref.testing.builders import a_diagnosis


@given(st.lists(st.sampled_from(Module), unique=True))
def test_enabled_modules_are_in_the_order_of_the_enumeration(modules: list[Module]) -> None:
    expected = tuple(module for module in Module if module in modules)

    assert a_diagnosis(modules=modules).enabled_modules == expected


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda: a_diagnosis("Knee"), "id"),
        *((lambda name=name: a_diagnosis(name), "id") for name in RESERVED_IDS),
        (lambda: a_diagnosis(name="Knee\npain"), "name"),
        (lambda: a_diagnosis(icd10=()), "icd10"),
        (lambda: a_diagnosis(icd10=("M17", "M17")), "icd10"),
        (lambda: a_diagnosis(icd11=()), "icd11"),
        (lambda: a_diagnosis(icd11=("FA01", "FA01")), "icd11"),
        (lambda: a_diagnosis(modules=(Module.HOME, Module.HOME)), "enabled_modules"),
        (lambda: a_diagnosis(terms={"en": ("gout", "Gout")}), "en"),
        (lambda: a_diagnosis(terms={"en": tuple(f"x{n}" for n in range(41))}), "en"),
        (lambda: a_diagnosis(terms={"eng": ("gout",)}), "eng"),
        (lambda: a_diagnosis(broader_codes=("M17", "M17")), "broader_codes"),
        (lambda: a_diagnosis(broader_codes=("M18",)), "broader_codes"),
        (lambda: FinerCodes(("S83.51",), ("S83.51",)), "excludes"),
        (lambda: FinerCodes(("S83.51", "S83.51")), "includes"),
        (lambda: a_diagnosis(finer_codes={CodeList.ICD_11: FinerCodes(("M17.1",))}), "icd-11"),
        (lambda: Review("", date(2026, 2, 2)), "by"),
    ],
)
def test_a_broken_rule_is_reported_at_its_field(make: Callable[[], object], field: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        make()

    assert {fault.field for fault in caught.value.faults} == {field}
