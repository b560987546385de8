"""Who may read the pages of the catalogue, and what others can learn about it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from evref.domain.errors import StorageUnavailableError
from evref.domain.principal import Readers
from evref.testing.builders import a_catalogue, an_entry
from tests.pages.site import Seen, a_site, bundled
from tests.settings_pages.site import CATALOGUE, EMAIL, PASSWORD, Site
from tests.settings_pages.visitor import Visitor, a_member

OF_CATALOGUE = [
    "/catalogue",
    "/catalogue?q=back+pain",
    "/catalogue?module=home",
    "/catalogue/low-back-pain",
    "/catalogue/low-back-pain?module=home&phase=chronic",
]
FOR_ALL = ["/", "/docs", "/evidence", "/problems", "/problems/not-found", "/nothing"]


@pytest.fixture(scope="module")
def site() -> Site:
    return a_site(Readers.MEMBERS, bundled())


@pytest.mark.parametrize("path", OF_CATALOGUE)
def test_a_visitor_is_led_to_the_sign_in_and_back(site: Site, path: str) -> None:
    visitor = Visitor(site)

    answer = visitor.get(path)

    assert answer.status_code == 303
    assert answer.headers["Cache-Control"] == "no-store"
    assert "ETag" not in answer.headers
    parts = urlsplit(answer.location)
    assert parts.path == "/settings/sign-in"
    assert parts.netloc == ""
    assert parse_qs(parts.query)["next"] == [path]
    signed_in = visitor.fill_in(answer.location, email=EMAIL, password=PASSWORD)
    back = urlsplit(signed_in.location)
    assert (back.path, parse_qs(back.query)) == (
        urlsplit(path).path,
        parse_qs(urlsplit(path).query),
    )
    assert visitor.get(signed_in.location).status_code == 200


@pytest.mark.parametrize(
    ("onwards", "expected"),
    [
        ("/catalogue/%252f%252fevil.example", "/catalogue/%252f%252fevil.example"),
        ("/catalogue%3Fq=a%26next=//evil.example", "/catalogue?q=a"),
        ("/catalogue/changes%3Fpage=2", "/catalogue/changes?page=2"),
        ("/catalogue%3Fq=%250d%250aSet-Cookie:x", "/catalogue?q=%0D%0ASet-Cookie:x"),
    ],
)
def test_what_is_led_back_to_is_made_anew(site: Site, onwards: str, expected: str) -> None:
    """A client cannot turn its path or parameters into another address."""
    answer = Visitor(site).fill_in(
        f"/settings/sign-in?next={onwards}", email=EMAIL, password=PASSWORD
    )

    assert answer.location == expected
    assert "Set-Cookie:x" not in str(answer.headers.get_all("Set-Cookie"))


def test_no_answer_to_a_visitor_depends_on_the_catalogue(site: Site) -> None:
    """Body, ETag and headers are the same with two different catalogues.

    So nobody learns which diagnoses exist or what a search finds.
    """
    other = a_site(Readers.MEMBERS, a_catalogue(an_entry("unicorn", name="Unicorn fever")))

    def answer(site: Site, path: str) -> tuple[object, ...]:
        # A new visitor for each, because a page may set a cookie.
        response = Visitor(site).get(path, headers={"X-Request-ID": "same"})
        return response.status_code, sorted(response.headers.to_wsgi_list()), response.text

    of_unicorns = ("/catalogue/unicorn", "/catalogue/unicorn?modul=home", "/catalogue?q=unicorn")
    for path in (*OF_CATALOGUE, *of_unicorns, *FOR_ALL, "/settings"):
        assert answer(site, path) == answer(other, path)


@pytest.mark.parametrize("path", OF_CATALOGUE)
def test_a_member_reads_what_nobody_else_may_keep(site: Site, path: str) -> None:
    member = a_member(site)
    first = member.get(path)

    again = member.get(path, headers={"If-None-Match": first.headers["ETag"]})

    assert first.status_code == 200
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert again.status_code == 304
    assert (
        Visitor(site).get(path, headers={"If-None-Match": first.headers["ETag"]}).status_code == 303
    )


@pytest.mark.parametrize("readers", [Readers.MEMBERS, Readers.PUBLIC])
def test_a_member_is_known_on_every_page(readers: Readers) -> None:
    site = a_site(readers)
    member = a_member(site)

    for path in ("/", "/docs", "/evidence", "/problems", "/nothing", "/catalogue"):
        assert "Signed in" in Seen(member.get(path).text).text()
        if (readers, path) != (Readers.MEMBERS, "/catalogue"):
            seen = Seen(Visitor(site).get(path).text)
            assert "Signed in" not in seen.text()
            assert "/settings/sign-in" in seen.links


@pytest.mark.parametrize("as_member", [False, True])
def test_where_pages_are_off_there_are_none(as_member: bool) -> None:
    site = a_site(Readers.OFF)
    visitor = a_member(site) if as_member else Visitor(site)

    for path in (*OF_CATALOGUE, "/catalogue/unicorn", "/catalogue?x=y", "/catalogue/"):
        assert visitor.get(path).status_code == 404
    for path in ("/", "/docs", "/problems", "/nothing", "/settings/sign-in", "/evidence"):
        # The API has an operation of this name, whoever may read the pages.
        text = visitor.get(path).text.replace("/api/v1/catalogue", "")
        assert "/catalogue" not in text
        assert CATALOGUE.version not in text


def test_without_a_catalogue_the_other_pages_are_there() -> None:
    visitor = Visitor(a_site(Readers.PUBLIC).in_another_process())

    for path in ("/", "/docs", "/evidence", "/problems"):
        assert visitor.get(path).status_code == 200
    for path in ("/catalogue", "/catalogue/low-back-pain"):
        answer = visitor.get(path)
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "2"


@pytest.mark.parametrize("readers", [Readers.MEMBERS, Readers.PUBLIC])
def test_where_storage_is_out_of_reach_no_visitor_becomes_a_member(
    readers: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = a_site(readers)
    member = a_member(site)
    before = member.get("/catalogue").headers["ETag"]

    def fail(kind: object, record_id: str) -> None:
        raise StorageUnavailableError("sessions are gone")

    monkeypatch.setattr(site.container.storage().records, "get", fail)

    answer = member.get("/catalogue", headers={"If-None-Match": before})
    assert answer.status_code == (503 if readers is Readers.MEMBERS else 200)
    assert "Signed in" not in answer.text
    assert member.get("/evidence").status_code == 200
    assert "Signed in" not in member.get("/").text
