"""The documented requests of MedlinePlus Connect, with the host changed and the key added."""

import json
import os
import sys
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import feedparser
from lxml import etree

SCHEMA = etree.RelaxNG(etree.parse(sys.argv[1]))

PROBLEMS = {
    # Asthma, whose code is one of ICD-10-CM.
    "https://connect.medlineplus.gov/service?mainSearchCriteria.v.cs=2.16.840.1.113883.6.90"
    "&mainSearchCriteria.v.c=J45.901&informationRecipient.languageCode.c=en": "Asthma",
    "https://connect.medlineplus.gov/service?mainSearchCriteria.v.cs=2.16.840.1.113883.6.90"
    "&mainSearchCriteria.v.c=J45.901&mainSearchCriteria.v.dn=Unspecified%20asthma%20with%20%28acute"
    "%29%20exacerbation&informationRecipient.languageCode.c=es": "Asthma",
    # Code systems that the service does not read: it searches by name, and a coma or a bacterium
    # beside the name makes it another disease.
    "https://connect.medlineplus.gov/service?mainSearchCriteria.v.cs=2.16.840.1.113883.6.103"
    "&mainSearchCriteria.v.c=250.33&mainSearchCriteria.v.dn=Diabetes%20mellitus%20with%20other"
    "%20coma%20type%201%20uncontrolled&informationRecipient.languageCode.c=en": None,
    "https://connect.medlineplus.gov/service?mainSearchCriteria.v.cs=2.16.840.1.113883.6.96"
    "&mainSearchCriteria.v.c=41381004&mainSearchCriteria.v.dn=Pneumonia%20due%20to%20Pseudomonas"
    "%20%28disorder%29&informationRecipient.languageCode.c=en": None,
    # A problem that the catalogue does not have.
    "https://connect.medlineplus.gov/service?mainSearchCriteria.v.cs=2.16.840.1.113883.6.90"
    "&mainSearchCriteria.v.c=L70": None,
}


def ask(documented: str, response_type: str | None = None) -> HTTPResponse:
    """The answer to a documented request; no redirect is followed."""
    query = urlsplit(documented).query
    if response_type is not None:
        query += f"&knowledgeResponseType={response_type}"
    connection = HTTPConnection(urlsplit(os.environ["EVREF_URL"]).netloc, timeout=60)
    headers = {"Authorization": f"Bearer {os.environ['EVREF_KEY']}"}
    connection.request("GET", f"/infobutton?{query}", headers=headers)
    return connection.getresponse()


for documented, name in PROBLEMS.items():
    for response_type in (None, "text/xml"):
        with ask(documented, response_type) as answer:
            assert answer.headers.get_content_type() == "text/xml"
            body = answer.read()
        SCHEMA.assertValid(etree.fromstring(body))
        read = feedparser.parse(body)
        assert not read.bozo, read.bozo_exception
        assert [each.title for each in read.entries][:1] == ([name] if name else [])
        assert "always makes the final decision" in read.feed.rights

    with ask(documented, "application/json") as answer:
        assert answer.headers.get_content_type() == "application/json"
        feed = json.load(answer)["feed"]
    # As programs read MedlinePlus Connect.
    assert feed["subtitle"]["_value"].startswith("Results for ")
    assert bool(feed["entry"]) == bool(name)
    if name:
        first = feed["entry"][0]
        assert first["title"]["_value"] == name
        slug = name.lower().replace(" ", "-")
        assert first["link"][0]["href"].endswith(f"/catalogue/{slug}")
        assert first["summary"]["_value"].startswith("<p>")
    sent = {each["scheme"]: each["term"] for each in feed["category"]}
    assert sent["mainSearchCriteria.v.c"] in documented

    with ask(documented, "text/html") as answer:
        assert answer.status == 303
        page = answer.headers["Location"]
    assert page.startswith(f"{os.environ['EVREF_URL']}/catalogue")
    assert page.endswith("/catalogue/asthma") == (name == "Asthma")
