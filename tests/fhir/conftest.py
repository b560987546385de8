"""Fixtures: a service with an example of everything that FHIR treats differently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from evref.adapters.inbound.fhir.resources import Resources
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Certainty, Direction, Evidence, Recommendation
from evref.domain.catalogue.intervention import Phase
from evref.testing.builders import a_diagnosis, an_intervention
from tests.http.service import BASE_URL, Service, body

ROOT = "https://evref.example/fhir"
"""The first part of each canonical URL."""

RESOURCES = Resources(
    "https://evref.example.org",
    ROOT,
    lambda _: datetime(2026, 11, 1, 8, 30, tzinfo=UTC),
    "https://example.org/licence",
)

LONG_ID = "knee-osteoarthritis-" + "-".join(["supervised"] * 6)
"""An id that is longer than FHIR allows."""

Read = Callable[[str], Any]


def catalogue() -> Catalogue:
    against = Evidence(Certainty.HIGH, Recommendation.STRONG_AGAINST, Direction.AGAINST, None)
    unclear = Evidence(Certainty.NOT_GRADED, Recommendation.NOT_STATED, Direction.UNCLEAR, None)
    knee = [
        replace(an_intervention("k-arthroscopy", title="Arthroscopy"), evidence=against),
        replace(an_intervention("k-tape", title="Tapes", phase=Phase.ACUTE), evidence=unclear),
        an_intervention(LONG_ID, title="Exercise under supervision", module=Module.FITT_VIP),
        an_intervention("k-hidden", module=Module.PREVENTION),
    ]
    back = an_intervention("b-walk", diagnosis_id="low-back-pain", title="Walking")
    return Catalogue(
        [
            Entry(a_diagnosis(modules=(Module.FITT_VIP, Module.HOME)), tuple(knee)),
            Entry(
                a_diagnosis(
                    "low-back-pain",
                    name="Low back pain",
                    icd10=["M54.5", "M54"],
                    icd11=["ME84.2&XK8G"],
                    modules=[Module.HOME],
                    broader_codes=("M54",),
                ),
                (back,),
            ),
            Entry(
                a_diagnosis(
                    "guillain-barre-syndrome",
                    name="Guillain-Barré syndrome",
                    icd10=["G61.0"],
                    icd11=["8C01.0"],
                    modules=[],
                ),
                (),
            ),
        ]
    )


def new_service(**settings: Any) -> Service:
    service = Service(Settings(storage=StorageKind.MEMORY, base_url=BASE_URL, **settings))
    service.publish(catalogue())
    return service


@pytest.fixture(scope="session")
def shared_service() -> Service:
    return new_service()


@pytest.fixture
def service(shared_service: Service) -> Service:
    return shared_service


@pytest.fixture
def token(service: Service) -> str:
    return service.token()


@pytest.fixture
def read(service: Service, token: str) -> Read:
    """Return a function that reads a path below `/fhir`."""

    def get(path: str) -> Any:
        response = service.get(f"/fhir/{path}", token=token)
        assert response.status_code == 200, response.text
        assert response.mimetype == "application/fhir+json"
        return body(response)

    return get


def ids(bundle: Any) -> list[str]:
    """Return the ids of the resources that a Bundle has found, in its order."""
    return [
        entry["resource"]["id"]
        for entry in bundle.get("entry", [])
        if entry["search"]["mode"] == "match"
    ]


def direction(element: dict[str, Any]) -> str:
    url = f"{ROOT}/StructureDefinition/direction"
    (code,) = (
        extension["valueCode"] for extension in element["extension"] if extension["url"] == url
    )
    return str(code)
