"""Addresses of pages: query parameters, spelling, and links."""

from __future__ import annotations

import pytest
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tests.pages.site import EVERY_PAGE, Seen, bundled, bundled_site, page
from tests.settings_pages.visitor import Visitor

NOT_UNDERSTOOD = "Part of the address was not understood"


@pytest.mark.parametrize(
    "path",
    [
        "/?modul=home",
        "/docs?modul=home",
        "/problems?modul=home",
        "/problems/not-found?modul=home",
        "/settings/sign-in?modul=home",
        "/catalogue?modul=home",
        "/catalogue?q=knee&modul=home",
        "/catalogue?module=homes",
        "/catalogue?module=",
        "/catalogue?module=home&module=home",
        "/catalogue?q=a&q=b",
        "/catalogue?phase=acute",
        f"/catalogue?q={'a' * 201}",
        "/catalogue?q=evref_0123456789",
        "/catalogue/low-back-pain?phase=",
        "/catalogue/low-back-pain?phase=late",
        "/catalogue/low-back-pain?q=knee",
        "/catalogue/low-back-pain?module=home&module=concept",
        "/evidence?module=home",
    ],
)
def test_a_parameter_that_is_not_understood_filters_nothing(path: str) -> None:
    visitor = Visitor(bundled_site())
    plain = Seen(visitor.get(path.partition("?")[0]).text)

    for _ in range(2):
        answer = visitor.get(path)

        assert answer.status_code == 200
        assert NOT_UNDERSTOOD in answer.text
        assert "evref_0123456789" not in answer.text
        assert Seen(answer.text).links == plain.links
    assert NOT_UNDERSTOOD not in visitor.get(path.partition("?")[0]).text


def test_what_was_not_understood_is_named_with_what_is_allowed() -> None:
    """An unknown name is not repeated, because whoever made the link wrote it."""
    text = page("/catalogue/low-back-pain?phase=late&q=%3Ci%3E&x=1").text()

    assert (
        f"{NOT_UNDERSTOOD}: phase, which must be one of acute, subacute, chronic; "
        "an unknown parameter (this page has only module, phase, print, searched). "
        "This page is not filtered."
    ) in text


def test_parameters_of_campaigns_are_ignored() -> None:
    visitor = Visitor(bundled_site())
    query = "utm_source=x&utm_campaign=y&fbclid=1&gclid=2&mc_cid=3&mc_eid=4"

    for path in ("/", "/catalogue", "/catalogue/low-back-pain?module=home", "/evidence"):
        joint = "&" if "?" in path else "?"
        assert visitor.get(f"{path}{joint}{query}").text == visitor.get(path).text


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("/catalogue/", "/catalogue"),
        ("//catalogue", "/catalogue"),
        ("/Catalogue//Low-Back-Pain/", "/catalogue/low-back-pain"),
        ("/catalogue/Low-Back-Pain?module=home", "/catalogue/low-back-pain?module=home"),
        ("//", "/"),
        ("/DOCS/", "/docs"),
        ("/evidence//", "/evidence"),
        ("/problems/Not-Found", "/problems/not-found"),
        ("/Settings/Sign-In/", "/settings/sign-in"),
        ("/settings/Invitation/AbC/", "/settings/invitation/AbC"),
        ("/catalogue/?q=evref_0123456789", "/catalogue"),
        ("//evil.example", None),
        ("//evil.example/catalogue", None),
        ("/nothing/", None),
        ("/Catalogue/a/b", None),
        ("/catalogue/evref_A", None),
    ],
)
def test_another_spelling_of_a_page_leads_to_the_right_one(given: str, right: str | None) -> None:
    path, _, query = given.partition("?")
    host = Headers({"Host": "evil.example"})
    for method in ("GET", "HEAD"):
        environ = EnvironBuilder(method=method, query_string=query, headers=host).get_environ()
        # As servers hand it on: the test client would take what follows two slashes for a host.
        environ["PATH_INFO"] = path

        _, status, headers = run_wsgi_app(bundled_site().app, environ, buffered=True)

        if right is None:
            assert status == "404 NOT FOUND"
        else:
            assert status == "308 PERMANENT REDIRECT"
            assert headers["Location"] == f"{bundled_site().settings.base_url}{right}"


def test_an_empty_search_field_is_no_search() -> None:
    """Browsers send an empty field."""
    assert len(page("/catalogue?q=").links) == len(page("/catalogue").links)


def test_every_link_of_the_pages_leads_somewhere() -> None:
    visitor = Visitor(bundled_site())
    cited = {
        place
        for entry in bundled().entries
        for intervention in entry.visible_interventions()
        for work in intervention.references
        for place in (work.url, f"https://pubmed.ncbi.nlm.nih.gov/{work.pmid}/")
    }
    for path in EVERY_PAGE:
        seen = Seen(visitor.get(path).text)
        for link in seen.links:
            address, _, place = link.partition("#")
            if link in cited:
                continue
            if place and address in {"", path}:
                assert place in seen.ids
                continue
            status = visitor.get(address, buffered=True).status_code
            is_led_on = address == "/settings" or (address.startswith("/catalogue?q="))
            assert status in ({200, 303} if is_led_on else {200}), link


def test_an_unknown_diagnosis_is_not_found() -> None:
    visitor = Visitor(bundled_site())
    answer, near = visitor.get("/catalogue/unicorn"), visitor.get("/catalogue/astma")

    assert answer.status_code == near.status_code == 404
    assert "Diagnosis not found" in Seen(answer.text).text("main")
    assert "Do you mean" not in answer.text
    assert '<a href="/catalogue/asthma">Asthma</a>' in near.text
    for name in ("m17", "gonarthrosis"):
        offered = visitor.get(f"/catalogue/{name}").text
        assert '<a href="/catalogue/knee-osteoarthritis">Knee osteoarthritis</a>' in offered
