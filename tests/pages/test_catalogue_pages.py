"""The catalogue's pages: the same content as the interface, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from html import unescape

import pytest
from flask import template_rendered
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, TestResponse, run_wsgi_app

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.domain.principal import Readers
from evref.testing.builders import OPERATOR, a_catalogue, an_entry, an_intervention
from tests.pages.site import Seen, a_site, bundled, publish
from tests.settings_pages.site import Site
from tests.settings_pages.visitor import Visitor

# All are rendered alike; `make accessibility` opens every one.
SOME_IDS = [entry.diagnosis.id for entry in bundled().entries[::5]]


@cache
def bundled_site() -> Site:
    """One site for all tests that only read it."""
    return a_site(Readers.PUBLIC, bundled())


def page(path: str) -> Seen:
    answer = Visitor(bundled_site()).get(path)
    assert answer.status_code == 200, answer.text
    return Seen(answer.text)


@cache
def _key() -> str:
    return bundled_site().make_key(limit=100_000).token.text


def api(path: str) -> TestResponse:
    answer = Visitor(bundled_site()).get(path, headers={"Authorization": f"Bearer {_key()}"})
    assert answer.status_code == 200, answer.text
    return answer


EVERY_PAGE = [
    *("/", "/catalogue", "/catalogue/low-back-pain", "/evidence", "/about", "/docs"),
    *("/problems", "/problems/not-found", "/problems/quota-exceeded", "/nothing"),
]


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("diagnosis_id", SOME_IDS)
def test_a_page_holds_what_the_interface_gives(diagnosis_id: str) -> None:
    """Every intervention with its summary, grade, dose and references, and every code."""
    answer = api(f"/api/v1/diagnoses/{diagnosis_id}/interventions").json
    assert answer is not None
    diagnosis = answer["meta"]["diagnosis"]

    seen = page(f"/catalogue/{diagnosis_id}")

    assert [place for place in seen.ids if place.startswith(f"{diagnosis_id}-")] == [
        record["id"] for record in answer["data"]
    ]
    whole = seen.text()
    for text in (diagnosis["name"], *diagnosis["icd10_codes"], *diagnosis["icd11_codes"]):
        assert text in whole
    assert diagnosis["version"] in whole
    for record in answer["data"]:
        text = seen.text(record["id"])
        evidence = record["evidence"]
        assert flat(record["title"]) in text
        assert flat(record["summary"]) in text
        if evidence["certainty"] != "not_graded":
            certainty = evidence["certainty"].replace("_", " ")
            assert f"GRADE certainty: {certainty}" in text
        assert flat(evidence["source_grade"] or "Sources") in text
        signs = {"for": "+", "against": "\N{MINUS SIGN}", "unclear": "?"}
        assert f"{signs[evidence['direction']]} " in text
        said = {
            "for": "Sources favour it; strength not stated",
            "against": "Sources find harm or no benefit, or advise against it; strength not stated",
            "unclear": "Unclear",
        }
        if evidence["recommendation"] == "not_stated":
            assert said[evidence["direction"]] in text
        else:
            strength, direction = evidence["recommendation"].split("_")
            verb = "recommend it" if direction == "for" else "advise against it"
            assert f"{verb} ({strength})" in text
        assert flat(record["cautions"] or "") in text
        for value in (record["fitt_vp"] or {}).values():
            assert flat(value or "") in text
        for reference in record["references"]:
            cited = (
                f"{flat(reference['authors'])} ({reference['year']}). {flat(reference['title'])}. "
                f"{flat(reference['source'])}. "
            )
            (place,) = (each for each in seen.ids if seen.text(each).startswith(cited))
            work = seen.text(place)
            number = place.removeprefix("ref-")
            assert re.search(rf"\[{number}\] [^\[]* {reference['year']}[,.]", text)
            assert reference["url"] in seen.links
            assert reference["doi"] is None or f"DOI {reference['doi']}" in work
            assert reference["pmid"] is None or f"PubMed {reference['pmid']}" in work


def test_the_list_holds_every_diagnosis_with_codes_and_counts() -> None:
    """In the order of the interface."""
    records = api("/api/v1/diagnoses").json
    assert records is not None

    seen = page("/catalogue")

    found = [link for link in seen.links if re.fullmatch("/catalogue/(?!changes).*", link)]
    assert found == [f"/catalogue/{record['id']}" for record in records["data"]]
    entries = Visitor(bundled_site()).get("/catalogue").text.partition('id="entries"')[2]
    rows = entries.split("<li>")[1:]
    for record, row in zip(records["data"], rows, strict=True):
        text = flat(unescape(re.sub("<[^>]*>", " ", row)))
        for shown in (record["name"], *record["icd10_codes"], *record["icd11_codes"]):
            assert shown in text
        shown = bundled().entry(record["id"]).visible_interventions()
        counts = Counter(each.evidence.direction.value for each in shown)
        for direction, number in counts.items():
            assert f"{number} {direction}" in text


def test_nothing_of_a_disabled_module_is_shown() -> None:
    """Neither in the map, nor in the lists, nor behind a filter."""
    hidden = an_intervention("k-hidden", module=Module.PREVENTION, title="Hidden by its module")
    shown = an_intervention("k-shown", module=Module.HOME, title="Shown by its module")
    entry = an_entry(modules=[Module.HOME], interventions=[hidden, shown])
    site = a_site(Readers.PUBLIC, a_catalogue(entry))

    for path in (
        "/",
        "/catalogue",
        "/catalogue?module=prevention",
        "/catalogue/knee-osteoarthritis",
        "/catalogue/knee-osteoarthritis?module=prevention",
        "/evidence",
    ):
        answer = Visitor(site).get(path)
        assert answer.status_code == 200
        assert "Hidden" not in answer.text
        assert "k-hidden" not in answer.text
    assert "Shown by its module" in Visitor(site).get("/catalogue/knee-osteoarthritis").text


@pytest.mark.parametrize("module", [None, *Module])
@pytest.mark.parametrize("phase", [None, *Phase])
def test_filters_show_what_the_interface_gives(module: Module | None, phase: Phase | None) -> None:
    """The curl line asks for just that."""
    asked = [f"{name}={value}" for name, value in (("module", module), ("phase", phase)) if value]
    query = f"?{'&'.join(asked)}" if asked else ""
    address = f"/api/v1/diagnoses/low-back-pain/interventions{query}"
    answer = api(address).json
    assert answer is not None

    seen = page(f"/catalogue/low-back-pain{query}")

    shown = [place for place in seen.ids if place.startswith("low-back-pain-")]
    assert shown == [record["id"] for record in answer["data"]]
    assert f'"{bundled_site().settings.base_url}{address}"' in seen.text()


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
    """The page says so, each time; what looks filtered is filtered."""
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
    """But an unknown name is not repeated: it is text of whoever made the link."""
    text = page("/catalogue/low-back-pain?phase=late&q=%3Ci%3E&x=1").text()

    assert (
        f"{NOT_UNDERSTOOD}: phase, which must be one of acute, subacute, chronic; "
        "an unknown parameter (this page has only module, phase, print, searched). "
        "This page is not filtered."
    ) in text


def test_parameters_of_campaigns_are_ignored() -> None:
    """They count what others clicked on, and say nothing about what to show."""
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
    """At the operator's address, for any path; a path that is not a page is not found."""
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


def test_several_codes_find_the_diagnoses_of_each() -> None:
    """Separated by commas or spaces."""
    links = page("/catalogue?q=M54.5,+G61.0").links

    assert {"/catalogue/low-back-pain", "/catalogue/guillain-barre-syndrome"} <= set(links)
    assert len([link for link in links if re.fullmatch("/catalogue/(?!changes).*", link)]) == 2


def test_an_empty_search_field_is_no_search() -> None:
    """Browsers send it when nothing was typed."""
    assert len(page("/catalogue?q=").links) == len(page("/catalogue").links)


def test_every_link_of_the_pages_leads_somewhere() -> None:
    """None to what needs a key; those outside are to the works that are cited."""
    visitor = Visitor(bundled_site())
    cited = {
        place
        for entry in bundled().entries
        for one in entry.visible_interventions()
        for work in one.references
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
            assert status == (303 if address == "/settings" else 200), link


def test_an_intervention_s_address_holds_whatever_is_filtered() -> None:
    """It leads to the whole page, which always has it."""
    filtered = page("/catalogue/low-back-pain?module=home&phase=chronic")

    place = "/catalogue/low-back-pain#low-back-pain-opioids"
    assert place in filtered.links
    assert "low-back-pain-opioids" in page("/catalogue/low-back-pain").ids


@pytest.mark.parametrize("path", EVERY_PAGE[:-1])
def test_every_page_says_what_the_catalogue_is_not_and_which_it_is(path: str) -> None:
    """In its footer."""
    text = page(path).text()

    assert DISCLAIMER in text
    assert "Reviewed by a clinician: 0 of 101 diagnoses. The catalogue is not complete" in text
    assert f"Catalogue {bundled().version}, checked against its sources on " in text


@pytest.mark.parametrize(
    ("path", "is_framed"),
    [
        ("/catalogue/knee-osteoarthritis", True),
        ("/catalogue/nobody", True),
        ("/evidence", True),
        ("/", True),
        ("/docs", False),
        ("/settings/sign-in", False),
        ("/settings/nothing", False),
        ("/api/v1/diagnoses", False),
    ],
)
def test_a_record_shows_the_pages_for_readers_in_a_frame(path: str, *, is_framed: bool) -> None:
    """Where its origin is allowed; never the settings."""
    site = a_site(Readers.PUBLIC, bundled(), frame_ancestors=("https://ehr.example.org", "'self'"))

    policy = Visitor(site).get(path).headers["Content-Security-Policy"]

    allowed = "https://ehr.example.org 'self'" if is_framed else "'none'"
    assert f"frame-ancestors {allowed}" in policy


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_a_page_runs_and_fetches_nothing_but_the_service_s_own(path: str) -> None:
    """No inline script or style, and a policy that would run none; no part from another host."""
    answer = Visitor(bundled_site()).get(path)
    seen = Seen(answer.text)

    assert seen.inline == []
    assert len(seen.ids) == len(set(seen.ids))
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy.get("script-src", "'none'") in {"'none'", "'self'"}
    fetched = [
        value
        for tag, name, value in seen.attributes
        if name == "src" or (tag == "link" and value.endswith((".css", ".svg", ".png")))
    ]
    assert fetched
    for address in fetched:
        assert re.match("/[^/]", address)
        assert Visitor(bundled_site()).get(address, buffered=True).status_code == 200


def test_an_unknown_diagnosis_is_not_found() -> None:
    """With the frame around it, and the nearest ids if there are any."""
    visitor = Visitor(bundled_site())
    answer, near = visitor.get("/catalogue/unicorn"), visitor.get("/catalogue/astma")

    assert answer.status_code == near.status_code == 404
    assert "Diagnosis not found" in Seen(answer.text).text("main")
    assert "Similar ids" not in answer.text
    assert '<a href="/catalogue/asthma">asthma</a>' in near.text


def test_pages_are_not_counted() -> None:
    """Whoever looks."""
    site = a_site(Readers.PUBLIC, bundled())
    made = site.make_key(limit=5)
    visitor = Visitor(site)

    for _ in range(6):
        visitor.get("/catalogue/low-back-pain", headers={"Authorization": f"Bearer {made.token}"})

    assert site.container.manage_keys().history(OPERATOR, made.key.id) == ()


PATHS = ["/", "/catalogue", "/catalogue?q=knee", "/catalogue/knee-osteoarthritis", "/evidence"]


def test_a_page_is_sent_and_cached_as_data_is() -> None:
    """Strong ETags, 304, HEAD and gzip; a cached page has every header of a new one."""
    client = a_site(Readers.PUBLIC, a_catalogue()).app.test_client()

    def ask(path: str, method: str, coding: str, etag: str = "") -> TestResponse:
        sent = {"Accept-Encoding": coding, "X-Request-ID": "same", "If-None-Match": etag}
        return client.open(path, method=method, headers=sent)

    for path in (*PATHS, "/docs", "/problems"):
        plain, packed = (ask(path, "GET", coding) for coding in ("identity", "gzip"))
        assert plain.headers["ETag"] != packed.headers["ETag"]
        assert packed.headers["Content-Encoding"] == "gzip"
        assert len(packed.get_data()) < len(plain.get_data())
        for coding, first in (("identity", plain), ("gzip", packed)):
            again, head = (ask(path, method, coding) for method in ("GET", "HEAD"))
            unchanged = ask(path, "GET", coding, first.headers["ETag"])

            assert re.fullmatch('"[^"]+"', first.headers["ETag"])
            assert first.status_code == again.status_code == head.status_code == 200
            assert sorted(first.headers) == sorted(again.headers) == sorted(head.headers)
            assert again.get_data() == first.get_data()
            assert (unchanged.status_code, unchanged.get_data()) == (304, b"")
            without = {"Content-Length", "Content-Type", "Content-Encoding"}
            kept = [each for each in sorted(first.headers) if each[0] not in without]
            assert sorted(unchanged.headers) == kept


def test_a_page_is_rendered_once_for_each_version() -> None:
    """What it is asked with does not matter; another catalogue is seen within a second."""
    site = a_site(Readers.PUBLIC, a_catalogue())
    visitor, rendered = Visitor(site), []

    def note(sender: object, template: object, **context: object) -> None:
        rendered.append(template)

    template_rendered.connect(note, site.app)
    etags = [visitor.get(path).headers["ETag"] for path in PATHS]
    before = len(rendered)
    for path, etag in zip(PATHS, etags, strict=True):
        for headers in ({}, {"Accept-Encoding": "gzip"}, {"If-None-Match": etag}):
            visitor.get(path, headers=headers)
    assert len(rendered) == before > 0

    publish(site, a_catalogue(an_entry(name="Knee arthrosis")))

    assert not set(etags) & {visitor.get(path).headers["ETag"] for path in PATHS}
    assert len(rendered) == 2 * before


def test_a_catalogue_without_entries_and_a_diagnosis_without_interventions_have_pages() -> None:
    """They say that there is nothing."""
    visitor = Visitor(a_site(Readers.PUBLIC, Catalogue([])))
    bare = a_site(Readers.PUBLIC, a_catalogue(an_entry(modules=[], interventions=[])))

    for path in ("/", "/catalogue", "/evidence"):
        assert visitor.get(path).status_code == 200
    assert "0 diagnoses." in visitor.get("/catalogue").text
    diagnosis = Visitor(bare).get("/catalogue/knee-osteoarthritis")
    assert "No module is enabled for this diagnosis" in diagnosis.text


def test_machines_are_led_to_the_json_and_find_codes_and_date() -> None:
    """By rel=alternate, and as microdata: the policy allows no script in a page."""
    address = "/api/v1/diagnoses"
    seen = page("/catalogue/low-back-pain")
    found = [value for tag, name, value in seen.attributes if (tag, name) == ("link", "href")]
    in_list = page("/catalogue").attributes
    assert f"{address}/low-back-pain/interventions" in found
    assert ("link", "href", address) in in_list
    assert ("link", "rel", "alternate") in in_list

    values = {(name, value) for _, name, value in seen.attributes}
    assert ("itemtype", "https://schema.org/MedicalWebPage") in values
    content = [value for tag, name, value in seen.attributes if (tag, name) == ("meta", "content")]
    assert {"Low back pain", "M54.5", "ME84.2"} <= set(content)
    # No clinician has reviewed it.
    assert "lastReviewed" not in {value for _, name, value in seen.attributes if name == "itemprop"}


@pytest.mark.parametrize("readers", Readers)
def test_everybody_can_read_who_runs_the_service(readers: Readers) -> None:
    """And how to read the catalogue, whoever may read it."""
    site = a_site(readers, operator="Ward 7 & friends", contact="evidence+a@example.org")
    visitor = Visitor(site)

    about = Seen(visitor.get("/about").text)

    assert "Ward 7 & friends runs this service." in about.text()
    assert "mailto:evidence%2Ba@example.org" in about.links
    assert "not a medical device" in about.text()
    assert visitor.get("/evidence").status_code == 200
    assert "has not given a name" in page("/about").text()


def test_older_publications_are_on_further_pages() -> None:
    """Fifty on each."""
    site = a_site(Readers.PUBLIC)
    for number in range(50):
        publish(site, Catalogue([an_entry(f"k-{number}")]))
    visitor = Visitor(site)

    first, last, beyond = (
        visitor.get("/catalogue/changes", query_string=query).text
        for query in ("", "page=2", "page=99")
    )

    assert [page.count("<section id=") for page in (first, last)] == [50, 1]
    assert 'href="/catalogue/changes?page=2" rel="next"' in first
    assert 'href="/catalogue/changes?page=1" rel="prev"' in last
    assert beyond == last
