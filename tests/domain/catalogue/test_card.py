"""The card, the short form of a grade, and the groups of diagnoses."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.card import CardGroup, card, in_card_order
from evref.domain.catalogue.chapters import by_chapter, chapter_of, related
from evref.domain.catalogue.evidence import Certainty, Direction, Evidence, Recommendation
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.domain.catalogue.short_grade import short_grade
from evref.testing.builders import a_diagnosis, a_reference, an_intervention

GRADES = {
    ("strong_for", "for"): CardGroup.RECOMMENDED,
    ("conditional_for", "for"): CardGroup.TO_CONSIDER,
    ("conditional_against", "against"): CardGroup.AGAINST,
    ("strong_against", "against"): CardGroup.AGAINST,
    ("not_stated", "against"): CardGroup.AGAINST,
    ("not_stated", "for"): CardGroup.NOT_GRADED,
    ("not_stated", "unclear"): CardGroup.NOT_GRADED,
}


def evidence(recommendation: str, direction: str, source_grade: str | None = None) -> Evidence:
    return Evidence(
        Certainty.NOT_GRADED, Recommendation(recommendation), Direction(direction), source_grade
    )


interventions = st.lists(
    st.builds(
        lambda number, grade, phase: replace(
            an_intervention(f"k-{number}", phase=phase), evidence=evidence(*grade)
        ),
        st.integers(0, 999),
        st.sampled_from(sorted(GRADES)),
        st.sampled_from(Phase),
    )
)


@given(interventions)
def test_the_card_has_every_intervention_once_in_its_group_and_order(
    given_: list[Intervention],
) -> None:
    """By group, then acute before chronic, then as given."""
    groups = card(given_)

    assert list(groups) == [group for group in CardGroup if group in groups]
    assert [each for found in groups.values() for each in found] == list(in_card_order(given_))
    for group, found in groups.items():
        assert found
        for each in found:
            graded = each.evidence.recommendation.value, each.evidence.direction.value
            assert GRADES[graded] is group
        expected = [
            each for phase in Phase for each in given_ if each in found and each.phase is phase
        ]
        assert list(found) == expected


@pytest.mark.parametrize(
    ("whole", "short"),
    [
        (
            "AHA/ACC/HFSA 2022: Class 1, level of evidence A",
            "Class 1, level A · AHA 2022",
        ),
        (
            "ACR/AF 2019: strongly recommended; OARSI 2019: core",
            "Strongly recommended · ACR/AF 2019",
        ),
        (
            "ACC/AHA 2023: Class 3 (harm), level of evidence B-R",
            "Class 3 (harm), level B-R · ACC/AHA 2023",
        ),
        ("KDIGO 2024: 1B (severely increased; moderately increased); 2C", "1B · KDIGO 2024"),
        ("NICE CG103 (2023): consider", "Consider · NICE CG103 (2023)"),
        (
            "EULAR 2018, recommendation 4: level 1a, grade A. Cochrane 2017: low",
            "Level 1a, grade A · EULAR 2018",
        ),
        ("AHA/ASA 2022: Class 3: No Benefit", "Class 3: No Benefit · AHA/ASA 2022"),
        ("NICE NG97: offer", "Offer · NICE NG97 2018"),
        ("NICE CG1: offer", "Offer · NICE CG1 2018"),
        ("SIGN: offer", "Offer · SIGN"),
        ("International consensus recommendation", "International consensus recommendation"),
        (f"AAN 2021: {'word ' * 20}end", f"Word {'word ' * 10}word … · AAN 2021"),
        (None, None),
    ],
)
def test_a_grade_is_shortened_to_its_first_statement(whole: str | None, short: str | None) -> None:
    """Which has the grade, the source and the year."""
    body = "National Institute for Health and Care Excellence"
    works = (
        a_reference(authors="Doe J", year=2011),
        replace(a_reference(authors=body, year=2018), source="NICE guideline NG97"),
    )
    graded = replace(
        an_intervention(references=works), evidence=evidence("strong_for", "for", whole)
    )

    assert short_grade(graded) == short


@pytest.mark.parametrize(
    ("authors", "name"),
    [
        ("Kolasinski SL, Neogi T, et al.", "Kolasinski 2020"),
        ("van der Linden S", "van der Linden 2020"),
        ("Senneville É, Albalawi Z", "Senneville 2020"),
        ("World Health Organization", "WHO 2020"),
        ("NHS England and NHS Improvement", "NHS England and NHS Improvement 2020"),
        ("WHO", "WHO 2020"),
    ],
)
def test_a_work_has_a_short_name(authors: str, name: str) -> None:
    assert a_reference(authors=authors, year=2020).short_name == name


def test_diagnoses_are_grouped_by_the_chapters_of_icd_10() -> None:
    """By the first code of each, in the order of ICD-10."""
    knee, gout, fall, covid, anaemia = (
        a_diagnosis(code.lower().replace(".", "-"), icd10=[code])
        for code in ("M17", "M10", "S72.0", "U09.9", "D50")
    )

    assert by_chapter([knee, gout, fall, covid, anaemia]) == {
        "Blood and immune system": [anaemia],
        "Muscles, bones and joints": [knee, gout],
        "Injuries and poisoning": [fall],
        "COVID-19 and special codes": [covid],
    }
    assert chapter_of(a_diagnosis(icd10=["D49"])) == "Cancer and other tumours"


def test_related_are_those_with_a_shared_code_then_the_nearest_of_the_chapter() -> None:
    """A code above or below counts as shared; at most six are named."""
    knee = a_diagnosis("knee", icd10=["M17"], icd11=["FA01"])
    hip = a_diagnosis("hip", icd10=["M16"], icd11=["FA00"])
    back = a_diagnosis("back", icd10=["M54.5"], icd11=["ME84.2"])
    one_sided = a_diagnosis("one-sided", icd10=["S83.2", "M17.1"], icd11=["NC93"])
    skin = a_diagnosis("skin", icd10=["L40"], icd11=["EA90"])
    far = [a_diagnosis(f"f{n}", icd10=[f"M{n}"], icd11=["FB00"]) for n in range(60, 69)]

    found = related(knee, [knee, back, skin, hip, one_sided, *far])

    assert [each.id for each in found] == ["one-sided", "hip", "back", "f60", "f61", "f62"]
    assert related(skin, [knee, skin]) == ()
