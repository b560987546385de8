"""What a diagnosis and an intervention look like as resources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from evref.adapters.inbound.fhir.index import ACTIVITY_DEFINITION, PLAN_DEFINITION, Index, Item
from evref.adapters.inbound.fhir.resources import Issue, Resources
from evref.domain.catalogue.diagnosis import Module, Review
from evref.domain.catalogue.effect_words import sentence
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
)
from evref.domain.catalogue.intervention import FittVp, Intervention
from evref.domain.catalogue.vocabulary import DISCLAIMER, NAMES
from evref.testing.builders import (
    CAUTION,
    a_diagnosis,
    a_reference,
    an_effect,
    an_intervention,
)
from tests.fhir.conftest import LONG_ID, Read
from tests.pages.site import bundled

BASE = "https://evref.example/fhir"
SERVER = "https://evref.example.org/fhir"
STRENGTH = "http://hl7.org/fhir/StructureDefinition/cqf-strengthOfRecommendation"
DO_NOT_PERFORM = f"{BASE}/StructureDefinition/do-not-perform"
QUALITY = "http://hl7.org/fhir/StructureDefinition/cqf-qualityOfEvidence"
RESOURCES = Resources("https://evref.example.org", BASE)
ISSUE = Issue(datetime(2026, 11, 1, 8, 30, tzinfo=UTC), "https://example.org/licence")


def rendered(intervention: Intervention) -> dict[str, Any]:
    """The resource of an intervention."""
    entry = Entry(a_diagnosis(), (intervention,))
    return RESOURCES.rendered(Item(intervention.id, intervention.title, entry, intervention), ISSUE)


def graded(
    certainty: Certainty = Certainty.NOT_GRADED,
    recommendation: Recommendation = Recommendation.NOT_STATED,
    direction: Direction = Direction.FOR,
    source_grade: str | None = None,
) -> dict[str, Any]:
    evidence = Evidence(certainty, recommendation, direction, source_grade)
    return rendered(replace(an_intervention(), evidence=evidence))


def justifications(resource: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in resource["relatedArtifact"] if each["type"] == "justification"]


def grade(resource: dict[str, Any], url: str) -> dict[str, str] | None:
    """The coding of an extension of the justification's document, where R4 allows it."""
    found = [
        extension
        for each in justifications(resource)
        for extension in each.get("document", {}).get("extension", [])
        if extension["url"] == url
    ]
    assert len(found) <= 1
    return found[0]["valueCodeableConcept"]["coding"][0] if found else None


def direction(element: dict[str, Any]) -> str:
    (found,) = (
        each
        for each in element["extension"]
        if each["url"] == f"{BASE}/StructureDefinition/direction"
    )
    return str(found["valueCode"])


def test_a_diagnosis_is_a_plan_definition(read: Read) -> None:
    plan = read("PlanDefinition/knee-osteoarthritis")

    assert plan["url"] == f"{BASE}/PlanDefinition/knee-osteoarthritis"
    assert plan["identifier"] == [
        {"system": f"{BASE}/NamingSystem/diagnosis-id", "value": "knee-osteoarthritis"}
    ]
    assert re.fullmatch("[0-9a-f]{16}", plan["version"])
    assert plan["name"] == "Diagnosis_knee_osteoarthritis"
    assert plan["title"] == "Knee osteoarthritis"
    assert (plan["status"], plan["experimental"]) == ("active", True)
    assert plan["date"] == plan["meta"]["lastUpdated"]
    assert plan.keys() & {"approvalDate", "lastReviewDate"} == set()
    assert plan["usage"] == DISCLAIMER
    assert [each["coding"][0]["code"] for each in plan["topic"]] == ["fitt_vip", "home"]
    assert [each["type"] for each in plan["relatedArtifact"]] == ["citation"]


def test_the_focus_of_a_plan_definition_are_its_codes(read: Read) -> None:
    """Each by itself, with the name of the diagnosis."""
    contexts = read("PlanDefinition/low-back-pain")["useContext"]

    assert [each["code"]["code"] for each in contexts] == ["focus"] * 3
    assert {each["valueCodeableConcept"]["text"] for each in contexts} == {"Low back pain"}
    assert [
        (coding["system"], coding["code"])
        for each in contexts
        for coding in each["valueCodeableConcept"]["coding"]
    ] == [
        ("http://hl7.org/fhir/sid/icd-10", "M54.5"),
        ("http://hl7.org/fhir/sid/icd-10", "M54"),
        ("http://id.who.int/icd/release/11/mms", "ME84.2&XK8G"),
    ]


def test_the_actions_are_the_visible_interventions_as_on_the_card(read: Read) -> None:
    """Each leads to its ActivityDefinition, and names its module, its phase and its direction."""
    actions = read("PlanDefinition/knee-osteoarthritis")["action"]

    assert [each["title"] for each in actions] == [
        "Exercise under supervision",
        "Arthroscopy",
        "Tapes",
    ]
    assert [direction(each) for each in actions] == ["for", "against", "unclear"]
    assert [each["description"].partition(". ")[0] for each in actions] == [
        "Direction of the evidence: for",
        "Direction of the evidence: against",
        "Direction of the evidence: unclear",
    ]
    assert "Guidelines advise against it (strong)." in actions[1]["description"]
    assert [[code["coding"][0]["code"] for code in each["code"]] for each in actions] == [
        ["fitt_vip", "chronic"],
        ["home", "chronic"],
        ["home", "acute"],
    ]
    for action in actions:
        bundle = read(f"ActivityDefinition?url={action['definitionCanonical']}")
        activity = bundle["entry"][0]["resource"]
        assert activity["title"] == action["title"]
        assert activity["url"] == action["definitionCanonical"]
        assert justifications(activity) == action.get("documentation", [])
        do_not_perform = [{"url": DO_NOT_PERFORM, "valueBoolean": True}]
        is_against = activity.get("doNotPerform") is True
        assert action.get("modifierExtension") == (do_not_perform if is_against else None)
        assert is_against == (direction(action) == "against")


def test_a_diagnosis_without_visible_interventions_has_no_actions(read: Read) -> None:
    """FHIR has no empty lists."""
    plan = read("PlanDefinition/guillain-barre-syndrome")

    assert plan.keys() & {"action", "topic", "relatedArtifact"} == set()


def test_an_intervention_is_an_activity_definition(read: Read) -> None:
    activity = read("ActivityDefinition/b-walk")

    assert activity["url"] == f"{BASE}/ActivityDefinition/b-walk"
    assert activity["name"] == "Intervention_b_walk"
    assert activity["title"] == "Walking"
    assert activity["description"].startswith("A guideline describes exercise")
    assert activity["usage"] == DISCLAIMER
    assert activity["topic"] == [
        {
            "coding": [{"system": f"{BASE}/CodeSystem/module", "code": "home"}],
            "text": "Home and self-care",
        },
        {
            "coding": [{"system": f"{BASE}/CodeSystem/phase", "code": "chronic"}],
            "text": "Chronic",
        },
    ]
    contexts = read("PlanDefinition/low-back-pain")["useContext"]
    assert activity["useContext"] == contexts
    assert activity["version"] == read("PlanDefinition/low-back-pain")["version"]


def test_an_intervention_with_a_long_id_is_read_by_the_short_one(read: Read) -> None:
    """Which has its own id as identifier."""
    (found,) = read("ActivityDefinition?title=Exercise")["entry"]
    resource = found["resource"]

    assert len(resource["id"]) == 64
    assert found["fullUrl"] == f"{SERVER}/ActivityDefinition/{resource['id']}"
    assert resource["url"] == f"{BASE}/ActivityDefinition/{resource['id']}"
    assert resource["identifier"][0]["value"] == LONG_ID
    assert read(f"ActivityDefinition/{resource['id']}") == resource


@pytest.mark.parametrize(
    ("given", "do_not_perform"),
    [(Direction.FOR, None), (Direction.AGAINST, True), (Direction.UNCLEAR, None)],
)
def test_the_direction_is_narrative_by_an_element_an_extension_and_in_words(
    given: Direction, *, do_not_perform: bool | None
) -> None:
    """No one who reads but one of them takes it for another."""
    resource = graded(direction=given)

    assert resource.get("doNotPerform") is do_not_perform
    assert direction(resource) == given.value
    assert resource["subtitle"].startswith(f"Direction of the evidence: {given}. ")


def test_effects_are_sentences_between_the_summary_and_the_caution() -> None:
    effects = (an_effect(), an_effect("-1.5", ("-2.5", "-0.5"), outcome="Disability"))
    intervention = an_intervention(cautions=CAUTION, effects=effects)

    parts = rendered(intervention)["description"].split("\n\n")

    assert parts == [
        intervention.summary,
        *(f"{sentence(effect)}." for effect in effects),
        f"**Caution:** {CAUTION}",
    ]
    assert "0.49 standard deviations lower" in parts[1]


def test_every_effect_of_the_bundled_catalogue_is_a_sentence() -> None:
    for entry in bundled().entries:
        for one in entry.visible_interventions():
            if one.effects:
                resource = RESOURCES.rendered(Item(one.id, one.title, entry, one), ISSUE)
                parts = resource["description"].split("\n\n")
                assert [f"{sentence(effect)}." for effect in one.effects] == [
                    part for part in parts[1:] if not part.startswith("**")
                ]


def test_the_scope_is_the_purpose() -> None:
    scope = "Supportive care; the treatment of the cause is not covered here."
    entry = Entry(a_diagnosis(scope=scope), ())

    plan = RESOURCES.rendered(Item("knee", "Knee", entry), ISSUE)

    assert plan["purpose"] == scope
    assert scope in plan["text"]["div"]


@pytest.mark.parametrize(
    ("recommendation", "code"),
    [
        (Recommendation.STRONG_FOR, "strong"),
        (Recommendation.CONDITIONAL_FOR, "weak"),
        (Recommendation.CONDITIONAL_AGAINST, "weak"),
        (Recommendation.STRONG_AGAINST, "strong"),
    ],
)
def test_the_strength_is_a_code_of_hl7(recommendation: Recommendation, code: str) -> None:
    given = Direction.AGAINST if "against" in recommendation else Direction.FOR

    coding = grade(graded(recommendation=recommendation, direction=given), STRENGTH)

    assert coding == {
        "system": "http://terminology.hl7.org/CodeSystem/recommendation-strength",
        "code": code,
        "display": code.capitalize(),
    }


@pytest.mark.parametrize(
    ("certainty", "code", "display"),
    [
        (Certainty.HIGH, "high", "High quality"),
        (Certainty.MODERATE, "moderate", "Moderate quality"),
        (Certainty.LOW, "low", "Low quality"),
        (Certainty.VERY_LOW, "very-low", "Very low quality"),
    ],
)
def test_the_certainty_is_a_code_of_hl7(certainty: Certainty, code: str, display: str) -> None:
    assert grade(graded(certainty), QUALITY) == {
        "system": "http://terminology.hl7.org/CodeSystem/evidence-quality",
        "code": code,
        "display": display,
    }


def test_what_the_sources_do_not_state_is_not_invented() -> None:
    """Neither a strength nor a certainty."""
    assert justifications(graded()) == []
    assert grade(graded(Certainty.LOW), STRENGTH) is None
    assert grade(graded(recommendation=Recommendation.STRONG_FOR), QUALITY) is None


def test_the_grade_of_the_source_is_in_its_own_words() -> None:
    """Also where it is the only one."""
    assert justifications(graded(source_grade="Level B")) == [
        {"type": "justification", "display": "Level B"}
    ]
    (both,) = justifications(graded(Certainty.LOW, source_grade="Level B"))
    assert both["display"] == "Level B"


def test_a_dose_has_the_stated_elements_alone() -> None:
    """Where none is stated it is left out: an extension has a value or extensions."""
    exercise = an_intervention(module=Module.FITT_VIP)
    stated = FittVp("Twice a week", None, "40 minutes", "Strength", None, None)
    nothing = FittVp(None, None, None, None, None, None)
    extensions, without = (
        rendered(replace(exercise, fitt_vp=dose))["extension"] for dose in (stated, nothing)
    )

    assert extensions[-1] == {
        "url": f"{BASE}/StructureDefinition/fitt-vp",
        "extension": [
            {"url": "frequency", "valueString": "Twice a week"},
            {"url": "time", "valueString": "40 minutes"},
            {"url": "type", "valueString": "Strength"},
        ],
    }
    assert without == extensions[:-1]


@pytest.mark.parametrize(
    ("reference", "url", "document", "ends"),
    [
        (
            a_reference(doi="10.1002/art.41142", pmid="31908163"),
            "https://doi.org/10.1002/art.41142",
            "https://pubmed.ncbi.nlm.nih.gov/31908163/",
            "Arthritis & Rheumatology, 2020. doi:10.1002/art.41142. PMID: 31908163.",
        ),
        (
            a_reference(doi=None, pmid="31908163"),
            "https://pubmed.ncbi.nlm.nih.gov/31908163/",
            None,
            "Arthritis & Rheumatology, 2020. PMID: 31908163.",
        ),
        (
            a_reference(doi=None, url="https://example.org/guideline"),
            "https://example.org/guideline",
            None,
            "Arthritis & Rheumatology, 2020.",
        ),
    ],
)
def test_a_reference_is_a_citation(
    reference: Reference, url: str, document: str | None, ends: str
) -> None:
    """With the addresses of its DOI and of PubMed."""
    resource = rendered(an_intervention(references=[reference]))

    (found,) = (each for each in resource["relatedArtifact"] if each["type"] == "citation")
    assert found["url"] == url
    assert found.get("document", {}).get("url") == document
    assert found["display"] == "Guideline"
    assert found["citation"] == f"Kolasinski SL, Neogi T, et al. A guideline. {ends}"


@pytest.fixture(scope="module")
def everything() -> list[dict[str, Any]]:
    """Each resource of the bundled catalogue."""
    index = Index(bundled())
    return [
        RESOURCES.rendered(item, ISSUE)
        for kind in (PLAN_DEFINITION, ACTIVITY_DEFINITION)
        for item in index.of(kind).values()
    ]


def values(element: Any) -> Iterator[Any]:
    yield element
    if isinstance(element, dict | list):
        for each in element.values() if isinstance(element, dict) else element:
            yield from values(each)


def test_no_resource_of_the_bundled_catalogue_has_an_empty_value(
    everything: list[dict[str, Any]],
) -> None:
    """FHIR allows none (R4, json)."""
    for resource in everything:
        assert [each for each in values(resource) if each in (None, "", [], {})] == []


def test_every_action_of_the_bundled_catalogue_leads_somewhere(
    everything: list[dict[str, Any]],
) -> None:
    """And each ActivityDefinition belongs to an action."""
    addresses = [each["url"] for each in everything]
    assert len(set(addresses)) == len(addresses)
    led_to = [
        action["definitionCanonical"] for each in everything for action in each.get("action", [])
    ]
    activities = [address for address in addresses if "/ActivityDefinition/" in address]
    assert sorted(led_to) == sorted(activities)


def test_every_resource_has_the_disclaimer_and_only_actions_against_are_marked(
    everything: list[dict[str, Any]],
) -> None:
    """A client that knows no extension refuses the action rather than take it for advice."""
    actions = [action for each in everything for action in each.get("action", [])]

    assert {each["usage"] for each in everything} == {DISCLAIMER}
    assert {direction(each) for each in actions} == {"for", "against", "unclear"}
    for action in actions:
        assert ("modifierExtension" in action) == (direction(action) == "against")


def test_every_narrative_is_well_formed_and_says_the_direction(
    everything: list[dict[str, Any]],
) -> None:
    for resource in everything:
        root = ET.fromstring(resource["text"]["div"])
        narrative = " ".join(root.itertext())
        assert root.tag == "{http://www.w3.org/1999/xhtml}div"
        assert resource["title"] in narrative
        assert DISCLAIMER in narrative
        for action in resource.get("action", []):
            name = NAMES[Direction(direction(action))]
            assert f"{name}: {action['title']} (" in narrative


def test_a_narrative_escapes_what_a_text_has() -> None:
    intervention = an_intervention(title="<script>alert(1)</script> & more")

    div = rendered(intervention)["text"]["div"]

    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in div


def test_a_reviewed_entry_says_by_whom_and_when() -> None:
    reviewed = replace(a_diagnosis(), reviewed=Review("Ada Example, physician", date(2026, 3, 4)))
    plan = RESOURCES.rendered(Item("knee", "Knee", Entry(reviewed, ())), ISSUE)

    assert plan["experimental"] is False
    assert plan["approvalDate"] == plan["lastReviewDate"] == "2026-03-04"
    assert "Reviewed by Ada Example, physician on 2026-03-04." in plan["text"]["div"]
    assert plan["copyright"] == "Licensed under https://example.org/licence"
    assert plan["date"] == plan["meta"]["lastUpdated"] == "2026-11-01T08:30:00Z"
