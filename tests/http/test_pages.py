"""Health, and the schema of catalogue files."""

from __future__ import annotations

import pytest

from tests.docs.catalogue_format import SCHEMA
from tests.http.conftest import MakeService
from tests.http.service import Service, body

pytestmark = pytest.mark.shared_service


def test_the_schema_of_catalogue_files_is_served_to_editors(service: Service) -> None:
    """It is the file of the package, and caches may keep it."""
    first = service.get("/schemas/catalogue-file.json")

    again = service.get(
        "/schemas/catalogue-file.json", headers={"If-None-Match": first.headers["ETag"]}
    )

    assert first.get_data() == SCHEMA.read_bytes()
    assert first.content_type == "application/schema+json"
    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert not first.headers["ETag"].startswith("W/")
    assert again.status_code == 304
    assert service.get("/schemas/catalogue-file.json?x=1").status_code == 422


def test_health_says_what_is_served(service: Service) -> None:
    live, ready = service.get("/health/live"), service.get("/health/ready")
    version = body(service.get("/api/v1/diagnoses", token=service.token()))["meta"][
        "catalogue_version"
    ]

    assert body(live) == {"status": "live"}
    assert body(ready) == {"status": "ready", "storage": "answers", "catalogue_version": version}
    for response in (live, ready):
        assert response.status_code == 200
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("infobutton", "fhir"), [(True, False), (False, True)])
def test_the_front_page_names_the_standards_that_are_switched_on(
    make_service: MakeService, *, infobutton: bool, fhir: bool
) -> None:
    service = make_service(
        interfaces={
            "fhir": "on" if fhir else "off",
            "infobutton": "on" if infobutton else "off",
        }
    )

    text = service.get("/").text

    assert ("HL7 Infobutton" in text, "FHIR R4" in text) == (infobutton, fhir)
    assert "MCP" in text
    assert (service.get("/infobutton").status_code != 404) is infobutton
    assert (service.get("/fhir/metadata").status_code != 404) is fhir
