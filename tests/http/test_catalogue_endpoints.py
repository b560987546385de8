"""What every interface can rely on, tried with a small one of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from flask import Blueprint, Flask, Response
from werkzeug.test import TestResponse

from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.caching import sent_before_flask
from evref.adapters.inbound.web.errors import ErrorResponses
from evref.adapters.inbound.web.interfaces import HttpInterface, HttpInterfaces
from evref.adapters.inbound.web.problems import ProblemDetails
from evref.adapters.inbound.web.representations import RawResponse
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.filling import at_once
from tests.http.service import BASE_URL, Service, entries

XML, TEXT = "application/xml", "text/plain"


def as_xml(problem: ProblemDetails, environ: object) -> RawResponse:
    body = f"<problem>{problem.type}</problem>".encode()
    return RawResponse(f"{problem.status:d} X", [("Content-Type", XML)], [body])


def as_text(problem: ProblemDetails, environ: object) -> RawResponse:
    return RawResponse(f"{problem.status:d} X", [("Content-Type", TEXT)], [problem.type.encode()])


INTERFACES = HttpInterfaces(
    HttpInterface("/xml", as_xml, cross_origin=True), others=HttpInterface("/", as_text)
)


@dataclass
class Views:
    """An application with views of the catalogue, and how often each was called."""

    service: Service
    app: Flask
    calls: list[str] = field(default_factory=list)

    def get(self, path: str, token: str | None, **fields: str) -> TestResponse:
        sent = {name.replace("_", "-"): value for name, value in fields.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        with self.app.test_client() as client:
            return client.get(path, headers=sent)


@pytest.fixture
def views(service: Service) -> Views:
    app = Flask(__name__)
    made = Views(service, app)
    errors = ErrorResponses(BASE_URL, INTERFACES)
    endpoints = CatalogueEndpoints(service.container.consult(), 1024 * 1024, errors)
    blueprint = Blueprint("xml", __name__, url_prefix="/xml")

    def add(path: str, view: Callable[..., Response], *offers: str) -> None:
        endpoint = endpoints(Permission.READ, *offers)(view)
        blueprint.add_url_rule(path, path.strip("/"), endpoint)

    def counted(catalogue: Catalogue) -> Response:
        made.calls.append("counted")
        body = f"<count>{len(catalogue.entries)}</count>"
        return Response(body, content_type=XML, headers={"X-Made-By": "a view"})

    def slow(catalogue: Catalogue) -> Response:
        made.calls.append("slow")
        time.sleep(0.05)
        return Response("<slow/>", content_type=XML)

    def missing(catalogue: Catalogue) -> Response:
        made.calls.append("missing")
        return Response("<nothing/>", 404, content_type=XML)

    def either(catalogue: Catalogue, media_type: str) -> Response:
        made.calls.append(media_type)
        return Response(f"as {media_type}", content_type=media_type)

    add("/counted", counted, XML)
    add("/slow", slow, XML)
    add("/missing", missing, XML)
    add("/either", either, XML, TEXT)
    app.register_blueprint(blueprint)
    errors.register(app)
    headers.register(app)
    app.wsgi_app = sent_before_flask(app.wsgi_app, endpoints.cached_response)  # type: ignore[assignment]
    return made


def test_concurrent_requests_for_one_address_render_it_once(views: Views, token: str) -> None:
    """Each of them gets it, and is counted."""
    responses = at_once(8, lambda _: views.get("/xml/slow", token))

    assert {response.get_data() for response in responses} == {b"<slow/>"}
    assert views.calls == ["slow"]
    assert views.get("/xml/slow", token).headers["X-RateLimit-Remaining"] == "991"


def test_a_response_keeps_its_media_type_and_headers(views: Views, token: str) -> None:
    """Cached or not."""
    made, cached = (views.get("/xml/counted", token) for _ in range(2))

    assert views.calls == ["counted"]
    for response in (made, cached):
        assert response.status_code == 200
        assert response.content_type == XML
        assert response.headers["X-Made-By"] == "a view"
        assert response.headers["Cache-Control"] == "private, no-cache"
        assert response.headers["Vary"] == "Accept-Encoding"
        assert response.text == "<count>5</count>"


def test_only_200_is_cached(views: Views, token: str) -> None:
    """Anything else is sent as the view made it, and counted."""
    responses = [views.get("/xml/missing", token) for _ in range(2)]

    assert views.calls == ["missing", "missing"]
    for response in responses:
        assert response.status_code == 404
        assert response.content_type == XML
        assert response.headers["Cache-Control"] == "private, no-cache"
        assert response.text == "<nothing/>"
    assert [each.headers["X-RateLimit-Remaining"] for each in responses] == ["999", "998"]


@pytest.mark.parametrize("accept", [TEXT, XML, "*/*", "", "text/*;q=0.5", "a", "image/png"])
def test_with_one_offer_accept_is_not_looked_at(views: Views, token: str, accept: str) -> None:
    """So that it cannot fill the cache with copies."""
    views.get("/xml/counted", token)

    assert views.get("/xml/counted", token, Accept=accept).content_type == XML
    assert views.calls == ["counted"]


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        (TEXT, TEXT),
        (XML, XML),
        ("text/*", TEXT),
        (f"{XML};q=0.1, {TEXT}", TEXT),
        ("*/*", XML),
        ("", XML),
    ],
)
def test_the_media_type_is_chosen_among_those_offered(
    views: Views, token: str, accept: str, chosen: str
) -> None:
    """The first offer is the default for other clients; each is cached separately."""
    for media_type in (XML, TEXT):
        views.get("/xml/either", token, Accept=media_type)
    response = views.get("/xml/either", token, Accept=accept)

    assert response.content_type == chosen
    assert response.text == f"as {chosen}"
    assert response.headers["Vary"] == "Accept, Accept-Encoding"
    assert views.calls == [XML, TEXT]


@pytest.mark.parametrize("accept", ["image/png", "nonsense", f"{XML};q=0"])
def test_what_accepts_no_offer_gets_406(views: Views, token: str, accept: str) -> None:
    """Whether or not there are cached responses."""
    for calls in ([], [XML]):
        response = views.get("/xml/either", token, Accept=accept)
        assert response.status_code == 406
        assert response.text.endswith("/problems/not-acceptable</problem>")
        assert views.calls == calls
        views.get("/xml/either", token)


def test_a_new_catalogue_version_replaces_every_media_type(views: Views, token: str) -> None:
    for media_type in (XML, TEXT):
        views.get("/xml/either", token, Accept=media_type)
    views.service.publish(Catalogue(entries()[:1]))
    views.service.clock.advance(1)
    for media_type in (TEXT, XML):
        views.get("/xml/either", token, Accept=media_type)

    assert views.calls == [XML, TEXT, TEXT, XML]


@pytest.mark.parametrize("cached", [False, True])
def test_each_interface_renders_problems_in_its_form(
    views: Views, token: str, *, cached: bool
) -> None:
    """Within Flask, and before it."""
    if cached:
        views.get("/xml/counted", token)
    problem = f"{BASE_URL}/problems/missing-credentials"

    refused = views.get("/xml/counted", None)

    assert (refused.status_code, refused.content_type) == (401, XML)
    assert refused.text == f"<problem>{problem}</problem>"


@pytest.mark.parametrize(
    ("path", "content_type"),
    [("/xml", XML), ("/xml/", XML), ("/xml/nothing", XML), ("/xmlx", TEXT), ("/", TEXT)],
)
def test_a_path_belongs_to_the_interface_whose_root_it_has(
    views: Views, path: str, content_type: str
) -> None:
    assert views.get(path, None).content_type == content_type
    assert INTERFACES.of(path).cross_origin is (content_type == XML)
