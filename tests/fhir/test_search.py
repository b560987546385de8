"""Which resources a search finds, and which searches are rejected."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from evref.adapters.inbound.fhir.values import Period, read_period
from evref.domain.catalogue.catalogue import Catalogue
from tests.fhir.conftest import LONG_ID, ROOT, Read, catalogue, ids, new_service
from tests.http.service import Service, assert_outcome, body

ICD_10 = "http://hl7.org/fhir/sid/icd-10"
ICD_10_CM = "http://hl7.org/fhir/sid/icd-10-cm"
ICD_11 = "http://id.who.int/icd/release/11/mms"
BFARM = "http://fhir.de/CodeSystem/bfarm/icd-10-gm"
DIMDI = "http://fhir.de/CodeSystem/dimdi/icd-10-gm"
KNEE, BACK, GBS = "knee-osteoarthritis", "low-back-pain", "guillain-barre-syndrome"


@pytest.mark.parametrize(
    ("context", "diagnoses"),
    [
        (f"{ICD_10}|M17.1", [KNEE]),
        (f"{ICD_10_CM}|M17.11", [KNEE]),
        (f"{BFARM}|M17.1", [KNEE]),
        (f"{DIMDI}|M17.-", [KNEE]),
        (f"{ICD_11}|FA01.0", [KNEE]),
        ("M17.11", [KNEE]),
        (f"{ICD_10}|M54.50,{ICD_11}|FA01", [KNEE, BACK]),
        ("urn:oid:2.16.840.1.113883.6.90|M17.11", [KNEE]),
        ("urn:oid:1.2.276.0.76.5.486|M17.1", [KNEE]),
        ("B05", []),
        (f"M17,{ICD_10}|x,http://snomed.info/sct|239873007", [KNEE]),
        ("|M17", []),
        ("|M17,FA01", [KNEE]),
        (f"{ICD_11}|", [GBS, KNEE, BACK]),
        ("urn:oid:2.16.840.1.113883.6.3|,B05", [GBS, KNEE, BACK]),
        (f"{ICD_10_CM}|", []),
        (rf"{ICD_10}\||M17,M54", [BACK]),
    ],
)
def test_a_code_finds_the_same_diagnoses_as_in_the_api(
    read: Read, context: str, diagnoses: list[str]
) -> None:
    bundle = read(f"PlanDefinition?{urlencode({'context': context})}")

    assert ids(bundle) == diagnoses
    assert bundle["total"] == len(diagnoses)


@pytest.mark.parametrize(
    "context",
    [
        f"{ICD_10}|FA01",
        f"{ICD_11}|M17",
        "|",
        rf"{ICD_10}\|M17",
        "http://snomed.info/sct|239873007",
        "urn:oid:2.16.840.1.113883.6.96|239873007",
        "knee",
        "",
        ",".join(["M17"] * 51),
    ],
)
def test_a_code_that_cannot_be_read_is_rejected(service: Service, token: str, context: str) -> None:
    """An error must not look like a code that finds nothing."""
    path = f"/fhir/PlanDefinition?{urlencode({'context': context})}"

    (issue,) = assert_outcome(service.get(path, token=token), 400, "invalid")

    assert issue["details"]["text"].startswith("context ")
    assert ICD_10_CM in issue["details"]["text"]


def test_a_hidden_intervention_is_not_found(service: Service, token: str) -> None:
    for name in ("k-hidden", LONG_ID, "nobody"):
        for resource_type in ("ActivityDefinition", "PlanDefinition"):
            response = service.get(f"/fhir/{resource_type}/{name}", token=token)
            (issue,) = assert_outcome(response, 404, "not-found")
            assert resource_type in issue["details"]["text"]


@pytest.mark.parametrize(
    ("query", "named", "allowed"),
    [
        ("modul=home", "modul", "title:contains"),
        ("title:missing=true", "title:missing", "title:exact"),
        ("_summary=most", "_summary", "true; text"),
        ("_elements=a.b", "_elements", "names of elements"),
        ("_elements=title,concept", "_elements", "relatedArtifact"),
        ("_elements=title&_summary=true", "_summary", "one of them"),
        ("_lastUpdated=2026-13", "_lastUpdated", "dates or times"),
        ("_include=*", "_include", ""),
        ("_total=some", "_total", "none; estimate; accurate"),
        ("_sort=status", "_sort", "_id, title, _lastUpdated"),
        ("_sort=title&_after=nobody", "_after", "a new search"),
        ("_pretty=yes", "_pretty", "true; false"),
        ("mode=full", "mode", "_count"),
        ("&".join(f"topic={n}" for n in range(51)), "topic", "1 to 50 codes"),
        ("&".join(["title=" + "x" * 101] * 2), "title", "200 characters"),
        ("title=", "title", "1 to 50 texts"),
        ("title=%CC%81", "title", "1 to 50 texts"),
        ("_count=1&_count=2", "_count", "is allowed only once"),
        ("_count=-1", "_count", "a number"),
        ("_id=a%20b", "_id", "1 to 50 ids"),
        ("_before=a", "_before", "_after"),
        ("_after=%2C", "_after", "an id"),
    ],
)
def test_an_invalid_parameter_is_never_ignored(
    service: Service, token: str, query: str, named: str, allowed: str
) -> None:
    for resource_type in ("PlanDefinition", "ActivityDefinition"):
        response = service.get(f"/fhir/{resource_type}?{query}", token=token)

        issue = assert_outcome(response, 400, "invalid")[0]
        assert issue["details"]["text"].startswith(f"{named} ")
        assert allowed in issue["details"]["text"]


def test_each_invalid_parameter_has_an_issue(service: Service, token: str) -> None:
    response = service.get("/fhir/PlanDefinition?modul=home&_count=x&title=", token=token)

    issues = assert_outcome(response, 400, "invalid")
    named = [issue["details"]["text"].split()[0] for issue in issues]
    assert named == ["modul", "_count", "title"]


@pytest.mark.parametrize(
    "path", ["PlanDefinition/knee-osteoarthritis", "ActivityDefinition/k-tape", "metadata"]
)
def test_a_read_accepts_no_search_parameter(service: Service, token: str, path: str) -> None:
    response = service.get(f"/fhir/{path}?_id=x", token=token)

    (issue,) = assert_outcome(response, 400, "invalid")
    assert issue["details"]["text"].startswith("_id is not a parameter")
    assert service.get(f"/fhir/{path}?_format=json", token=token).status_code == 200


@pytest.mark.parametrize(
    ("query", "diagnoses"),
    [
        ("title=knee", [KNEE]),
        ("title=GUILLAIN-BARRE", [GBS]),
        ("title=Osteo", [KNEE]),
        ("title=low,Knee", [KNEE, BACK]),
        (r"title=low\,Knee", []),
        ("title:contains=OSTEO", [KNEE]),
        ("title:contains=barre s", [GBS]),
        ("title:exact=Knee osteoarthritis", [KNEE]),
        ("title:exact=knee osteoarthritis", []),
        ("title=knee&title:contains=back", []),
        ("title=knee&context=M17", [KNEE]),
        (f"_id={KNEE}", [KNEE]),
        (f"_id={BACK},{KNEE},nobody", [KNEE, BACK]),
        (f"url={ROOT}/PlanDefinition/{KNEE}", [KNEE]),
        (f"url={ROOT}/PlanDefinition/{KNEE},{ROOT}/PlanDefinition/{GBS}", [GBS, KNEE]),
        (f"url=https://evref.example.org/fhir/PlanDefinition/{KNEE}", []),
        (f"identifier={KNEE}", [KNEE]),
        (f"identifier={ROOT}/NamingSystem/diagnosis-id|{KNEE}", [KNEE]),
        (f"identifier={ROOT}/NamingSystem/diagnosis-id|", [GBS, KNEE, BACK]),
        (f"identifier=|{KNEE}", []),
        (f"url={ROOT}/PlanDefinition/{KNEE}|0", []),
        ("version=0", []),
        ("status=active", [GBS, KNEE, BACK]),
        ("status=draft", []),
        ("name=diagnosis_knee", [KNEE]),
        ("name=knee", []),
        ("_pretty=true&_total=accurate&_id=" + KNEE, [KNEE]),
        ("_sort=_id", [GBS, KNEE, BACK]),
        ("_sort=-_id", [BACK, KNEE, GBS]),
        ("_sort=title", [GBS, KNEE, BACK]),
        ("_sort=-title", [BACK, KNEE, GBS]),
        ("_sort=_lastUpdated,-title", [BACK, KNEE, GBS]),
        ("topic=fitt_vip", [KNEE]),
        (f"topic={ROOT}/CodeSystem/module|home", [KNEE, BACK]),
        ("topic=home&topic=fitt_vip", [KNEE]),
        ("context=M17,M54&context=M54", [BACK]),
        (f"context={ICD_10}|M17,http://snomed.info/sct|1&context=M17.1", [KNEE]),
    ],
)
def test_a_search_finds_what_matches_every_parameter(
    read: Read, query: str, diagnoses: list[str]
) -> None:
    """One of the values of each is enough. Titles are compared without case and accents."""
    assert ids(read(f"PlanDefinition?{query}")) == diagnoses


@pytest.mark.parametrize(
    ("query", "interventions"),
    [
        ("title=tape", ["k-tape"]),
        ("_id=k-tape,b-walk,k-hidden", ["b-walk", "k-tape"]),
        (f"context={ICD_10}|M54.5", ["b-walk"]),
        ("context=M17.1&title:contains=a", ["k-arthroscopy", "k-tape"]),
    ],
)
def test_a_search_finds_visible_interventions(
    read: Read, query: str, interventions: list[str]
) -> None:
    assert ids(read(f"ActivityDefinition?{query}")) == interventions


@pytest.mark.parametrize(
    ("value", "is_found"),
    [
        ("{year}", True),
        ("{month}", True),
        ("{day}", True),
        ("{minute}Z", True),
        ("{second}Z", True),
        ("eq{second}.500Z", True),
        ("ge{second}Z", True),
        ("gt{second}Z", False),
        ("le{day}", True),
        ("lt{day}", False),
        ("ne{year}", False),
        ("eb{day}", False),
        ("sa2001", True),
        ("2001", False),
    ],
)
def test_the_time_of_the_last_change_can_be_searched(
    read: Read, *, value: str, is_found: bool
) -> None:
    time = read(f"PlanDefinition/{KNEE}")["meta"]["lastUpdated"]
    given = value.format(
        year=time[:4], month=time[:7], day=time[:10], minute=time[:16], second=time[:19]
    )

    assert (KNEE in ids(read(f"PlanDefinition?_lastUpdated={given}"))) == is_found


@pytest.mark.parametrize("text", ["2026-03-01T08:00Z", "2026-03-01T09:00+01:00"])
def test_a_minute_ends_when_the_next_one_begins(text: str) -> None:
    start = datetime(2026, 3, 1, 8, tzinfo=UTC)

    assert read_period(text) == Period("eq", start, start + timedelta(minutes=1))


def test_a_remark_on_a_repeated_code_is_made_once(read: Read) -> None:
    (outcome,) = read("PlanDefinition?context=G61&context=G61")["entry"]

    (issue,) = outcome["resource"]["issue"]
    assert issue["details"]["text"].startswith("G61 is wider")


def test_a_version_finds_only_the_resource_of_that_version(read: Read) -> None:
    version = read(f"PlanDefinition/{KNEE}")["version"]

    for query in (f"url={ROOT}/PlanDefinition/{KNEE}|{version}", f"version={version}"):
        assert ids(read(f"PlanDefinition?{query}")) == [KNEE]


@pytest.mark.parametrize(
    "prefer",
    [
        "handling=lenient",
        'return=minimal, Handling="lenient"',
        "return=minimal; handling=lenient",
        "handling=lenient; wait=5",
    ],
)
def test_unknown_parameters_are_ignored_and_named_for_a_lenient_client(
    service: Service, token: str, prefer: str
) -> None:
    """No other client gets the response from a cache, and invalid values are still rejected."""
    path = f"/fhir/PlanDefinition?_id={KNEE}&modul=home&_security=x"

    response = service.get(path, token=token, headers={"Prefer": prefer})

    (plan, outcome) = body(response)["entry"]
    assert plan["resource"]["id"] == KNEE
    said = [issue["details"]["text"] for issue in outcome["resource"]["issue"]]
    assert [text.split()[2] for text in said] == ["modul", "_security"]
    assert "modul" not in str(body(response)["link"])
    count = service.get(f"{path}&_summary=count", token=token, headers={"Prefer": prefer})
    assert body(count)["entry"] == [outcome]
    assert "Prefer" in response.headers["Vary"]
    assert response.headers["Preference-Applied"] == "handling=lenient"
    assert_outcome(service.get(path, token=token), 400, "invalid")
    for strict in ("handling=strict", "respond-async"):
        assert_outcome(service.get(path, token=token, headers={"Prefer": strict}), 400)
    invalid = service.get(f"{path}&_count=x", token=token, headers={"Prefer": prefer})
    assert len(assert_outcome(invalid, 400, "invalid")) == 1


@pytest.mark.parametrize("query", ["context:not=M17", "title:missing=true", "_id:exact=x"])
def test_a_modifier_is_never_ignored(service: Service, token: str, query: str) -> None:
    """Without the modifier, the parameter would find other resources (R4, search, modifiers)."""
    response = service.get(
        f"/fhir/PlanDefinition?{query}", token=token, headers={"Prefer": "handling=lenient"}
    )

    (issue,) = assert_outcome(response, 400, "invalid")
    assert issue["details"]["text"].startswith(query.partition("=")[0])


def test_a_search_by_get_at_the_address_of_post_is_refused(service: Service) -> None:
    response = service.get("/fhir/PlanDefinition/_search?context=M17")

    assert_outcome(response, 405, "not-supported")
    assert response.headers["Allow"] == "POST"


def test_a_posted_search_without_a_body_needs_no_media_type(service: Service, token: str) -> None:
    response = service.request("POST", f"/fhir/PlanDefinition/_search?_id={KNEE}", token=token)

    assert ids(body(response)) == [KNEE]


def test_a_publication_updates_only_the_resources_that_it_changed() -> None:
    """A change of a diagnosis updates all its interventions."""
    service = new_service()
    token = service.token()
    of_knee = ("PlanDefinition/knee-osteoarthritis", "ActivityDefinition/k-tape")
    of_back = ("PlanDefinition/low-back-pain", "ActivityDefinition/b-walk")

    def updated() -> dict[str, str]:
        answers = {path: service.get(f"/fhir/{path}", token=token) for path in (*of_knee, *of_back)}
        return {path: body(answer)["meta"]["lastUpdated"] for path, answer in answers.items()}

    before = updated()
    entries = {entry.diagnosis.id: entry for entry in catalogue().entries}
    back = entries[BACK]
    entries[BACK] = replace(back, diagnosis=replace(back.diagnosis, name="Lumbago"))

    service.clock.advance(hours=1)
    service.publish(Catalogue(entries.values()))
    changed_at = f"{service.clock.now():%Y-%m-%dT%H:%M:%SZ}"
    service.clock.advance(seconds=1)

    assert updated() == before | dict.fromkeys(of_back, changed_at)
    assert changed_at not in before.values()


def test_a_summary_and_elements_are_parts_of_a_resource(read: Read) -> None:
    def part(query: str) -> Any:
        (entry,) = read(f"ActivityDefinition?_id=k-arthroscopy&{query}")["entry"]
        return entry["resource"]

    whole = part("_summary=false")
    always = {"resourceType", "id", "meta", "status", "doNotPerform"}
    for elements in (
        "_elements=title,url",
        "_elements=title&_elements=url",
        "_elements=id,resourceType,title,url",
    ):
        assert part(elements).keys() == always | {"title", "url"}
    assert part("_summary=text").keys() == always | {"text"}
    assert part("_summary=data").keys() == whole.keys() - {"text"}
    assert part("_summary=true").keys() >= {"url", "title", "useContext", "doNotPerform"}
    assert "relatedArtifact" not in part("_summary=true")
    assert part("_summary=true")["meta"]["tag"][0]["code"] == "SUBSETTED"
    count = read("ActivityDefinition?_summary=count")
    assert (count["total"], "entry" in count) == (4, False)


def test_a_read_can_select_parts_of_a_resource(read: Read) -> None:
    for query in ("_elements=title,url", "_summary=true", "_summary=text", "_summary=data"):
        (entry,) = read(f"ActivityDefinition?_id=k-arthroscopy&{query}")["entry"]

        assert read(f"ActivityDefinition/k-arthroscopy?{query}") == entry["resource"]


def test_a_search_can_include_interventions(read: Read) -> None:
    bundle = read(f"PlanDefinition?_id={KNEE}&_include=PlanDefinition:definition")

    (plan, *included) = bundle["entry"]
    assert bundle["total"] == 1
    assert {entry["search"]["mode"] for entry in included} == {"include"}
    assert sorted(entry["resource"]["url"] for entry in included) == sorted(
        action["definitionCanonical"] for action in plan["resource"]["action"]
    )


def test_definitions_are_served_and_found(read: Read) -> None:
    """Each canonical URL that a resource names can be searched and read."""
    direction = read("CodeSystem/direction")
    assert [concept["code"] for concept in direction["concept"]] == ["for", "against", "unclear"]
    assert ids(read("CodeSystem")) == ["direction", "group", "module", "phase"]
    plan, activity = read(f"PlanDefinition/{KNEE}"), read("ActivityDefinition/k-arthroscopy")
    named = set(
        re.findall(rf"{ROOT}/(?:CodeSystem|StructureDefinition)/[a-z-]+", f"{plan}{activity}")
    )
    assert len(named) >= 4
    for url in named:
        resource_type = url.split("/")[-2]
        (entry,) = read(f"{resource_type}?url={url}")["entry"]
        assert entry["resource"] == read(f"{resource_type}/{url.split('/')[-1]}")
