"""Malformed requests to a real server: it rejects each once and closes the connection."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile.conftest import Target
from tests.hostile.examples import quick
from tests.hostile.peer import answer_to, statuses

HOST = b"Host: x\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\n" + HOST + b"\r\n"


def post(*fields: bytes, body: bytes = b"") -> bytes:
    head = b"".join(field + b"\r\n" for field in fields)
    return b"POST /settings/sign-in HTTP/1.1\r\n" + HOST + head + b"\r\n" + body


# Requests that proxies and servers are known to read differently (CL.TE, TE.CL, TE.TE, CL.0 …):
# the bytes after them would be a second request for some of them.
AMBIGUOUS = {
    "CL.TE": post(b"Content-Length: 6", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "TE.CL": post(b"Transfer-Encoding: chunked", b"Content-Length: 4", body=b"5c\r\n"),
    "TE twice": post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", body=b"0\r\n"),
    "TE unknown": post(b"Transfer-Encoding: xchunked", body=b"0\r\n\r\n"),
    "TE with a vertical tab": post(b"Transfer-Encoding: \x0bchunked", body=b"0\r\n\r\n"),
    "TE with a space before the colon": post(b"Transfer-Encoding : chunked", body=b"0\r\n\r\n"),
    "TE with a space before the name": post(b" Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "TE folded": post(b"X: y", b" Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "TE after a bare CR": post(b"X: y\rTransfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "TE after a bare LF": post(b"X: y\nTransfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "TE after a NUL": post(b"X: y\0", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    "TE in HTTP/1.0": post(b"Transfer-Encoding: chunked").replace(b"HTTP/1.1", b"HTTP/1.0"),
    "CL twice": post(b"Content-Length: 0", b"Content-Length: 5"),
    "CL twice the same": post(b"Content-Length: 0", b"Content-Length: 0"),
    "CL in a list": post(b"Content-Length: 0, 5"),
    "CL with a sign": post(b"Content-Length: +0"),
    "CL negative": post(b"Content-Length: -1"),
    "CL in hexadecimal": post(b"Content-Length: 0x0"),
    "CL with an underscore": post(b"Content-Length: 0_0"),
    "CL in other digits": post(b"Content-Length: \xb2"),
    "CL with a space in it": post(b"Content-Length: 0 0"),
    "CL empty": post(b"Content-Length:"),
    "CL folded": post(b"Content-Length:", b" 0"),
    "CL beyond all bounds": post(b"Content-Length: " + b"9" * 40),
    "CL above the longest form": post(b"Content-Length: 65537"),
    "CL with a space before the colon": post(b"Content-Length : 0"),
    "a host twice": post(b"Host: y"),
    "another expectation": post(b"Expect: x", b"Content-Length: 0"),
    "a name with a space": post(b"Content Length: 0"),
    "no name": post(b": 0"),
    "no colon": post(b"Content-Length"),
    "a line that ends in LF": b"GET /health/live HTTP/1.1\n" + HOST + b"\n",
    "a line that ends in CR": b"GET /health/live HTTP/1.1\r" + HOST + b"\r\n",
    "HTTP/0.9": b"GET /health/live\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "a target with a space": b"GET /health /live HTTP/1.1\r\n" + HOST + b"\r\n",
    "a target with a NUL": b"GET /health\0/live HTTP/1.1\r\n" + HOST + b"\r\n",
    "a target beyond ASCII": b"GET /h\xe9alth HTTP/1.1\r\n" + HOST + b"\r\n",
    "a target of 9 kB": b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
    "a field of 17 kB": b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 17_000 + b"\r\n\r\n",
    "65 fields": b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 65 + b"\r\n",
    "fields without end": b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 100_000,
    "a megabyte of nothing": b"\0" * 1024 * 1024,
    "empty lines": b"\r\n" * 1000,
}


# With `chunked` as the last coding, the length is certain (RFC 9112, section 6.3).
CHUNKED = [
    b"Transfer-Encoding: chunked",
    b"TRANSFER-ENCODING: CHUNKED",
    b"Transfer-Encoding:\tchunked",
    b"Transfer-Encoding: identity, chunked",
]


@pytest.mark.parametrize("field", CHUNKED)
def test_a_body_in_chunks_ends_with_its_last_chunk(target: Target, field: bytes) -> None:
    """A form needs a length, so it gets 411; the bytes after it are another request."""
    body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(SMUGGLED), SMUGGLED)
    form = b"Content-Type: application/x-www-form-urlencoded"

    assert statuses(answer_to(target.port, post(field, form, body=body) + SMUGGLED)) == [411, 404]


@pytest.mark.parametrize(
    "body", [b"z\r\n", b"3\r\nq=abc\r\n0\r\n\r\n", b"3;\n\r\nq=a\r\n", b"3\r\nq"]
)
def test_a_malformed_body_in_chunks_is_a_bad_request(target: Target, body: bytes) -> None:
    """The server parses the chunks only when the body is read."""
    request = (
        b"POST /fhir/PlanDefinition/_search HTTP/1.1\r\n"
        + HOST
        + b"Authorization: Bearer %s\r\n" % target.token.encode()
        + b"Content-Type: application/x-www-form-urlencoded\r\n"
        + b"Transfer-Encoding: chunked\r\n\r\n"
    )

    answer = answer_to(target.port, request + body)

    assert statuses(answer) == [400]
    assert b"OperationOutcome" in answer


@pytest.mark.parametrize("sent", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
def test_an_ambiguous_request_is_rejected(target: Target, sent: bytes) -> None:
    """The bytes after it are never read as a request."""
    answer = answer_to(target.port, sent + SMUGGLED)

    (status,) = statuses(answer)
    assert 400 <= status < 500 or status == 501


def test_an_unreadable_request_puts_no_key_into_the_log(target: Target) -> None:
    """Gunicorn logs requests that it cannot read."""
    key = target.token.encode()
    for sent in (
        b"GET /" + key + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + key + b" : x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key + b"\0\r\n\r\n",
    ):
        assert statuses(answer_to(target.port, sent)) == [400]

    assert "…" in target.server.log
    assert target.token not in target.server.log


def test_the_longest_form_is_accepted_and_a_longer_form_is_not(target: Target) -> None:
    """The server rejects a form that is a byte longer."""
    for length, status in ((65536, 400), (65537, 413)):
        sent = post(
            b"Content-Type: application/x-www-form-urlencoded",
            b"Content-Length: %d" % length,
            body=b"a" * length,
        )
        assert statuses(answer_to(target.port, sent)) == [status]


METHODS = st.sampled_from([b"GET", b"HEAD", b"POST", b"OPTIONS", b"TRACE", b"CONNECT", b"PUT"])
TARGETS = st.sampled_from(
    [
        b"/",
        b"/api/v1/diagnoses",
        b"/api/v1/diagnoses/knee-osteoarthritis/interventions?module=home",
        b"/api/v1/openapi.json",
        b"/docs",
        b"/problems/not-found",
        b"/health/ready",
        b"/settings/sign-in",
        b"/static/settings.00000000.js",
        b"http://evil.example/",
        b"//evil.example",
        b"*",
        b"/%00%0d%0aX:%20y",
        b"/../../etc/passwd",
        b"/static/%2e%2e/%2e%2e/forms.py",
        b"/docs/..%2f..%2f__init__.py",
    ]
) | st.binary(max_size=20).map(lambda raw: b"/" + raw)
NAMES = st.sampled_from(
    [
        *(b"Authorization", b"Cookie", b"If-None-Match", b"Accept-Encoding", b"X-Request-ID"),
        *(b"Content-Length", b"Content-Type", b"Transfer-Encoding", b"Connection", b"Expect"),
        *(b"Host", b"X-Forwarded-For", b"X-Forwarded-Host", b"Range", b"Origin", b"Upgrade"),
        *(b"SCRIPT_NAME", b"X_Request_ID", b"X-HTTP-Method-Override", b"Trailer", b"TE"),
    ]
)
VALUES = st.sampled_from(
    [
        *(b"", b"0", b"1", b"chunked", b"close", b"keep-alive", b"100-continue", b"gzip;q=2"),
        *(b"Bearer x", b"bytes=0-0", b"evref_session=x; evref_forms=.e.e", b'"', b"*", b"W/"),
    ]
) | st.binary(max_size=40)
FIELDS = st.lists(st.tuples(NAMES, VALUES).map(b": ".join), max_size=6)
REQUESTS = st.builds(
    lambda method, target, version, fields, body: (
        b"%s %s %s\r\n%s\r\n%s"
        % (method, target, version, b"".join(field + b"\r\n" for field in fields), body)
    ),
    METHODS,
    TARGETS,
    st.sampled_from([b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1.2", b""]),
    FIELDS,
    st.binary(max_size=30) | st.sampled_from([b"0\r\n\r\n", SMUGGLED]),
)


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    """Return a request in which some bytes are replaced, added or removed."""
    sent = bytearray(draw(REQUESTS))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(sent)))
        sent[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=3))
    return bytes(sent)


@quick
@given(sent=broken() | st.binary(max_size=200))
def test_any_bytes_get_a_response_or_the_connection_closes(target: Target, sent: bytes) -> None:
    """The server never fails, and its response never shows internals."""
    answer = answer_to(target.port, sent)

    assert all(100 <= status < 500 or status == 501 for status in statuses(answer))
    assert b"Traceback" not in answer
    assert b"\r\nX: y" not in answer
    assert b"root:" not in answer
    assert b"from __future__" not in answer
