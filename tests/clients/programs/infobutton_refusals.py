"""Refused without a key, with a wrong one, and with one that is used up; nothing sent twice."""

import json
import os
from email.message import Message
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from lxml import etree

ADDRESS = (
    f"{os.environ['EVREF_URL']}/infobutton"
    "?mainSearchCriteria.v.cs=2.16.840.1.113883.6.90&mainSearchCriteria.v.c=J45.901"
)
JSON = "&knowledgeResponseType=application/json"
PROBLEM = "{urn:ietf:rfc:7807}"
KEY, USED_UP = os.environ["EVREF_KEY"], os.environ["EVREF_USED_UP_KEY"]


def ask(address: str, key: str | None, **headers: str) -> tuple[int, Message, bytes]:
    """The status, the header fields and the body of an answer."""
    request = Request(address, headers=headers)
    if key is not None:
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as error:
        with error:
            return error.code, error.headers, error.read()


for key, status, challenge, slug in (
    (None, 401, 'Bearer realm="evref"', "missing-credentials"),
    ("evref_" + "x" * 46, 401, 'Bearer realm="evref", error="invalid_token"', "invalid-api-key"),
    (KEY.upper(), 401, 'Bearer realm="evref", error="invalid_token"', "invalid-api-key"),
    (USED_UP, 429, None, "quota-exceeded"),
):
    for more, media_type in (("", "application/problem+xml"), (JSON, "application/problem+json")):
        answered, headers, body = ask(ADDRESS + more, key)
        assert answered == status
        assert headers.get_content_type() == media_type
        assert headers["WWW-Authenticate"] == challenge
        assert (headers["Retry-After"] is not None) == (status == 429)
        if more:
            problem = json.loads(body)
        else:
            root = etree.fromstring(body)
            assert root.tag == f"{PROBLEM}problem"
            problem = {etree.QName(each).localname: each.text for each in root}
        assert problem["type"].endswith(slug)
        assert int(problem["status"]) == status
        assert key is None or key.encode() not in body

# The key in the address is never read.
assert ask(f"{ADDRESS}&key={KEY}&api_key={KEY}", None)[0] == 401

for more in ("", JSON):
    status, headers, body = ask(ADDRESS + more, KEY)
    assert status == 200
    assert headers["Cache-Control"] == "private, no-cache"
    again, repeated, nothing = ask(ADDRESS + more, KEY, **{"If-None-Match": headers["ETag"]})
    assert (again, repeated["ETag"], nothing) == (304, headers["ETag"], b"")
    left = [int(each["X-RateLimit-Remaining"]) for each in (headers, repeated)]
    assert left[0] == left[1] + 1

status, headers, body = ask(ADDRESS.replace("J45.901", "asthma"), KEY)
assert status == 422
fault = etree.fromstring(body).find(f"{PROBLEM}errors/{PROBLEM}i")
assert fault.findtext(f"{PROBLEM}parameter") == "mainSearchCriteria.v.c"
assert fault.findtext(f"{PROBLEM}allowed/{PROBLEM}i").startswith("codes of ICD-10")
