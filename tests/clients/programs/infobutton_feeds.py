"""The feed of each diagnosis of the catalogue, by each of its codes, and by each subtopic."""

import json
import os
import sys
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import feedparser
from lxml import etree

URL = os.environ["EVREF_URL"]
SCHEMA = etree.RelaxNG(etree.parse(sys.argv[1]))
ATOM = "{http://www.w3.org/2005/Atom}"
ICD10, ICD11 = "2.16.840.1.113883.6.3", "2.16.840.1.113883.6.347"
DIRECTIONS = {"for": "For", "against": "Against", "unclear": "Unclear"}


def get(path: str, **parameters: str) -> bytes:
    query = f"?{urlencode(parameters)}" if parameters else ""
    request = Request(URL + path + query)
    request.add_header("Authorization", f"Bearer {os.environ['EVREF_KEY']}")
    with urlopen(request, timeout=60) as answer:
        return answer.read()


def feed_of(system: str, code: str, **more: str) -> feedparser.FeedParserDict:
    """A feed that is valid in all ways."""
    criterion = {"mainSearchCriteria.v.cs": system, "mainSearchCriteria.v.c": code}
    body = get("/infobutton", **criterion, **more)
    document = etree.fromstring(body)
    SCHEMA.assertValid(document)
    # What RFC 4287 demands beyond its grammar.
    for element in document.iter(f"{ATOM}entry"):
        assert element.find(f"{ATOM}link[@rel='alternate']") is not None
    ids = [element.text for element in document.iterfind(f"{ATOM}entry/{ATOM}id")]
    assert len(set(ids)) == len(ids)
    read = feedparser.parse(body)
    assert not read.bozo, read.bozo_exception
    return read


# The schema can refuse: a feed needs an id.
without_id = etree.fromstring(f'<feed xmlns="{ATOM[1:-1]}"><title/><updated/></feed>')
assert not SCHEMA.validate(without_id)

catalogue = json.loads(get("/api/v1/catalogue"))
assert len(catalogue["data"]) > 80
for record in catalogue["data"]:
    diagnosis, interventions = record["diagnosis"], record["interventions"]
    codes = [(ICD10, code) for code in diagnosis["icd10_codes"]]
    codes += [(ICD11, code) for code in diagnosis["icd11_codes"]]
    for system, code in codes:
        read = feed_of(system, code)
        assert diagnosis["name"] in [entry.title for entry in read.entries]
        assert read.feed.rights == catalogue["meta"]["disclaimer"]

    page = f"{URL}/catalogue/{diagnosis['id']}"
    entries = {entry.id: entry for entry in read.entries}
    assert entries[page].updated_parsed[:3] == tuple(map(int, diagnosis["checked_on"].split("-")))
    modules = {each["module"] for each in interventions}
    assert {name for name in entries if name.startswith(f"{page}?")} == {
        f"{page}?module={module}" for module in modules
    }
    for each in interventions:
        entry = entries[f"{page}?module={each['module']}"]
        assert entry.source.id == page
        shown = etree.HTML(entry.summary)
        # After the heading that links to the permanent address: direction, grade and references.
        (heading,) = (
            link.getparent()
            for link in shown.iter("a")
            if link.get("href") == f"{page}#{each['id']}"
        )
        assert "".join(heading.itertext()) == each["title"]
        verdict = heading.getnext()
        evidence = each["evidence"]
        assert verdict.findtext("strong") == DIRECTIONS[evidence["direction"]]
        said = "".join(verdict.itertext())
        assert f"Recommendation: {evidence['recommendation'].replace('_', ' ')}." in said
        assert f"(GRADE): {evidence['certainty'].replace('_', ' ')}." in said
        assert (evidence["source_grade"] or "") in said
        references = next(verdict.itersiblings("ol"))
        links = [link.get("href") for link in references.iter("a")]
        assert links == [work["url"] for work in each["references"]]
