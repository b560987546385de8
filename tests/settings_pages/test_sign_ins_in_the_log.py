"""Sign-ins in the audit log; refused ones are counted by hour and address."""

import csv
from io import StringIO
from types import SimpleNamespace

import pytest

from evref.bootstrap import server
from evref.domain.audit import SIGN_INS, Action, AuditEntry
from evref.domain.principal import Role
from evref.testing.builders import OPERATOR
from tests.installation import INSTITUTION
from tests.settings_pages.site import (
    COLLEAGUE,
    EMAIL,
    OTHER_EMAIL,
    OTHER_INSTITUTION,
    PASSWORD,
    NewSite,
    Site,
)
from tests.settings_pages.test_sign_in_by_proxy import headers, secret_of
from tests.settings_pages.visitor import Visitor, a_member, text_of

LOG = "/settings/audit-log"


def sign_ins(site: Site, institution: str = INSTITUTION) -> list[AuditEntry]:
    """Return the entries of sign-ins, oldest first."""
    return [entry for entry in reversed(site.audit_log(institution)) if entry.action in SIGN_INS]


def in_words(site: Site, institution: str = INSTITUTION) -> list[tuple[str, str, int | None]]:
    return [
        (f"{entry.actor} {entry.action}", entry.detail, entry.times)
        for entry in sign_ins(site, institution)
    ]


def rows(member: Visitor, query: str = "") -> list[list[str]]:
    """Return the rows of the CSV file, without the headings."""
    return list(csv.reader(StringIO(member.get(f"{LOG}.csv{query}").text)))[1:]


def test_each_sign_in_with_a_password_has_an_entry(site: Site) -> None:
    member = a_member(site)
    site.clock.advance(seconds=5)
    member.fill_in("/settings/sign-out")
    assert member.sign_in().status_code == 303
    new = "another long one"
    path = "/settings/password"
    member.fill_in(path, present=PASSWORD, password=new, repeated=new)
    Visitor(site).fill_in(site.invite(), password=new, repeated=new)

    assert in_words(site) == [
        (f"{EMAIL} signed_in", "by password", None),
        (f"{EMAIL} signed_in", "by password", None),
        (f"{COLLEAGUE} signed_in", "by password", None),
    ]
    assert [str(entry.at.time()) for entry in sign_ins(site)[:2]] == ["09:30:00", "09:30:05"]
    assert [row[:3] for row in rows(member, "?kind=signed_in")] == [
        ["2026-11-20T09:30:05Z", COLLEAGUE, "signed_in"],
        ["2026-11-20T09:30:05Z", EMAIL, "signed_in"],
        ["2026-11-20T09:30:00Z", EMAIL, "signed_in"],
    ]


def test_refused_sign_ins_are_gathered_by_hour_and_address(site: Site) -> None:
    site.add_member(COLLEAGUE, Role.READER)
    for number, email in enumerate([EMAIL, EMAIL.upper(), COLLEAGUE, EMAIL]):
        Visitor(site, address=f"192.0.2.{number}").sign_in(email, "wrong password")
    site.clock.advance(hours=1)
    for _ in range(7):
        Visitor(site).sign_in(EMAIL, "wrong password")

    assert in_words(site) == [
        (f"{EMAIL} sign_in_refused", "from 09:00 to 10:00 UTC", 3),
        (f"{COLLEAGUE} sign_in_refused", "from 09:00 to 10:00 UTC", 1),
        (f"{EMAIL} sign_in_refused", "from 10:00 to 11:00 UTC", 7),
    ]
    site.clock.advance(minutes=1)
    member = a_member(site)
    page = text_of(member.get(LOG).text)
    # Not when the hour began, which may be before anybody tried.
    assert f"20 November 2026 {EMAIL} Sign-in refused" in page
    assert "from 09:00 to 10:00 UTC, 3 times" in page
    assert rows(member, f"?person={COLLEAGUE}&kind=sign_in_refused") == [
        ["2026-11-20T09:00:00Z", COLLEAGUE, "sign_in_refused", "", "", "from 09:00 to 10:00 UTC"]
    ]


def test_a_flood_is_written_when_a_member_opens_a_page_or_the_worker_ends(site: Site) -> None:
    for _ in range(30):
        Visitor(site).sign_in(EMAIL, "wrong password")
    assert [entry.times for entry in sign_ins(site)] == [20]

    server.worker_exit(None, SimpleNamespace(wsgi=site.app))
    assert [entry.times for entry in sign_ins(site)] == [30]
    Visitor(site).sign_in(EMAIL, "wrong password")
    a_member(site, OTHER_EMAIL).get(LOG)

    assert [entry.times for entry in sign_ins(site)] == [31]


def test_sign_ins_are_kept_for_400_days(site_on_sqlite: NewSite) -> None:
    site = site_on_sqlite()
    Visitor(site).sign_in(EMAIL, "wrong password")
    a_member(site)
    old = sign_ins(site)
    changes = [entry for entry in site.audit_log() if entry not in old]
    assert old
    a_member(site, OTHER_EMAIL)

    site.clock.advance(hours=400 * 24 - 1)
    a_member(site, OTHER_EMAIL)
    assert sign_ins(site) == old
    site.clock.advance(hours=2)
    a_member(site, OTHER_EMAIL)

    assert list(site.audit_log()) == changes
    assert "wrong" not in site.dump()
    assert "INSERT INTO gathered_entries" not in site.dump()
    assert len(sign_ins(site, OTHER_INSTITUTION)) == 2


def by_the_system(site: Site, email: str) -> dict[str, str]:
    """Return the headers that the first institution's proxy sends."""
    return headers(email, secret_of(site))


def test_sign_ins_by_the_institution_s_system_are_gathered_by_the_minute(
    site_on_sqlite: NewSite,
) -> None:
    """A client that keeps no cookie signs in with each request and must not fill the log."""
    site = site_on_sqlite(sign_in_header="X-Forwarded-Email")
    sent = by_the_system(site, COLLEAGUE)
    for _ in range(70):
        assert Visitor(site).get("/settings/sign-out", headers=sent).status_code == 200
        site.clock.advance(seconds=1)
    browser = Visitor(site)
    for _ in range(3):
        browser.get("/settings/sign-out", headers=sent)

    how = "by the institution's own system"
    assert in_words(site) == [
        (f"{COLLEAGUE} signed_in", how, 60),
        (f"{COLLEAGUE} signed_in", how, 11),
    ]


def test_the_system_s_sign_in_of_another_institution_s_member_is_a_refused_one(
    site_on_sqlite: NewSite,
) -> None:
    site = site_on_sqlite(sign_in_header="X-Forwarded-Email")
    clinic = site.institution_id(OTHER_INSTITUTION)
    elsewhere = "elsewhere@example.org"
    site.container.people().create(OPERATOR, clinic, elsewhere, password=PASSWORD)
    sent = by_the_system(site, elsewhere)
    for _ in range(2):
        assert Visitor(site).get("/settings/password", headers=sent).status_code == 303

    refused = [(f"{elsewhere} sign_in_refused", "from 09:00 to 10:00 UTC", 2)]
    assert in_words(site) == in_words(site, OTHER_INSTITUTION) == refused


@pytest.mark.parametrize(
    ("email", "institution"),
    [
        ("dr@example.com", INSTITUTION),
        (OTHER_EMAIL, OTHER_INSTITUTION),
        ("nobody@example.com", None),
        ("dr@example.com,dr@example.com", None),
    ],
)
def test_the_system_s_sign_in_of_another_domain_is_a_refused_one_of_the_member(
    site_on_sqlite: NewSite, email: str, institution: str | None
) -> None:
    site = site_on_sqlite(sign_in_header="X-Forwarded-Email")
    site.add_member("dr@example.com", Role.READER)
    sent = by_the_system(site, email)
    assert Visitor(site).get("/settings/password", headers=sent).status_code == 303

    assert [name for name in (INSTITUTION, OTHER_INSTITUTION) for _ in sign_ins(site, name)] == (
        [] if institution is None else [institution]
    )


def test_the_log_is_filtered_by_changes_alone_and_by_person_in_any_case(site: Site) -> None:
    member = a_member(site)
    site.new_key("Ward app")
    page = text_of(member.get(f"{LOG}?kind=changes").text)

    assert "Key created" in page
    assert f"{EMAIL} Signed in" not in page
    assert {row[2] for row in rows(member, "?kind=changes")}.isdisjoint(SIGN_INS)
    assert [row[2] for row in rows(member, f"?person={EMAIL.upper()}")] == [Action.SIGNED_IN]
    assert "The log does not show which pages of the catalogue members read." in page
    assert "Sign-ins are kept for 400 days." in page
