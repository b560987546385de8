"""Requests of an info button, and access to the feeds that answer them."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree as ET

from werkzeug.test import TestResponse

from tests.http.document import plain_body
from tests.http.service import Service, body

ATOM = "{http://www.w3.org/2005/Atom}"

ICD10 = "2.16.840.1.113883.6.3"
ICD10_CM = "2.16.840.1.113883.6.90"
ICD10_GM = "1.2.276.0.76.5"
ICD11 = "2.16.840.1.113883.6.347"
SNOMED_CT = "2.16.840.1.113883.6.96"
MESH = "2.16.840.1.113883.6.177"

CRITERION = "mainSearchCriteria.v"
Parameters = dict[str, str]

KNEE = {f"{CRITERION}.cs": ICD10, f"{CRITERION}.c": "M17.1"}
AS_JSON = {"knowledgeResponseType": "application/json"}
FEEDS = ["text/xml", "application/xml", "application/atom+xml", "application/json"]
AS_HTML = {"knowledgeResponseType": "text/html"}


def coded(oid: str, code: str, number: str = "", *, name: str | None = None) -> Parameters:
    """Return a criterion: a code of this code system, with its display name."""
    parts = {"cs": oid, "c": code} | ({} if name is None else {"dn": name})
    return {f"{CRITERION}.{part}{number}": text for part, text in parts.items()}


def named(words: str, number: str = "") -> Parameters:
    """Return a criterion: words without a code."""
    return {f"{CRITERION}.dn{number}": words}


def target(parameters: Parameters) -> str:
    return f"/infobutton?{urlencode(parameters)}"


def ask(service: Service, token: str, parameters: Parameters) -> TestResponse:
    return service.get(target(parameters), token=token)


def json_feed(service: Service, token: str, parameters: Parameters) -> Any:
    """Return the feed of a response in JSON."""
    response = ask(service, token, parameters | AS_JSON)
    assert response.status_code == 200, response.text
    assert response.mimetype == "application/json"
    return body(response)["feed"]


def xml_feed(service: Service, token: str, parameters: Parameters) -> ET.Element:
    """Return the feed of a response in XML."""
    response = ask(service, token, parameters)
    assert response.status_code == 200, response.text
    assert response.headers["Content-Type"] == "text/xml; charset=utf-8"
    feed = ET.fromstring(plain_body(response))
    assert feed.tag == f"{ATOM}feed"
    return feed


def subtitle(feed: Any) -> str:
    text: str = feed["subtitle"]["_value"]
    return text


def titles(feed: Any) -> list[str]:
    return [entry["title"]["_value"] for entry in feed["entry"]]


def documents(feed: Any) -> list[str]:
    """Return the titles of the entries for diagnoses, which are not sections."""
    return [entry["title"]["_value"] for entry in feed["entry"] if "source" not in entry]


def summaries(feed: Any) -> dict[str, str]:
    """Return the summaries of the entries for diagnoses, by the id of the diagnosis."""
    return {
        entry["id"]["_value"].rpartition("/")[2]: entry["summary"]["_value"]
        for entry in feed["entry"]
        if "source" not in entry
    }


def sections(feed: Any) -> list[str]:
    """Return the modules of the entries that are sections of another entry."""
    return [
        entry["id"]["_value"].rpartition("module=")[2]
        for entry in feed["entry"]
        if "source" in entry
    ]
