"""Pages escape hostile text of the catalogue and of requests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Certainty, Direction, Evidence, Recommendation
from evref.domain.catalogue.intervention import FittVp
from evref.domain.principal import Readers
from evref.testing.builders import a_diagnosis, a_reference, an_intervention
from tests.pages.site import Seen, a_site
from tests.settings_pages.visitor import Visitor

STEERING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

HOSTILE = [
    "<script>alert(1)</script>",
    "</h1></main><script src=//evil.example></script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "{{ 7*7 }} {% raw %} ${7*7}",
    "<!--",
    "&lt;b&gt; &amp;",
    f"abc{STEERING}def",
    "\u202eesrever",
    "]]><svg onload=alert(1)>",
]


def hostile(text: str) -> Entry:
    """Return an entry with this text in every field that may contain it."""
    address = "https://example.org/\"'><script>alert(1)</script>"
    doi = '10.1000/"><script>alert(1)</script>'
    reference = a_reference(title=text, authors=text, doi=doi, url=address)
    line = text[:120].ljust(5, "x")
    summary = (text * 80)[:700].rstrip()
    intervention = replace(
        an_intervention("a-b", diagnosis_id="a", module=Module.FITT_VIP, title=line),
        summary=summary,
        fitt_vp=FittVp(text, text, text, text, text, text),
        evidence=Evidence(Certainty.LOW, Recommendation.NOT_STATED, Direction.AGAINST, text[:500]),
        references=(replace(reference, source=text),),
    )
    return Entry(a_diagnosis("a", name=line), (intervention,))


@pytest.mark.parametrize("text", HOSTILE)
def test_text_stays_text(text: str) -> None:
    site = a_site(Readers.PUBLIC, Catalogue([hostile(text)]))
    for path in ("/", "/catalogue", "/catalogue/a", "/evidence"):
        page = Visitor(site).get(path).text

        seen = Seen(page)
        assert seen.inline == []
        images = [value for tag, name, value in seen.attributes if (tag, name) == ("img", "src")]
        assert [image.partition(".")[0] for image in images] == ["/static/icon"]
        for tag, name, value in seen.attributes:
            if name in {"href", "src", "action"}:
                assert value.startswith(("/", "https://", "http://", "#")), (tag, value)
                assert tag != "script" or value.startswith("/static/")
        assert not any(mark in page for mark in STEERING)
        if path == "/catalogue/a":
            shown = " ".join(text.translate(dict.fromkeys(map(ord, STEERING))).split())
            assert shown in seen.text("a-b")
            assert "https://example.org/\"'><script>alert(1)</script>" in seen.links


def test_whatever_is_typed_into_the_search_field_is_shown_as_text() -> None:
    visitor = Visitor(a_site(Readers.PUBLIC, Catalogue([hostile("plain")])))
    odd = ["\x00", "\ud800", "%", "\u0000M54", "💥", "a" * 200, ",;,", " "]

    for typed in (*HOSTILE, *odd):
        query = {"q": typed.encode("utf-8", "surrogatepass")}
        answer = visitor.get("/catalogue", query_string=query)
        assert answer.status_code == 200
        assert Seen(answer.text).inline == []
        assert "<script>alert" not in answer.text
