"""Pages for people, health for machines: no key, no script of another's, nothing from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from evref.adapters.outbound.files import SCHEMA_FILE
from evref.domain.catalogue.vocabulary import DISCLAIMER
from tests.http.conftest import MakeService
from tests.http.service import BASE_URL, Service, body

PAGES = [
    "/",
    "/docs",
    "/evidence",
    "/problems",
    "/problems/not-found",
    "/problems/quota-exceeded",
    "/nothing",
]


class Page(HTMLParser):
    """What a page refers to, and what stands in it that a strict policy forbids."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.references: list[str] = []
        self.inline: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for name, value in given.items():
            if name in {"src", "href", "data-document", "action"} and value:
                self.references.append(value)
            if name.startswith("on") or name == "style" or (value or "").startswith("javascript:"):
                self.inline.append(f"{tag} {name}")
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(tag)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_inline_script_or_style(service: Service, path: str) -> None:
    """And its policy would let none run."""
    response = service.get(path)

    policy = dict(
        part.strip().split(" ", 1)
        for part in response.headers["Content-Security-Policy"].split(";")
    )
    assert response.mimetype == "text/html"
    assert Page(response.text).inline == []
    assert policy["default-src"] == "'none'"
    assert policy.get("script-src", "'none'") in {"'none'", "'self'"}
    assert policy["base-uri"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"


@pytest.mark.parametrize("path", PAGES)
def test_everything_that_a_page_refers_to_is_served_here(service: Service, path: str) -> None:
    """No other host is ever asked for a part of a page; and no link is dead."""
    references = Page(service.get(path).text).references

    assert references
    for reference in references:
        if reference == "#main":
            continue
        assert reference.startswith("/")
        assert not reference.startswith("//")
        # The settings and the catalogue lead visitors to the sign-in.
        led_on = reference in {"/settings", "/catalogue"}
        assert service.get(reference).status_code == (303 if led_on else 200)


def test_style_sheets_and_the_script_refer_to_no_other_host(service: Service) -> None:
    """Nor do they import one."""
    for name in ("evref.css", "docs.css", "docs.js", "catalogue.js", "icon.svg"):
        text = service.get(f"/static/{name}").text.replace("http://www.w3.org/", "")

        without_comments = re.sub(
            r"/\*.*?\*/|^ *// [^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE
        )
        assert "//" not in without_comments
        assert "@import" not in text


def test_swagger_ui_is_served_with_its_type(service: Service) -> None:
    """Under nosniff a browser would not run it otherwise."""
    kinds = {
        "swagger-ui.css": "text/css; charset=utf-8",
        "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
        "favicon-32x32.png": "image/png",
        "favicon-16x16.png": "image/png",
    }

    for name, kind in kinds.items():
        response = service.get(f"/docs/{name}")

        assert response.status_code == 200
        assert response.content_type == kind


@pytest.mark.parametrize("name", ["index.html", "swagger-initializer.js", "..%2F__init__.py", "x"])
def test_no_other_file_of_swagger_ui_is_served(service: Service, name: str) -> None:
    """Its own page would load another host's example."""
    assert service.get(f"/docs/{name}").status_code == 404


@pytest.mark.parametrize("path", ["/static/nothing", "/static/../app.py", "/static/%2e%2e/app.py"])
def test_nothing_beside_the_static_files_is_served(service: Service, path: str) -> None:
    """Whatever the path is made to look like."""
    assert service.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/", "/docs"])
def test_a_page_says_what_the_data_is_not(service: Service, path: str) -> None:
    """The disclaimer is part of the product."""
    assert DISCLAIMER in service.get(path).text


def test_the_landing_page_has_a_first_request_at_the_operators_address(service: Service) -> None:
    """Wherever it was asked for."""
    assert f"{BASE_URL}/api/v1/diagnoses" in service.get("/").text


def test_a_page_may_be_kept_and_asked_for_anew(service: Service) -> None:
    """Pages have ETags like data."""
    first = service.get("/")

    again = service.get("/", headers={"If-None-Match": first.headers["ETag"]})

    assert again.status_code == 304
    assert first.headers["Cache-Control"] == "public, max-age=300"


def test_the_schema_of_catalogue_files_is_served_to_editors(service: Service) -> None:
    """As it is in the package, and it may be kept."""
    first = service.get("/schemas/catalogue-file.json")

    again = service.get(
        "/schemas/catalogue-file.json", headers={"If-None-Match": first.headers["ETag"]}
    )

    assert first.get_data() == SCHEMA_FILE.read_bytes()
    assert first.content_type == "application/schema+json"
    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert not first.headers["ETag"].startswith("W/")
    assert again.status_code == 304


def test_health_tells_what_is_served(service: Service) -> None:
    """It is asked for anew each time."""
    live, ready = service.get("/health/live"), service.get("/health/ready")
    version = body(service.get("/api/v1/diagnoses", token=service.token()))["meta"][
        "catalogue_version"
    ]

    assert body(live) == {"status": "live"}
    assert body(ready) == {"status": "ready", "storage": "answers", "catalogue_version": version}
    for response in (live, ready):
        assert response.status_code == 200
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("infobutton", [True, False])
@pytest.mark.parametrize("fhir", [True, False])
def test_the_front_page_names_the_standards_that_are_switched_on(
    make_service: MakeService, *, infobutton: bool, fhir: bool
) -> None:
    """What it names is served; what it does not name is not."""
    service = make_service(infobutton=infobutton, fhir=fhir)

    text = service.get("/").text

    assert ("HL7 Infobutton" in text, "FHIR R4" in text) == (infobutton, fhir)
    assert "MCP" in text
    assert (service.get("/infobutton").status_code != 404) is infobutton
    assert (service.get("/fhir/metadata").status_code != 404) is fhir
