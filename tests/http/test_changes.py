"""The changes of each publication, in every interface."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Direction, Recommendation
from evref.testing.builders import a_catalogue, an_effect, an_entry
from tests.http.service import LATE, Service, assert_outcome, assert_problem, body

CHANGES = "/api/v1/changes"
ATOM = "{http://www.w3.org/2005/Atom}"
GONE = "/api/v1/diagnoses/gone"


def turned(entry: Entry) -> Entry:
    (intervention,) = entry.interventions
    evidence = replace(
        intervention.evidence,
        direction=Direction.AGAINST,
        recommendation=Recommendation.STRONG_AGAINST,
    )
    against = replace(intervention, evidence=evidence, effects=(an_effect(),))
    return replace(entry, interventions=(against,))


BEFORE = a_catalogue(an_entry("knee"), an_entry("gone", name="Gone"))
AFTER = a_catalogue(turned(an_entry("knee")), an_entry("new", name="New"))
NOTHING: dict[str, list[object]] = {"added": [], "removed": [], "changed": []}


def turn(before: str, after: str) -> list[dict[str, Any]]:
    return [
        {
            "diagnosis_id": "knee",
            "record": False,
            "interventions_added": [],
            "interventions_removed": [],
            "interventions_changed": [
                {
                    "id": "knee-exercise",
                    "fields": ["evidence.recommendation", "evidence.direction", "effects"],
                    "direction": {"from": before, "to": after},
                }
            ],
        }
    ]


def published(catalogue: Catalogue, minutes: int, **changes: object) -> dict[str, object]:
    at = (LATE + timedelta(minutes=minutes)).isoformat()
    return {"catalogue_version": catalogue.version, "published_at": at, **NOTHING, **changes}


THERE = {"added": ["new"], "removed": ["gone"], "changed": turn("for", "against")}
BACK = {"added": ["gone"], "removed": ["new"], "changed": turn("against", "for")}


@pytest.fixture
def service(make_service: Any) -> Service:
    """Return a service with three publications, one a minute; the last rolls back to the first."""
    made: Service = make_service(catalogue_pages="public")
    for catalogue in (BEFORE, AFTER, BEFORE):
        made.publish(catalogue)
        assert body(made.get(CHANGES, token=made.token()))["data"]
        made.clock.advance(minutes=1)
    return made


def test_publications_are_listed_newest_first_and_in_parts(service: Service, token: str) -> None:
    everything = service.get(CHANGES, token=token)
    part = body(service.get(f"{CHANGES}?limit=1&offset=1", token=token))

    assert body(everything)["data"] == [
        published(BEFORE, 2, **BACK),
        published(AFTER, 1, **THERE),
        published(BEFORE, 0, added=["gone", "knee"]),
    ]
    assert part["data"] == [published(AFTER, 1, **THERE)]
    assert [part["meta"][name] for name in ("count", "limit", "offset")] == [3, 1, 1]
    validator = {"If-None-Match": everything.headers["ETag"]}
    assert service.get(CHANGES, token=token, headers=validator).status_code == 304


def test_changes_since_a_version_compare_it_with_the_present(service: Service, token: str) -> None:
    """A direction that turned and turned back is not listed."""
    assert service.data(f"{CHANGES}?since={BEFORE.version}", token) == []
    assert service.data(f"{CHANGES}?since={AFTER.version}", token) == [published(BEFORE, 2, **BACK)]
    after = a_catalogue(*BEFORE.entries, an_entry("new", name="New"))
    service.publish(after)
    service.clock.advance(seconds=1)
    for version in (BEFORE.version, AFTER.version):
        (change,) = service.data(f"{CHANGES}?since={version}", token)
        assert change["catalogue_version"] == after.version
        assert change["added"] == (["new"] if version == BEFORE.version else ["gone"])


def test_an_invalid_parameter_is_named(service: Service, token: str) -> None:
    for query, parameter in (
        ("since=0123456789abcdef", "since"),
        ("since=yesterday", "since"),
        (f"since={AFTER.version}&limit=5", "limit"),
        (f"since={AFTER.version}&offset=0", "offset"),
        ("limit=101", "limit"),
    ):
        problem = assert_problem(service.get(f"{CHANGES}?{query}", token=token), 422)

        assert [fault["parameter"] for fault in problem["errors"]] == [parameter]
        assert ("whole catalogue" in problem["errors"][0]["message"]) == ("0123" in query)


def test_a_removed_diagnosis_is_gone_until_it_is_back(service: Service) -> None:
    key = service.new_key()
    token = key.token.text
    for path in ("/api/v1/diagnoses/new", "/api/v1/diagnoses/new/interventions"):
        problem = assert_problem(service.get(path, token=token), 410, "removed-diagnosis")
        assert problem["removed_on"] == "2026-03-01"
    assert_outcome(service.get("/fhir/PlanDefinition/new", token=token), 410, "deleted")
    problem = assert_problem(
        service.get("/api/v1/interventions/new-exercise", token=token), 410, "removed-intervention"
    )
    assert problem["removed_on"] == "2026-03-01"
    activity = service.get("/fhir/ActivityDefinition/new-exercise", token=token)
    assert_outcome(activity, 410, "deleted")
    page = service.get("/catalogue/new")
    assert page.status_code == 410
    assert "2026-03-01" in page.text
    assert service.get(GONE, token=token).status_code == 200
    assert service.get("/api/v1/diagnoses/never", token=token).status_code == 404
    assert service.admitted(key) == 7


TURNED = "Turned: Knee osteoarthritis: “Exercise at home” turned from"
LINES = [
    [f"{TURNED} against to for", "Added: Gone", "Removed: new"],
    [f"{TURNED} for to against", "Added: new", "Removed: Gone"],
    ["Added: Gone", "Added: Knee osteoarthritis"],
]
"""The lines of each publication, newest first; only the id of a removed diagnosis is known."""


def test_page_and_feed_say_the_same(service: Service) -> None:
    feed = ET.fromstring(service.get("/catalogue/changes.atom").get_data())
    page = service.get("/catalogue/changes").text

    entries = feed.findall(f"{ATOM}entry")
    assert [
        [item.text for item in ET.fromstring(entry.findtext(f"{ATOM}content", "")).iter("li")]
        for entry in entries
    ] == LINES
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(LINES)
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        "Catalogue of 2026-03-01: 1 turned, 1 added, 1 removed",
        "Catalogue of 2026-03-01: 1 turned, 1 added, 1 removed",
        "Catalogue of 2026-03-01: 2 added",
    ]
    sections = [" ".join(re.sub("<[^>]*>", "", html).split()) for html in page.split("<h2")[1:]]
    for section, lines in zip(sections, LINES, strict=True):
        places = [section.index(line.split(": ", 1)[1]) for line in lines]
        assert places == sorted(places)
    assert "“Exercise at home” turned from for to against" in service.get("/catalogue/knee").text


@pytest.mark.parametrize("readers", ["members", "off"])
def test_only_a_public_catalogue_has_a_feed(make_service: Any, readers: str) -> None:
    service: Service = make_service(catalogue_pages=readers)
    service.publish(BEFORE)

    assert service.get("/catalogue/changes.atom").status_code == 404
