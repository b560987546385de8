"""Text of the catalogue that would like to be more than text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evref.domain.accounts.readers import Readers
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import (
    Certainty,
    Direction,
    Evidence,
    Recommendation,
    Reference,
    ReferenceKind,
)
from evref.domain.catalogue.intervention import FittVp, Intervention, Phase
from evref.testing.builders import a_diagnosis
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
    """An entry of which every text is this one, as far as the domain lets it."""
    reference = Reference(
        title=text,
        authors=text,
        year=2020,
        source=text,
        kind=ReferenceKind.GUIDELINE,
        doi='10.1000/"><script>alert(1)</script>',
        pmid=None,
        given_url="https://example.org/\"'><script>alert(1)</script>",
    )
    line = text[:120].ljust(5, "x")
    one = Intervention(
        id="a-b",
        diagnosis_id="a",
        module=Module.FITT_VIP,
        phase=Phase.ACUTE,
        title=line,
        summary=(text * 80)[:700].rstrip(),
        fitt_vp=FittVp(text, text, text, text, text, text),
        evidence=Evidence(Certainty.LOW, Recommendation.NOT_STATED, Direction.AGAINST, text[:500]),
        references=(reference,),
    )
    return Entry(a_diagnosis("a", name=line), (one,))


PATHS = ["/", "/catalogue", "/catalogue/a", "/evidence"]


@pytest.fixture(params=HOSTILE)
def text(request: pytest.FixtureRequest) -> Iterator[str]:
    return request.param  # type: ignore[no-any-return]


@pytest.mark.parametrize("path", PATHS)
def test_text_stays_text(text: str, path: str) -> None:
    """No element, no attribute and no address comes of it; and it is shown as it is."""
    site = a_site(Readers.PUBLIC, Catalogue([hostile(text)]))

    page = Visitor(site).get(path).text

    seen = Seen(page)
    assert seen.inline == []
    tags = {tag for tag, _, _ in seen.walk()}
    assert "img" not in tags
    for tag, name, value in seen.walk():
        if name in {"href", "src", "action"}:
            assert value.startswith(("/", "https://", "http://", "#")), (tag, value)
            assert tag != "script" or value.startswith("/static/")
    assert not any(mark in page for mark in STEERING)
    if path == "/catalogue/a":
        shown = " ".join(text.translate(dict.fromkeys(map(ord, STEERING))).split())
        assert shown in seen.text("a-b")
        assert "https://example.org/\"'><script>alert(1)</script>" in seen.links


def test_the_search_field_shows_what_was_typed_as_text() -> None:
    """In the field, the result and the title."""
    site = a_site(Readers.PUBLIC, Catalogue([hostile("plain")]))

    for text in HOSTILE:
        answer = Visitor(site).get("/catalogue", query_string={"q": text})
        assert answer.status_code == 200
        assert Seen(answer.text).inline == []
        assert "<script>alert" not in answer.text


@pytest.mark.parametrize("typed", ["\x00", "\ud800", "%", "\u0000M54", "💥", "a" * 200, ",;,", " "])
def test_whatever_is_typed_is_answered(typed: str) -> None:
    """With a page."""
    site = a_site(Readers.PUBLIC, Catalogue([hostile("plain")]))

    query = {"q": typed.encode("utf-8", "surrogatepass")}
    assert Visitor(site).get("/catalogue", query_string=query).status_code == 200
