"""SNOMED CT with invented maps: their branches, and how well a code fits."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.matching import Match, Relation
from evref.domain.catalogue.record_code import Classification, Edition, RecordCode, read_part
from evref.domain.catalogue.snomed import NOT_IN_MAP, Groups, SnomedMap, branches
from evref.testing.builders import a_diagnosis

CATALOGUE = Catalogue(
    [
        Entry(a_diagnosis("knee", name="Knee", icd10=["M17"]), ()),
        Entry(a_diagnosis("hip", name="Hip", icd10=["M16"]), ()),
        Entry(a_diagnosis("vague", name="Vague", icd10=["J45"], broader_codes=("J45",)), ()),
    ]
)
TARGETS = st.sampled_from(["", "M17", "M17.9", "M16.1", "J45.0", "Z99.9"])
GROUPS = st.lists(st.lists(TARGETS, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
CODES = st.integers(1, 10**18 - 1)


def asked(snomed: SnomedMap, code: int | str) -> Match:
    (given_code,) = read_part(Classification.SNOMED_CT, str(code))
    (match,) = CATALOGUE.matches([snomed.resolve(given_code)])
    return match


def relations(groups: Groups) -> dict[str, Relation | None]:
    fits = asked(SnomedMap(Edition.WHO, {7: groups}), 7).fits
    return {fit.diagnosis_id: fit.relation for fit in fits}


@given(st.dictionaries(CODES, GROUPS, max_size=8), CODES)
def test_each_code_has_its_own_targets(groups_by_code: dict[int, Groups], other: int) -> None:
    """A code that is not in the map is not read."""
    snomed = SnomedMap(None, groups_by_code)

    for code, groups in groups_by_code.items():
        assert snomed.groups[code] == groups
        targets = ", ".join(dict.fromkeys(filter(None, chain(*groups))))
        assert asked(snomed, code).code.read_as == (targets or str(code))
    if other not in groups_by_code:
        missing = asked(snomed, other).code
        assert (missing.read_as, missing.error) == (None, NOT_IN_MAP)
    assert snomed.count_leading_to(CATALOGUE) == sum(
        bool(relations(groups)) for groups in groups_by_code.values()
    )


@given(GROUPS)
def test_a_diagnosis_is_certain_only_if_every_branch_of_a_group_leads_to_it(
    groups: Groups,
) -> None:
    """The order of groups and branches does not matter."""
    by_diagnosis = relations(groups)

    for name, prefix in (("knee", "M17"), ("hip", "M16")):
        leads = [[target.startswith(prefix) for target in group] for group in groups]
        assert (name in by_diagnosis) == any(map(any, leads))
        assert (by_diagnosis.get(name) is Relation.CERTAIN) == any(map(all, leads))
    assert by_diagnosis.get("vague") in {None, Relation.APPROXIMATE}
    assert relations(tuple(group[::-1] for group in groups[::-1])) == by_diagnosis


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans(), TARGETS), min_size=1))
def test_every_row_is_a_branch_with_an_empty_one_unless_one_always_applies(
    rows: list[tuple[int, bool, str]],
) -> None:
    alternatives = branches(rows)

    targets = {target for _, _, target in rows}
    is_complete = any(always_applies for _, always_applies, _ in rows)
    assert {*alternatives} == (targets if is_complete else targets | {""})
    assert len({*alternatives}) == len(alternatives)


@pytest.mark.parametrize("text", ["", "0", "01", "1" * 19, "٣", "12 3", "M17", "-1"])
def test_a_malformed_code_is_not_read(text: str) -> None:
    (code,) = read_part(Classification.SNOMED_CT, text)

    assert code.read_as is None
    assert isinstance(SnomedMap(None, {}).resolve(code), RecordCode)
