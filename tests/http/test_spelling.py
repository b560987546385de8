"""An address for programs has one spelling, and every other spelling is not found."""

from __future__ import annotations

import pytest
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tests.http.service import Service

pytestmark = pytest.mark.shared_service


@pytest.mark.parametrize(
    "path",
    [
        "/api",
        "/api/v2/diagnoses",
        "/api/v1/openapi.json/",
        "//health/live",
        "/Health/live",
        "/static//evref.00000000.css",
        "/static/Evref.00000000.css",
        "/api//v1/diagnoses",
        "/api/v1/diagnoses/",
        "/api/v1/diagnoses/Knee-Osteoarthritis/interventions/",
        "//infobutton",
        "/Infobutton",
        "/FHIR/metadata",
        "/schemas/Catalogue-File.json",
        "/fhir//PlanDefinition",
        "/fhir",
        "/fhir/Patient",
        "/fhir/PlanDefinition/knee-osteoarthritis/_history",
        "/fhir/plandefinition",
    ],
)
def test_another_spelling_is_not_found(service: Service, path: str) -> None:
    key = service.new_key()
    environ = EnvironBuilder(
        headers=Headers({"Authorization": f"Bearer {key.token.text}"})
    ).get_environ()
    # Set as a server does, because the test client would read a host after two slashes.
    environ["PATH_INFO"] = path

    _, status, headers = run_wsgi_app(service.app, environ, buffered=True)

    assert status == "404 NOT FOUND"
    has_details = path.lower().lstrip("/").split("/")[0] in {"api", "infobutton"}
    assert (headers["Content-Type"] == "application/problem+json") == has_details
    assert "X-Request-ID" in headers
    assert service.admitted(key) == 0
