"""A code means the same in every interface: the API, the page, Infobutton and FHIR."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from typing import Any
from urllib.parse import urlencode

import pytest

from evref.domain.catalogue.matching import Relation
from evref.domain.catalogue.vocabulary import MEANINGS
from tests.http.service import Service, body, in_memory
from tests.infobutton.asking import ICD10, ICD10_CM, ICD10_GM, coded, json_feed, subtitle, summaries
from tests.pages.site import bundled

OIDS = {"who": ICD10, "cm": ICD10_CM, "gm": ICD10_GM}
URLS = {
    "who": "http://hl7.org/fhir/sid/icd-10",
    "cm": "http://hl7.org/fhir/sid/icd-10-cm",
    "gm": "http://fhir.de/CodeSystem/bfarm/icd-10-gm",
}
DOUBTS = {
    "this code also means other conditions": "approximate",
    "recorded as suspected": "suspected",
    "recorded as state after": "state_after",
}
SLEEP, KNEE, MOOD = "obstructive-sleep-apnoea", "knee-osteoarthritis", "depressive-episode"
ALZHEIMER = "alzheimer-disease"
NOT_READ = "hello” was not read: it must be one of the codes of ICD-10"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with closing(in_memory(bundled())) as service:
        yield service


Found = tuple[dict[str, str], str]
"""The relation of each diagnosis by id, or the reason for doubt; then the remarks as text."""


def asked_of_api(service: Service, token: str, codes: str, edition: str) -> Found:
    query = urlencode({"icd10": codes, "edition": edition})
    meta = body(service.get(f"/api/v1/diagnoses?{query}", token=token))["meta"]
    names = {entry.diagnosis.id: entry.diagnosis for entry in bundled().entries}
    relations: dict[str, str] = {}
    remarks = []
    for match in meta["matches"]:
        for hit in match["diagnoses"]:
            relation = match["qualifier"] or hit["relation"]
            relations[hit["id"]] = min(relation, relations.get(hit["id"], "x"), key=best)
        if match["error"] and match["given"]:
            read = (
                f"{match['given']}: "
                if match["read_as"]
                else f"“{match['given']}” was not read: it "
            )
            remarks.append(read + match["error"])
        remarks += [
            "this code means another condition than " + names[diagnosis_id].name_within_sentence
            for diagnosis_id in match["excluded_from"]
        ]
    return relations, "; ".join(remarks)


def best(relation: str) -> int:
    return ["certain", *DOUBTS.values(), "x"].index(relation)


def asked_of_infobutton(service: Service, token: str, codes: str, edition: str) -> Found:
    feed = json_feed(service, token, coded(OIDS[edition], codes))
    relations = {name: relation_in(summary) for name, summary in summaries(feed).items()}
    return relations, subtitle(feed)


def asked_of_fhir(service: Service, token: str, codes: str, edition: str) -> Found:
    values = ",".join(f"{URLS[edition]}|{code}" if code else "" for code in codes.split(","))
    path = f"/fhir/PlanDefinition?{urlencode({'context': values})}"
    relations: dict[str, str] = {}
    remarks = ""
    for entry in body(service.get(path, token=token)).get("entry", []):
        resource: Any = entry["resource"]
        if entry["search"]["mode"] == "match":
            (extension,) = entry["search"]["extension"]
            parts = {part["url"]: part for part in extension["extension"]}
            relations[resource["id"]] = relation_in(parts["text"]["valueString"])
            is_certain = relations[resource["id"]] == "certain"
            assert parts["code"]["valueCode"] == ("certain" if is_certain else "approximate")
            assert parts["text"]["valueString"] in {MEANINGS[Relation.CERTAIN], *DOUBTS}
        else:
            remarks = " ".join(issue["details"]["text"] for issue in resource["issue"])
    return relations, remarks


def asked_of_page(service: Service, _: str, codes: str, edition: str) -> Found:
    named = ", ".join(
        f"ICD-10-{edition.upper()} {code}" if code else "" for code in codes.split(",")
    )
    answer = service.get(f"/catalogue?{urlencode({'q': named})}")
    if answer.status_code == 303:
        return {answer.headers["Location"].partition("?")[0].rpartition("/")[2]: "certain"}, ""
    text = answer.text
    rows = text.partition('<div id="entries">')[2].partition("</div>")[0].split("<li>")[1:]
    remarks = " ".join(re.findall("<li><bdi>(.*?)</bdi>", text))
    relations = {
        name: relation_in(row)
        for row in rows
        for name in re.findall('href="/catalogue/(.*?)"', row)[:1]
    }
    return relations, unescape(remarks)


def relation_in(text: str) -> str:
    return next((name for doubt, name in DOUBTS.items() if doubt in text.lower()), "certain")


@pytest.mark.parametrize(
    "ask",
    [asked_of_api, asked_of_infobutton, asked_of_fhir, asked_of_page],
    ids=lambda ask: ask.__name__,
)
@pytest.mark.parametrize(
    ("codes", "edition", "relations", "remark"),
    [
        ("F32.1 G", "gm", {MOOD: "certain"}, ""),
        ("F32.1 V", "gm", {MOOD: "suspected"}, ""),
        ("F32.1 Z", "gm", {MOOD: "state_after"}, ""),
        ("F32.1 Z,M17.1", "gm", {MOOD: "state_after", KNEE: "certain"}, ""),
        ("F32.1V", "gm", {MOOD: "suspected"}, ""),
        ("F32.1 A,M17.1", "gm", {KNEE: "certain"}, "A means excluded: not searched"),
        ("G30.1+ F00.1*", "gm", {ALZHEIMER: "certain"}, ""),
        ("M 17.1,", "who", {KNEE: "certain"}, ""),
        ("ICD-10-GM G47.31", "cm", {SLEEP: "certain"}, ""),
        ("G47.31", "gm", {SLEEP: "certain"}, ""),
        ("G47.31", "cm", {}, "this code means another condition than obstructive sleep apnoea"),
        ("S83.521A", "cm", {}, "another condition than anterior cruciate ligament injury"),
        ("S83.511A", "cm", {"anterior-cruciate-ligament-injury": "certain"}, ""),
        ("M17.1,hello,", "cm", {KNEE: "certain"}, NOT_READ),
        ("S83.5", "who", {"anterior-cruciate-ligament-injury": "approximate"}, ""),
        ("S72.05", "gm", {"hip-fracture": "certain"}, ""),
        ("S72.05", "cm", {}, "another condition than hip fracture"),
        ("I70.25", "gm", {"peripheral-arterial-disease": "certain"}, ""),
        ("I70.25", "cm", {}, "another condition than peripheral arterial disease"),
    ],
)
def test_each_interface_says_how_well_a_code_fits(  # noqa: PLR0917 - each case has all of them
    service: Service,
    token: str,
    ask: Any,
    codes: str,
    edition: str,
    relations: dict[str, str],
    remark: str,
) -> None:
    """Remarks say which code was not read, was not searched, or means another condition."""
    if ask is asked_of_page and codes.startswith("ICD"):
        codes = codes.removeprefix("ICD-10-GM ")
        edition = "gm"

    relations_found, remarks = ask(service, token, codes, edition)

    assert relations_found == relations
    assert remark in remarks
    if not remark:
        assert "means" not in remarks
        assert "not read" not in remarks
