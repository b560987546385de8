"""Any path, query or header that is sent to the interfaces gets a response of the contract."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote, urlencode
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.catalogue.catalogue import Catalogue
from tests.hostile.examples import quick
from tests.http.document import plain_body
from tests.http.service import BASE_URL, Service, body, entries

PATHS = st.sampled_from(
    [
        "/api/v1/diagnoses",
        "/api/v1/diagnoses/knee-osteoarthritis",
        "/api/v1/diagnoses/knee-osteoarthritis/interventions",
    ]
)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NAMES = st.sampled_from(["icd10", "icd11", "module", "phase", "q", "", "_schema"]) | TEXT
VALUES = st.sampled_from(["M17.1", "FA01&XK8G", "home", "acute", "knee"]) | TEXT
QUERIES = st.lists(st.tuples(NAMES, VALUES), max_size=4).map(
    lambda pairs: "&".join(
        f"{quote(name, safe='')}={quote(value, safe='')}" for name, value in pairs
    )
)
FHIR_NAMES = st.sampled_from(["_id", "context", "title", "title:contains", "_count", "_after", ""])
FHIR_VALUES = st.sampled_from(["M17.1", "http://hl7.org/fhir/sid/icd-10|M17", "knee", "0", "2"])
FHIR_QUERIES = st.lists(st.tuples(FHIR_NAMES | TEXT, FHIR_VALUES | TEXT), max_size=4).map(urlencode)
RAW = st.text(st.sampled_from("aM17.&=%+;[]{}\"'<>\\^`|~:0123456789ABCDEFabcdef"), max_size=40)
HEADER = st.text(
    st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=60
)
SEGMENTS = st.lists(
    st.sampled_from(["api", "v1", "diagnoses", "interventions", "openapi.json", "..", ".", ""])
    | st.sampled_from(["fhir", "metadata", "PlanDefinition", "ActivityDefinition"])
    | TEXT.map(lambda text: quote(text, safe=""))
    | st.binary(max_size=4).map(quote),
    min_size=1,
    max_size=6,
).filter(lambda segments: segments[0] != "")  # the test client would read //x as a host


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[tuple[Service, str]]:
    """Yield a service and a token with the highest limit."""
    service = Service(Settings(storage=StorageKind.MEMORY, base_url=BASE_URL))
    service.publish(Catalogue(entries()))
    yield service, service.token(limit=HIGHEST_DAILY_LIMIT)
    service.close()


@quick
@given(
    asked=st.tuples(PATHS, QUERIES | RAW)
    | st.tuples(
        st.sampled_from(["/fhir/PlanDefinition", "/fhir/ActivityDefinition"]), FHIR_QUERIES | RAW
    )
)
@example(asked=("/api/v1/diagnoses", "q=%00"))
@example(asked=("/api/v1/diagnoses", "q=%ED%A0%80"))
@example(asked=("/api/v1/diagnoses", "icd10=%EF%BC%AD17"))
@example(asked=("/api/v1/diagnoses", "icd10=M17,%00,M18"))
@example(asked=("/api/v1/diagnoses", "module[]=home&module.x=1"))
@example(asked=("/fhir/PlanDefinition", "title=%5C"))
@example(asked=("/fhir/PlanDefinition", "title=%5C%5C,%00"))
@example(asked=("/fhir/PlanDefinition", "context=%7C%7C,%7C"))
@example(asked=("/fhir/PlanDefinition", "_count=%D9%A3"))
def test_any_query_is_answered_or_rejected(
    fuzzed: tuple[Service, str], asked: tuple[str, str]
) -> None:
    service, token = fuzzed

    response = service.get("?".join(asked), token=token)

    statuses = {200, 400, 406} if asked[0].startswith("/fhir") else {200, 422}
    assert response.status_code in statuses


INFOBUTTON_NAMES = st.sampled_from(
    [
        *(f"{of}.v.{part}" for of in ("mainSearchCriteria", "subTopic") for part in ("c", "cs")),
        *("mainSearchCriteria.v.dn", "MAINSEARCHCRITERIA.V.C1", "mainSearchCriteria.v.cs1"),
        *("knowledgeResponseType", "informationRecipient", "callback"),
    ]
)
INFOBUTTON_VALUES = st.sampled_from(
    [
        *("M17.1", "fa01", "knee", "Q000628", "1.2.3", "application/json", "text/html", "text/xml"),
        *("2.16.840.1.113883.6.3", "2.16.840.1.113883.6.347", "2.16.840.1.113883.6.177"),
    ]
)


@quick
@given(pairs=st.lists(st.tuples(INFOBUTTON_NAMES | TEXT, INFOBUTTON_VALUES | TEXT), max_size=6))
@example(pairs=[("mainSearchCriteria.v.dn", "\x00\ufffe"), ("informationRecipient", "\x0b")])
@example(pairs=[("mainSearchCriteria.v.c\u0661", "M17"), ("mainSearchCriteria.v.dn", "\u0130")])
def test_any_knowledge_request_is_answered_or_rejected(
    fuzzed: tuple[Service, str], pairs: list[tuple[str, str]]
) -> None:
    service, token = fuzzed

    response = service.get(f"/infobutton?{urlencode(pairs)}", token=token)

    assert response.status_code in {200, 303, 422}
    if response.mimetype == "text/xml":
        ET.fromstring(plain_body(response))
    elif response.mimetype in {"application/json", "application/problem+json"}:
        assert body(response)
    else:
        assert response.status_code == 303


@quick
@given(segments=SEGMENTS)
def test_any_path_is_found_or_not_found_and_never_redirected(
    fuzzed: tuple[Service, str], segments: list[str]
) -> None:
    service, token = fuzzed

    response = service.get("/" + "/".join(segments), token=token)

    assert response.status_code in {200, 404}


@quick
@given(authorization=HEADER)
@example(authorization="Bearer \xa0")
@example(authorization="Bearer \x85evref_")
@example(authorization="Bearer " + "\xb2" * 46)
def test_any_authorization_without_a_key_is_rejected(
    fuzzed: tuple[Service, str], authorization: str
) -> None:
    service, _ = fuzzed

    response = service.get("/api/v1/diagnoses", headers={"Authorization": authorization})

    assert response.status_code == 401


@quick
@given(accept=HEADER)
@example(accept="application/fhir+json;fhirVersion")
@example(accept='application/fhir+json;fhirVersion="')
@example(accept="application/json;q=nan")
@example(accept="/;/")
def test_any_accept_field_gets_json_or_406(fuzzed: tuple[Service, str], accept: str) -> None:
    """FHIR has only one format here."""
    service, token = fuzzed

    response = service.get("/fhir/PlanDefinition", token=token, headers={"Accept": accept})

    assert response.status_code in {200, 406}


@quick
@given(condition=HEADER, accepted=HEADER, request_id=HEADER)
@example(condition='W/"', accepted="gzip;q=nan", request_id="a\xa0")
@example(condition="*,*", accepted="gzip;q=inf", request_id="")
@example(condition='"', accepted="*;q=-1", request_id="")
def test_other_header_fields_never_cause_an_error(
    fuzzed: tuple[Service, str], condition: str, accepted: str, request_id: str
) -> None:
    """A field that cannot be read is ignored."""
    service, token = fuzzed
    headers = {
        "If-None-Match": condition,
        "Accept-Encoding": accepted,
        "X-Request-ID": request_id,
    }

    response = service.get("/api/v1/diagnoses", token=token, headers=headers)

    assert response.status_code in {200, 304}
