"""The card of a diagnosis, evidence in words, and the groups of diagnoses."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.catalogue.catalogue import Catalogue, by_chapter, chapter_of
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import (
    CardGroup,
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    ReferenceKind,
)
from evref.domain.catalogue.in_words import dose, said, source, verdict
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase
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

SHOWN = [
    *(CardGroup.RECOMMENDED, CardGroup.ADVISED_AGAINST, CardGroup.NO_BENEFIT_FOUND),
    *(CardGroup.UNCLEAR, CardGroup.TO_CONSIDER, CardGroup.SUPPORTED),
]
"""What is advised against follows what is recommended."""


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
    ),
    unique_by=lambda intervention: intervention.id,
)


@given(interventions, st.randoms(use_true_random=False))
def test_the_card_has_every_intervention_once_in_its_group_and_order(
    drawn: list[Intervention], random: Random
) -> None:
    """A group has the mainstays first, then acute before chronic, and then the listing order."""
    strong = [
        intervention.id
        for intervention in drawn
        if intervention.evidence.recommendation is Recommendation.STRONG_FOR
    ]
    mainstays = random.sample(strong, min(len(strong), 2))
    entry = Entry(a_diagnosis(mainstays=tuple(mainstays)), tuple(drawn))
    groups = entry.card()

    assert list(groups) == [group for group in SHOWN if group in groups]
    in_order = [*chain(*(groups.get(group, ()) for group in CardGroup))]
    assert in_order == list(entry.in_card_order())
    for group, members in groups.items():
        assert members
        for member in members:
            graded = member.evidence.recommendation.value, member.evidence.direction.value
            assert GRADES[graded] is group
        own = [intervention for intervention in entry.interventions if intervention in members]
        first = [member for name in mainstays for member in own if member.id == name]
        in_phases = [member for phase in Phase for member in own if member.phase is phase]
        assert [member.id for member in members[: len(first)]] == [member.id for member in first]
        assert list(members[len(first) :]) == [
            member for member in in_phases if member.id not in mainstays
        ]


@pytest.mark.parametrize(
    ("whole", "statements"),
    [
        (
            "ACR/AF 2019: strongly recommended; OARSI 2019: core",
            [("ACR/AF 2019", "strongly recommended"), ("OARSI 2019", "core")],
        ),
        (
            "KDIGO 2024: 1B (severe; moderate); 2C; NICE NG203 (2021; words of 2014): do not offer",
            [
                ("KDIGO 2024", "1B (severe; moderate); 2C"),
                ("NICE NG203 (2021; words of 2014)", "do not offer"),
            ],
        ),
        (
            "AHA/ASA 2022: Class 3: No Benefit; Class 2a: reasonable",
            [("AHA/ASA 2022", "Class 3: No Benefit; Class 2a: reasonable")],
        ),
        ("Expert consensus", [("", "Expert consensus")]),
        (None, []),
    ],
)
def test_a_grade_is_told_by_source(whole: str | None, statements: list[tuple[str, str]]) -> None:
    assert [*said(evidence("strong_for", "for", whole))] == statements


@pytest.mark.parametrize(
    ("named", "superseded", "works", "words"),
    [
        ("ESC 2023", False, [("guideline", 2018)], "ESC 2023"),
        ("ESC 2019", True, [("guideline", 2018)], "ESC 2019, replaced"),
        (None, False, [("guideline", 2018), ("guideline", 2020)], "guideline 2020"),
        (None, True, [("randomised_trial", 2020), ("systematic_review", 2015)],
         "systematic review 2015, replaced"),
        (None, False, [("safety_notice", 2022), ("cohort_study", 2018)], "cohort study 2018"),
    ],
)  # fmt: skip
def test_the_source_is_named_or_is_the_newest_work_of_the_strongest_kind(
    named: str | None, superseded: bool, works: list[tuple[str, int]], words: str
) -> None:
    references = [replace(a_reference(year=year), kind=ReferenceKind(kind)) for kind, year in works]
    graded = replace(evidence("strong_for", "for"), source=named, superseded=superseded)

    assert source(replace(an_intervention(references=references), evidence=graded)) == words


@pytest.mark.parametrize(
    ("elements", "line"),
    [
        (("3 times a week (Juhl 2014)", "Moderate (HF-ACTION)", None, None, "36 sessions", None),
         "3 times a week · moderate"),
        (("twice a week", None, None, None, "36 sessions", None), "Twice a week · 36 sessions"),
        (("twice a week", "M" * 60, "T" * 60, None, None, None), f"Twice a week · m{'M' * 59}"),
        ((None, None, None, "Strength", None, "More weight"), "No dose stated"),
    ],
)  # fmt: skip
def test_a_dose_fits_on_a_line(elements: tuple[str | None, ...], line: str) -> None:
    assert dose(FittVp(*elements)) == line


def test_the_commonest_phase_is_the_earlier_one_of_two() -> None:
    in_phases = [an_intervention(f"k-{n}", phase=phase) for n, phase in enumerate([*Phase, *Phase])]

    assert Entry(a_diagnosis(), tuple(in_phases)).commonest_phase is Phase.ACUTE
    assert Entry(a_diagnosis(), ()).commonest_phase is None


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
    assert str(a_reference(authors=authors, year=2020)) == name


def test_diagnoses_are_grouped_by_the_chapters_of_icd_10() -> None:
    """The first code of a diagnosis decides, and groups are in the order of ICD-10."""
    knee, gout, fall, covid, anaemia = (
        Entry(a_diagnosis(code.lower().replace(".", "-"), icd10=[code]), ())
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

    everything = (knee, back, skin, hip, one_sided, *far)
    catalogue = Catalogue(Entry(diagnosis, ()) for diagnosis in everything)

    ids = [diagnosis.id for diagnosis in catalogue.related(knee)]
    assert ids == ["one-sided", "hip", "back", "f60", "f61", "f62"]
    assert catalogue.related(skin) == ()
