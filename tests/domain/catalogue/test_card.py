"""The card of a diagnosis, evidence in words, and the groups of diagnoses."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.card import card, in_card_order
from evref.domain.catalogue.chapters import by_chapter, chapter_of, related
from evref.domain.catalogue.evidence import (
    CardGroup,
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    ReferenceKind,
)
from evref.domain.catalogue.evidence_words import source, verdict
from evref.domain.catalogue.intervention import Intervention, Phase
from evref.testing.builders import a_diagnosis, a_reference, an_intervention

GRADES = {
    ("strong_for", "for"): CardGroup.RECOMMENDED,
    ("conditional_for", "for"): CardGroup.TO_CONSIDER,
    ("conditional_against", "against"): CardGroup.ADVISED_AGAINST,
    ("strong_against", "against"): CardGroup.ADVISED_AGAINST,
    ("not_stated", "for"): CardGroup.SUPPORTED,
    ("not_stated", "against"): CardGroup.NO_BENEFIT_FOUND,
    ("not_stated", "unclear"): CardGroup.UNCLEAR,
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


@given(interventions, st.lists(st.integers(0, 999).map("k-{}".format), max_size=5, unique=True))
def test_the_card_has_every_intervention_once_in_its_group_and_order(
    given_: list[Intervention], mainstays: list[str]
) -> None:
    """A group has the mainstays first, then acute before chronic, and then the given order."""
    groups = card(given_, mainstays)

    assert list(groups) == [group for group in CardGroup if group in groups]
    assert [*chain(*groups.values())] == list(in_card_order(given_, mainstays))
    for group, members in groups.items():
        assert members
        for member in members:
            graded = member.evidence.recommendation.value, member.evidence.direction.value
            assert GRADES[graded] is group
        own = [intervention for intervention in given_ if intervention in members]
        first = [member for name in mainstays for member in own if member.id == name]
        in_phases = [member for phase in Phase for member in own if member.phase is phase]
        assert [member.id for member in members[: len(first)]] == [member.id for member in first]
        assert list(members[len(first) :]) == [
            member for member in in_phases if member.id not in mainstays
        ]


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
            "ACP 2013 (inactive by its own five-year rule): weak (in all adults), low quality",
            "Weak, low quality · ACP 2013 (inactive by its own five-year rule)",
        ),
        (
            "EULAR 2018, recommendation 4: level 1a, grade A. Cochrane 2017: low",
            "Level 1a, grade A · EULAR 2018",
        ),
        ("NICE QS25, statement 4 (2013, updated 2018): offer", "Offer · NICE QS25 2013"),
        ("AHA/ASA 2022: Class 3: No Benefit", "Class 3: No Benefit · AHA/ASA 2022"),
        ("NICE NG97: offer", "Offer · NICE NG97 2018"),
        ("NICE CG1: offer", "Offer · NICE CG1 2018"),
        ("BTS guideline: grade C", "Grade C · BTS guideline 2016"),
        ("SIGN: offer", "Offer · SIGN 2011"),
        ("Expert consensus", "Expert consensus · 2011"),
        ("ACP 2017 (strong) is inactive", "ACP 2017 (strong) is inactive"),
    ],
)
def test_a_grade_is_shortened_to_its_first_statement(whole: str, short: str) -> None:
    """The short form has the grade, the source and always a year."""
    works = (
        a_reference(authors="Doe J", year=2011),
        a_reference(authors="National Institute for Health and Care Excellence", year=2018),
        a_reference(title="British Thoracic Society guideline", authors="Hill A", year=2016),
    )
    works = (works[0], replace(works[1], source="NICE guideline NG97"), works[2])
    graded = replace(
        an_intervention(references=works), evidence=evidence("strong_for", "for", whole)
    )

    assert source(graded) == short


@pytest.mark.parametrize(
    ("works", "words"),
    [
        ([("guideline", 2018, "NICE"), ("guideline", 2020, "NICE")], "guideline, NICE 2020"),
        ([("randomised_trial", 2020, "BMJ"), ("systematic_review", 2015, "BMJ")],
         "systematic review 2015"),
        ([("systematic_review", 2021, "Cochrane Database of Systematic Reviews")],
         "Cochrane review 2021"),
        ([("safety_notice", 2022, "FDA"), ("randomised_trial", 2018, "BMJ")],
         "randomised trial 2018"),
        ([("safety_notice", 2012, "FDA")], "safety notice, NICE 2012"),
    ],
)  # fmt: skip
def test_without_a_grade_the_most_important_work_is_named(
    works: list[tuple[str, int, str]], words: str
) -> None:
    """The kind of the work decides, and then its year."""
    references = [
        replace(a_reference(authors="NICE", year=year), kind=ReferenceKind(kind), source=source_)
        for kind, year, source_ in works
    ]

    made = an_intervention(references=references)
    assert source(replace(made, evidence=evidence("not_stated", "for"))) == words


@pytest.mark.parametrize(
    ("graded", "kind", "words"),
    [
        (("strong_for", "for"), "guideline", "Guidelines recommend it (strong)"),
        (
            ("conditional_against", "against"),
            "consensus_statement",
            "Sources advise against it (conditional)",
        ),
        (("not_stated", "for"), "guideline", "Sources favour it; strength not stated"),
    ],
)
def test_guidelines_are_named_only_if_a_guideline_is_cited(
    graded: tuple[str, str], kind: str, words: str
) -> None:
    """No text says that there is no recommendation."""
    made = an_intervention(references=[replace(a_reference(), kind=ReferenceKind(kind))])

    assert verdict(replace(made, evidence=evidence(*graded))) == words


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
    """The first code of a diagnosis decides, and groups are in the order of ICD-10."""
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


def test_related_diagnoses_share_a_code_or_are_the_nearest_of_the_chapter() -> None:
    """A code above or below counts as shared, and at most six diagnoses are named."""
    knee = a_diagnosis("knee", icd10=["M17"], icd11=["FA01"])
    hip = a_diagnosis("hip", icd10=["M16"], icd11=["FA00"])
    back = a_diagnosis("back", icd10=["M54.5"], icd11=["ME84.2"])
    one_sided = a_diagnosis("one-sided", icd10=["S83.2", "M17.1"], icd11=["NC93"])
    skin = a_diagnosis("skin", icd10=["L40"], icd11=["EA90"])
    far = [a_diagnosis(f"f{n}", icd10=[f"M{n}"], icd11=["FB00"]) for n in range(60, 69)]

    nearest = related(knee, [knee, back, skin, hip, one_sided, *far])

    ids = [diagnosis.id for diagnosis in nearest]
    assert ids == ["one-sided", "hip", "back", "f60", "f61", "f62"]
    assert related(skin, [knee, skin]) == ()
