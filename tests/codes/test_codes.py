"""Every code of ICD-10-CM, and codes that people judged: `make codes`, because they are many."""

from __future__ import annotations

import pytest

from evref.domain.catalogue.record_code import Edition
from tests.codes.lists import icd10_cm, judged_codes
from tests.domain.catalogue.test_matching import relations_of
from tests.domain.catalogue.test_record_code import only
from tests.pages.site import bundled


@pytest.mark.parametrize("edition", [None, Edition.CM])
def test_every_code_of_icd10_cm_is_read_as_itself(edition: Edition | None) -> None:
    """This holds with and without its dot."""
    codes = icd10_cm()

    assert len(codes) > 98_000
    for code in codes:
        assert only(code, edition).read_as == only(code.replace(".", ""), edition).read_as == code


def test_codes_of_icd10_cm_find_what_they_mean() -> None:
    """With the edition, relations are exact; without it, none is missing or wrongly certain."""
    for code, expected in judged_codes():
        assert relations_of(code, Edition.CM)[0] == expected, code
        relations, _ = relations_of(code)
        certain = {name for name, relation in relations.items() if relation == "certain"}
        assert expected.keys() <= relations.keys(), code
        assert certain <= {name for name in expected if expected[name] == "certain"}, code


def test_no_excluded_code_of_icd10_cm_is_certain_without_the_edition() -> None:
    """In another edition the code may fit, so it may only be approximate."""
    excluding = {
        prefix[:3]
        for entry in bundled().entries
        for finer in entry.diagnosis.finer_codes.values()
        for prefix in finer.excludes
    }
    for code in (code for code in icd10_cm() if code[:3] in excluding):
        for diagnosis_id in relations_of(code, Edition.CM)[1]:
            assert relations_of(code)[0].get(diagnosis_id) != "certain"
