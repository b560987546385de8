"""Diagnoses and interventions as resources of FHIR, and the ids of these."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.adapters.inbound.fhir.index import Item, fhir_id
from evref.domain.catalogue.diagnosis import Module, Review
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
)
from evref.domain.catalogue.in_words import plain
from evref.domain.catalogue.intervention import FittVp, Intervention
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.testing.builders import (
    CAUTION,
    a_diagnosis,
    a_reference,
    an_effect,
    an_intervention,
)
from tests.fhir.conftest import LONG_ID, RESOURCES, ROOT, Read, direction

SERVER = "https://evref.example.org/fhir"
STRENGTH = "http://hl7.org/fhir/StructureDefinition/cqf-strengthOfRecommendation"
DO_NOT_PERFORM = f"{ROOT}/StructureDefinition/do-not-perform"
HL7 = "http://terminology.hl7.org/CodeSystem"
QUALITY = "http://hl7.org/fhir/StructureDefinition/cqf-qualityOfEvidence"


def rendered(intervention: Intervention) -> dict[str, Any]:
    """Return the resource of an intervention."""
    entry = Entry(a_diagnosis(), (intervention,))
    return RESOURCES.rendered(Item(entry, intervention))


def graded(
    certainty: Certainty = Certainty.NOT_GRADED,
    recommendation: Recommendation = Recommendation.NOT_STATED,
    direction: Direction = Direction.FOR,
    source_grade: str | None = None,
) -> dict[str, Any]:
    evidence = Evidence(certainty, recommendation, direction, source_grade)
    return rendered(replace(an_intervention(), evidence=evidence))


def justifications(resource: dict[str, Any]) -> list[dict[str, Any]]:
    artifacts = resource["relatedArtifact"]
    return [artifact for artifact in artifacts if artifact["type"] == "justification"]


def grade(resource: dict[str, Any], url: str) -> dict[str, str] | None:
    """Return the coding in an extension of the justification's document, where R4 allows it."""
    codings: list[dict[str, str]] = [
        extension["valueCodeableConcept"]["coding"][0]
        for artifact in justifications(resource)
        for extension in artifact.get("document", {}).get("extension", [])
        if extension["url"] == url
    ]
    assert len(codings) <= 1
    return codings[0] if codings else None


def test_a_diagnosis_is_a_plan_definition(read: Read) -> None:
    plan = read("PlanDefinition/knee-osteoarthritis")

    assert plan["url"] == f"{ROOT}/PlanDefinition/knee-osteoarthritis"
    assert plan["identifier"] == [
        {"system": f"{ROOT}/NamingSystem/diagnosis-id", "value": "knee-osteoarthritis"}
    ]
    assert re.fullmatch("[0-9a-f]{16}", plan["version"])
    assert plan["name"] == "Diagnosis_knee_osteoarthritis"
    assert plan["title"] == "Knee osteoarthritis"
    assert (plan["status"], plan["experimental"]) == ("active", True)
    assert plan["date"] == plan["meta"]["lastUpdated"]
    assert plan.keys() & {"approvalDate", "lastReviewDate"} == set()
    assert plan["usage"] == DISCLAIMER
    assert [topic["coding"][0]["code"] for topic in plan["topic"]] == ["fitt_vip", "home"]
    assert [artifact["type"] for artifact in plan["relatedArtifact"]] == ["citation"]


def test_the_codes_are_the_focus_of_a_plan_definition(read: Read) -> None:
    """Each code has its own `useContext`, with the name of the diagnosis."""
    contexts = read("PlanDefinition/low-back-pain")["useContext"]

    assert [context["code"]["code"] for context in contexts] == ["focus"] * 3
    concepts = [context["valueCodeableConcept"] for context in contexts]
    assert {concept["text"] for concept in concepts} == {"Low back pain"}
    codings = [coding for concept in concepts for coding in concept["coding"]]
    assert [(coding["system"], coding["code"]) for coding in codings] == [
        ("http://hl7.org/fhir/sid/icd-10", "M54.5"),
        ("http://hl7.org/fhir/sid/icd-10", "M54"),
        ("http://id.who.int/icd/release/11/mms", "ME84.2&XK8G"),
    ]


def test_a_broader_code_is_marked(read: Read) -> None:
    """A program that reads only the codes must not take it for the diagnosis."""
    contexts = read("PlanDefinition/low-back-pain")["useContext"]

    codings = [context["valueCodeableConcept"]["coding"][0] for context in contexts]
    (broader,) = (coding for coding in codings if "extension" in coding)
    ((code, text),) = (extension["extension"] for extension in broader["extension"])
    assert broader["code"] == "M54"
    assert code["valueCode"] == "approximate"
    assert text["valueString"] == "this code also means other conditions"


def test_the_actions_are_the_visible_interventions_as_on_the_card(read: Read) -> None:
    """Each action names its ActivityDefinition, module, phase and direction."""
    actions = read("PlanDefinition/knee-osteoarthritis")["action"]

    assert [(action["title"], direction(action)) for action in actions] == [
        ("Exercise under supervision", "for"),
        ("Arthroscopy", "against"),
        ("Tapes", "unclear"),
    ]
    assert "Guidelines advise against it (strong)." in actions[1]["description"]
    assert [[code["coding"][0]["code"] for code in action["code"]] for action in actions] == [
        ["fitt_vip", "chronic"],
        ["home", "chronic"],
        ["home", "acute"],
    ]
    for action in actions:
        words = f"Direction of the evidence: {direction(action)}. "
        assert action["description"].startswith(words)
        bundle = read(f"ActivityDefinition?url={action['definitionCanonical']}")
        activity = bundle["entry"][0]["resource"]
        assert activity["title"] == action["title"]
        assert activity["url"] == action["definitionCanonical"]
        assert activity["subtitle"].startswith(words)
        assert direction(activity) == direction(action)
        assert justifications(activity) == action.get("documentation", [])
        do_not_perform = [{"url": DO_NOT_PERFORM, "valueBoolean": True}]
        is_against = activity.get("doNotPerform") is True
        assert action.get("modifierExtension") == (do_not_perform if is_against else None)
        assert is_against == (direction(action) == "against")


def test_a_diagnosis_without_visible_interventions_has_no_actions(read: Read) -> None:
    """FHIR does not allow empty lists."""
    plan = read("PlanDefinition/guillain-barre-syndrome")

    assert plan.keys() & {"action", "topic", "relatedArtifact"} == set()


def test_an_intervention_is_an_activity_definition(read: Read) -> None:
    activity = read("ActivityDefinition/b-walk")

    assert activity["url"] == f"{ROOT}/ActivityDefinition/b-walk"
    assert activity["name"] == "Intervention_b_walk"
    assert activity["title"] == "Walking"
    assert activity["description"].startswith("A guideline describes exercise")
    assert activity["usage"] == DISCLAIMER
    assert activity["topic"] == [
        {
            "coding": [{"system": f"{ROOT}/CodeSystem/module", "code": "home"}],
            "text": "Home and self-care",
        },
        {
            "coding": [{"system": f"{ROOT}/CodeSystem/phase", "code": "chronic"}],
            "text": "Chronic",
        },
    ]
    contexts = read("PlanDefinition/low-back-pain")["useContext"]
    assert activity["useContext"] == contexts
    assert activity["version"] == read("PlanDefinition/low-back-pain")["version"]


def test_an_intervention_with_a_long_id_has_a_shorter_id_in_fhir(read: Read) -> None:
    """The id of the catalogue is its identifier."""
    (entry,) = read("ActivityDefinition?title=Exercise")["entry"]
    resource = entry["resource"]

    assert len(resource["id"]) == 64
    assert entry["fullUrl"] == f"{SERVER}/ActivityDefinition/{resource['id']}"
    assert resource["url"] == f"{ROOT}/ActivityDefinition/{resource['id']}"
    assert resource["identifier"][0]["value"] == LONG_ID
    assert read(f"ActivityDefinition/{resource['id']}") == resource


def test_effects_are_sentences_between_the_summary_and_the_caution() -> None:
    effects = (an_effect(), an_effect("-1.5", ("-2.5", "-0.5"), outcome="Disability"))
    intervention = an_intervention(cautions=CAUTION, effects=effects)

    parts = rendered(intervention)["description"].split("\n\n")

    assert parts == [
        intervention.summary,
        *(f"{plain(effect)}." for effect in effects),
        f"**Caution:** {CAUTION}",
    ]
    assert "better by 0.49 SD" in parts[1]


@pytest.mark.parametrize(
    ("stated", "purpose"),
    [
        ({"scope": "Supportive care of the knee."}, "Supportive care of the knee."),
        ({"not_covered": "the operation itself"}, "Not covered: the operation itself."),
    ],
)
def test_what_is_and_is_not_covered_is_the_purpose(stated: dict[str, Any], purpose: str) -> None:
    plan = RESOURCES.rendered(Item(Entry(a_diagnosis(**stated), ())))

    assert plan["purpose"] == purpose
    assert purpose in plan["text"]["div"]


def test_a_name_within_a_sentence_has_no_capital() -> None:
    diagnosis = a_diagnosis(name="Wear of the knee", terms={"en": ["wear of the knee"]})

    plan = RESOURCES.rendered(Item(Entry(diagnosis, ())))

    assert plan["description"].startswith("Interventions for wear of the knee, each with")


def test_strength_and_certainty_are_codes_of_hl7() -> None:
    """The how-to has the tables of all codes."""
    weak = graded(Certainty.VERY_LOW, Recommendation.CONDITIONAL_AGAINST, Direction.AGAINST)

    assert grade(weak, STRENGTH) == {
        "system": f"{HL7}/recommendation-strength",
        "code": "weak",
        "display": "Weak",
    }
    assert grade(weak, QUALITY) == {
        "system": f"{HL7}/evidence-quality",
        "code": "very-low",
        "display": "Very low quality",
    }


def test_strength_and_certainty_are_left_out_if_the_sources_state_none() -> None:
    assert justifications(graded()) == []
    assert grade(graded(Certainty.LOW), STRENGTH) is None
    assert grade(graded(recommendation=Recommendation.STRONG_FOR), QUALITY) is None


def test_the_grade_is_in_the_words_of_the_source() -> None:
    assert justifications(graded(source_grade="Level B")) == [
        {"type": "justification", "display": "Level B"}
    ]
    (both,) = justifications(graded(Certainty.LOW, source_grade="Level B"))
    assert both["display"] == "Level B"


def test_the_deciding_source_is_the_label_and_says_if_it_was_superseded() -> None:
    evidence = Evidence(
        Certainty.NOT_GRADED,
        Recommendation.NOT_STATED,
        Direction.FOR,
        source_grade=None,
        source="NICE 2018",
        superseded=True,
    )

    assert justifications(rendered(replace(an_intervention(), evidence=evidence))) == [
        {"type": "justification", "label": "NICE 2018, replaced"}
    ]


def test_a_dose_has_only_the_stated_elements() -> None:
    """A dose without any element is left out, because an extension must not be empty."""
    exercise = an_intervention(module=Module.FITT_VIP)
    stated = FittVp("Twice a week", None, "40 minutes", "Strength", None, None)
    nothing = FittVp(None, None, None, None, None, None)
    extensions, without = (
        rendered(replace(exercise, fitt_vp=dose))["extension"] for dose in (stated, nothing)
    )

    assert extensions[-1] == {
        "url": f"{ROOT}/StructureDefinition/fitt-vp",
        "extension": [
            {"url": "frequency", "valueString": "Twice a week"},
            {"url": "time", "valueString": "40 minutes"},
            {"url": "type", "valueString": "Strength"},
        ],
    }
    assert without == extensions[:-1]


@pytest.mark.parametrize(
    ("reference", "url", "ends"),
    [
        (
            a_reference(doi="10.1002/art.41142", pmid="31908163"),
            "https://doi.org/10.1002/art.41142",
            "Arthritis & Rheumatology, 2020. doi:10.1002/art.41142. PMID: 31908163.",
        ),
        (
            a_reference(doi=None, pmid="31908163"),
            "https://pubmed.ncbi.nlm.nih.gov/31908163/",
            "Arthritis & Rheumatology, 2020. PMID: 31908163.",
        ),
        (
            a_reference(doi=None, url="https://example.org/guideline"),
            "https://example.org/guideline",
            "Arthritis & Rheumatology, 2020.",
        ),
    ],
)
def test_a_reference_is_a_citation(reference: Reference, url: str, ends: str) -> None:
    resource = rendered(an_intervention(references=[reference]))

    (citation,) = (
        artifact for artifact in resource["relatedArtifact"] if artifact["type"] == "citation"
    )
    assert citation["url"] == url
    assert citation["display"] == "Guideline"
    assert citation["citation"] == f"Kolasinski SL, Neogi T, et al. A guideline. {ends}"


def test_a_narrative_escapes_markup() -> None:
    intervention = an_intervention(title="<script>alert(1)</script> & more")

    div = rendered(intervention)["text"]["div"]

    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in div


def test_a_reviewed_entry_says_by_whom_and_when() -> None:
    reviewed = replace(a_diagnosis(), reviewed=Review("Ada Example, physician", date(2026, 3, 4)))
    plan = RESOURCES.rendered(Item(Entry(reviewed, ())))

    assert plan["experimental"] is False
    assert plan["approvalDate"] == plan["lastReviewDate"] == "2026-03-04"
    assert "Reviewed by Ada Example, physician on 2026-03-04." in plan["text"]["div"]
    assert plan["copyright"] == "Licensed under https://example.org/licence"
    assert plan["date"] == plan["meta"]["lastUpdated"] == "2026-11-01T08:30:00Z"


WORDS = st.text("abcxyz019", min_size=1, max_size=8)


SHORT = st.lists(WORDS, min_size=1, max_size=7).map("-".join)


LONG = st.lists(WORDS, min_size=33, max_size=40).map(lambda words: "-".join(words)[:96])


@given(slug=SHORT | LONG)
def test_every_id_is_valid_in_fhir(slug: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9\-.]{1,64}", fhir_id(slug))


@given(first=SHORT | LONG, second=SHORT | LONG)
def test_different_slugs_have_different_ids(first: str, second: str) -> None:
    assert (fhir_id(first) == fhir_id(second)) == (first == second)


@pytest.mark.parametrize("length", [63, 64, 65, 96])
def test_a_slug_of_up_to_64_characters_is_the_id(length: int) -> None:
    slug = an_intervention("x" * length).id

    assert (fhir_id(slug) == slug) == (length <= 64)
