"""The texts that `evref-mcp` makes of the API's responses; a text must answer the question.

`make clients` tests the program itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import TypeVar
from urllib.parse import urlencode

import pytest
from pydantic import BaseModel

from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.in_words import plain
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref_mcp import answers, wording
from evref_mcp.effects import sentence
from evref_mcp.records import DiagnosesBody, InterventionsBody, SearchBody
from tests.http.service import BASE_URL, Service
from tests.pages.site import bundled

Body = TypeVar("Body", bound=BaseModel)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yield a service with the bundled catalogue."""
    with closing(Service(Settings(base_url=BASE_URL, storage=StorageKind.MEMORY))) as service:
        service.publish(bundled())
        yield service


def read(service: Service, token: str, path: str, body: type[Body]) -> Body:
    """Return the response to a request, parsed as the program does."""
    text = service.get(f"/api/v1{path}", token=token).text
    return body.model_validate_json(text)


QUESTIONS: dict[str, tuple[dict[str, str], list[str]]] = {
    "Is CPAP recommended in sleep apnoea?": (
        {"q": "CPAP"},
        [
            "Obstructive sleep apnoea (id obstructive-sleep-apnoea):",
            "FOR: Positive airway pressure (chronic; strongly recommended).",
            "Id obstructive-sleep-apnoea-positive-airway-pressure.",
            "Grade: AASM 2019: strong recommendation (excessive sleepiness)",
            "2019 https://doi.org/10.5664/jcsm.7640",
        ],
    ),
    "Ibuprofen for back pain?": (
        {"q": "ibuprofen back pain"},
        [
            "FOR: Non-steroidal anti-inflammatory drugs in acute pain",
            (
                "Effect: Pain within 3 weeks (scale of 0 to 100): better by 7.29 of 100 points "
                "(95 % interval 3.61 to 10.98) vs placebo"
            ),
            "Caution: Boxed warning on NSAIDs taken by mouth",
        ],
    ),
    "Paracetamol for low back pain?": (
        {"q": "paracetamol", "diagnosis": "low-back-pain"},
        [
            "AGAINST: Paracetamol as the only medicine (acute; strongly advised against).",
            "Grade: NICE NG59 (2016): do not offer.",
        ],
    ),
    "Does the xylophone help against gout?": (
        {"q": "xylophone", "diagnosis": "gout"},
        [
            "0 interventions found, 0 listed.",
            "The catalogue is not complete: this says nothing about the evidence.",
        ],
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_text_answers_the_question(service: Service, token: str, question: str) -> None:
    query, expected = QUESTIONS[question]

    body = read(service, token, f"/interventions?{urlencode({**query, 'limit': 5})}", SearchBody)
    text = wording.found_interventions(body)

    for words in (*expected, DISCLAIMER):
        assert words in text
    for intervention in body.data:
        (line,) = (line for line in text.splitlines() if f"Id {intervention.id}." in line)
        assert line.startswith(
            f"- {intervention.evidence.direction.upper()}: {intervention.title} ("
        )
        for stated in (intervention.evidence.source_grade, intervention.cautions):
            assert (stated or "") in line
        for effect in intervention.effects[:1]:
            assert sentence(effect) in line
        for number, work in zip(
            re.findall(r"\[(\d+)\]", line), intervention.references, strict=True
        ):
            assert f"[{number}] {work.year} {work.url}" in text.splitlines()


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (
            {"icd10": "F41"},
            "this code is wider; it includes generalised-anxiety-disorder (F41.1), ",
        ),
        ({"icd10": "S83.521A"}, "this code means another condition than anterior cruciate"),
        ({"q": "heart attck"}, "found by “heart attack”, spelling corrected"),
        ({"q": "can't eat gluten"}, "Perhaps meant: coeliac-disease (“"),
    ],
)
def test_the_text_says_how_codes_and_words_were_read(
    service: Service, token: str, query: dict[str, str], words: str
) -> None:
    body = read(service, token, f"/diagnoses?{urlencode(query)}", DiagnosesBody)

    assert words in wording.diagnoses(body, only_names=False)


def test_a_match_in_the_summary_is_quoted_and_a_title_is_not(service: Service, token: str) -> None:
    body = read(service, token, "/interventions?q=opioids&diagnosis=low-back-pain", SearchBody)
    in_title, in_summary, in_cautions = (
        next(
            intervention for intervention in body.data if intervention.id == f"low-back-pain-{name}"
        )
        for name in ("opioids", "paracetamol-alone", "anticonvulsants")
    )

    assert in_title.matched_in == "title"
    assert {in_summary.matched_in, in_cautions.matched_in} == {"summary"}
    lines = wording.found_interventions(body).splitlines()
    (quoted,) = (line for line in lines if in_summary.id in line)
    assert "“Weak opioids with or without paracetamol are considered only in acute pain" in quoted
    for intervention in (in_title, in_cautions):
        (line,) = (line for line in lines if intervention.id in line)
        assert "“" not in line


def test_an_effect_is_a_sentence_with_its_figures(service: Service, token: str) -> None:
    for entry in bundled().entries[::4]:
        path = f"/diagnoses/{entry.diagnosis.id}/interventions"
        body = read(service, token, path, InterventionsBody)
        sentences = [
            [sentence(effect) for effect in intervention.effects] for intervention in body.data
        ]
        answer = answers.interventions(body)
        structured = {intervention["id"]: intervention for intervention in answer["interventions"]}
        served = service.data(f"/api/v1{path}", token)

        visible = entry.visible_interventions()
        assert sentences == [
            [plain(effect) for effect in intervention.effects] for intervention in visible
        ]
        for intervention in served:
            effects = structured[intervention["id"]].get("effects", [])
            for figures, effect in zip(effects, intervention["effects"], strict=True):
                cited = answer["references"][str(figures["reference"])]
                assert cited.endswith(intervention["references"][effect["reference"]]["url"])
                effect["reference"] = figures["reference"]
                assert figures == {
                    name: value
                    for name, value in effect.items()
                    if value is not None and value != "not_graded"
                }
