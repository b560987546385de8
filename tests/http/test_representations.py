"""ETags, conditional requests, compression and HEAD, the same for every endpoint."""

from __future__ import annotations

import gzip

import pytest

from evref.adapters.inbound.web.representations import Representation
from tests.http.service import INFOBUTTON, Service, assert_problem, body

LIST = "/api/v1/diagnoses"
KNEE = f"{LIST}/knee-osteoarthritis"
LONG = f"{KNEE}/interventions"
DOCUMENT = "/api/v1/openapi.json"
CATALOGUE = "/api/v1/catalogue"
LIMIT = "/api/v1/limit"
FHIR = "/fhir/PlanDefinition"
METADATA = "/fhir/metadata"
ENDPOINTS = [LIST, KNEE, LONG, CATALOGUE, LIMIT, DOCUMENT, INFOBUTTON, FHIR, METADATA]
GZIP = {"Accept-Encoding": "gzip"}
RATE_LIMIT = ("RateLimit-Policy", "RateLimit", "X-RateLimit-Limit")

pytestmark = pytest.mark.shared_service


@pytest.mark.parametrize("path", ENDPOINTS)
@pytest.mark.parametrize("headers", [{}, GZIP])
def test_a_known_response_is_not_sent_again(
    service: Service, token: str, path: str, headers: dict[str, str]
) -> None:
    """A 304 has the same ETag, cache fields and limit fields as a 200, and no body.

    Caches may keep only responses that need no key. `Vary` names the encoding even if the response
    is not compressed, because a cache must know this before it reuses the response.
    """
    is_public = path in {DOCUMENT, METADATA}
    has_media_types = path in {CATALOGUE, INFOBUTTON, FHIR, METADATA}

    first = service.get(path, token=token, headers=headers)
    etag = first.headers["ETag"]
    second = service.get(path, token=token, headers={**headers, "If-None-Match": etag})

    assert first.status_code == 200
    assert etag.startswith('"')
    cache_control = "public, max-age=300" if is_public else "private, no-cache"
    assert first.headers["Cache-Control"] == cache_control
    varies = "Accept, Accept-Encoding" if has_media_types else "Accept-Encoding"
    assert first.headers.getlist("Vary") == [varies]
    assert second.status_code == 304
    assert second.get_data() == b""
    assert "Content-Type" not in second.headers
    assert "Content-Encoding" not in second.headers
    for name in ("ETag", "Cache-Control", "Vary"):
        assert second.headers[name] == first.headers[name]
    for name in RATE_LIMIT:
        assert (name in second.headers) == (not is_public)


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ("{etag}", 304),
        ('"other", W/{etag}', 304),
        ("*", 304),
        ('"other"', 200),
        ("-{etag}", 200),
    ],
)
def test_conditions_are_read_as_http_says(
    service: Service, token: str, form: str, status: int
) -> None:
    """`If-None-Match` compares weakly, and takes a list or `*` (RFC 9110, section 13.1.2)."""
    etag = service.get(LIST, token=token).headers["ETag"]

    response = service.get(LIST, token=token, headers={"If-None-Match": form.format(etag=etag)})

    assert response.status_code == status
    assert response.headers["ETag"] == etag


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [
        ("br;q=1.0, gzip;q=0.1", True),
        ("x-gzip", True),
        ("x-gzip;q=0, *", False),
        ("gzip;q=0.1, identity;q=0.2", False),
        ("identity;q=0, *", True),
        ("br", False),
    ],
)
def test_gzip_is_sent_to_clients_that_accept_it(
    service: Service, token: str, accepted: str, compressed: bool
) -> None:
    plain = service.get(LONG, token=token)

    response = service.get(LONG, token=token, headers={"Accept-Encoding": accepted})

    assert ("Content-Encoding" in response.headers) == compressed
    assert int(response.headers["Content-Length"]) == len(response.get_data())
    assert body(response) == body(plain)
    if compressed:
        assert response.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(response.get_data()) == plain.get_data()
        assert len(response.get_data()) < len(plain.get_data())


def test_if_match_with_another_version_is_a_failed_precondition(
    service: Service, token: str
) -> None:
    """It is counted, whether the response is cached or not (RFC 9110, section 13.1.1)."""
    etag = service.get(KNEE, token=token).headers["ETag"]

    for path in (KNEE, LIST, LIST):
        failed = service.get(path, token=token, headers={"If-Match": '"another"'})
        assert_problem(failed, 412)
        assert "If-Match" in body(failed)["detail"]
    for matching in (etag, f'"another", {etag}', "*"):
        headers = {"If-Match": matching, "If-None-Match": '"another"'}
        assert service.get(KNEE, token=token, headers=headers).status_code == 200
    weak = service.get(KNEE, token=token, headers={"If-Match": f"W/{etag}"})
    both = service.get(KNEE, token=token, headers={"If-Match": etag, "If-None-Match": etag})

    assert [weak.status_code, both.status_code] == [412, 304]
    assert both.headers["X-RateLimit-Remaining"] == "991"


@pytest.mark.parametrize("path", [LIST, KNEE, LONG])
def test_only_a_body_over_1_kib_is_compressed(service: Service, token: str, path: str) -> None:
    """A shorter body gains nothing and has the same ETag for all clients."""
    plain = service.get(path, token=token)
    accepting = service.get(path, token=token, headers=GZIP)

    assert ("Content-Encoding" in accepting.headers) == (len(plain.get_data()) > 1024)
    assert (accepting.headers["ETag"] != plain.headers["ETag"]) == (len(plain.get_data()) > 1024)


def test_a_long_problem_is_compressed_too(service: Service, token: str) -> None:
    path = f"{LIST}?" + "&".join(f"x{number}=1" for number in range(30))

    response = service.get(path, token=token, headers=GZIP)

    assert response.status_code == 422
    assert response.headers["Content-Encoding"] == "gzip"
    assert response.headers["Vary"] == "Accept-Encoding"
    assert len(body(response)["errors"]) == 30
    plain = service.get(path, token=token)
    assert "Content-Encoding" not in plain.headers
    assert plain.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("headers", [{}, GZIP, {"If-None-Match": "*"}])
def test_head_equals_get_without_the_body(service: Service, headers: dict[str, str]) -> None:
    tokens = service.token(), service.token()
    for path in (
        *ENDPOINTS,
        f"{LIST}/nobody",
        f"{LIST}?x=1",
        "/api/v1/nothing",
        "/infobutton",
        "/infobutton?mainSearchCriteria.v.dn=knee&knowledgeResponseType=text/html",
        "/",
        "/docs",
        "/static/swagger-ui.00000000.css",
        "/problems",
        "/problems/not-found",
        "/problems/nothing",
        "/health/live",
        "/health/ready",
        "/nothing",
    ):
        got = service.get(path, token=tokens[0], headers=headers)
        head = service.request("HEAD", path, token=tokens[1], headers=headers)

        assert head.status_code == got.status_code
        different = {"X-Request-ID"}
        if got.status_code >= 400:
            different.add("Content-Length")
            lengths = (int(head.headers["Content-Length"]), int(got.headers["Content-Length"]))
            assert abs(lengths[0] - lengths[1]) < 100
        assert {n: v for n, v in head.headers.items() if n not in different} == {
            n: v for n, v in got.headers.items() if n not in different
        }


def test_a_long_body_is_kept_compressed_and_sent_in_either_form() -> None:
    """Its ETags depend on its content, and not on the chunks in which it comes."""
    body = b"".join(b"%d " % number for number in range(1_000_000))
    chunks = [body[start : start + 100_000] for start in range(0, len(body), 100_000)]

    representation = Representation(chunks, "text/plain")

    for compressed in (False, True):
        content, length = representation.content(compressed=compressed)
        sent = b"".join(content)
        assert length == len(sent)
        assert (gzip.decompress(sent) if compressed else sent) == body
        assert representation.etag(compressed=compressed) == Representation(
            [body], "text/plain"
        ).etag(compressed=compressed)
    assert representation.size() < len(body)
