"""Sign-in by a proxy that names the user in a header."""

from __future__ import annotations

import logging

import pytest

from evref.domain.accounts.session import MOST_SESSIONS
from evref.domain.audit import SIGN_INS, AuditEntry
from evref.domain.principal import Readers, Role
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
from tests.settings_pages.visitor import Visitor, a_member, fields_of, text_of

ENTRY = "/catalogue/knee-osteoarthritis"
NEW = "new@example.org"
SIGN_OUT = "https://login.example.org/oauth2/sign_out"


@pytest.fixture
def new_site(site_on_sqlite: NewSite) -> NewSite:
    def new_site(**more: object) -> Site:
        site = site_on_sqlite(sign_in_header="X-Forwarded-Email", **more)
        site.add_member(COLLEAGUE, Role.READER)
        return site

    return new_site


@pytest.fixture
def site(new_site: NewSite) -> Site:
    return new_site(sign_out_url=SIGN_OUT)


def secret_of(site: Site, institution: str = INSTITUTION, domain: str = "example.org") -> str:
    made = site.container.manage_institutions().set_sign_in(
        OPERATOR, site.institution_id(institution), domains=[domain]
    )
    assert made is not None
    return made.text


def headers(email: str, secret: str) -> dict[str, str]:
    return {"X-Forwarded-Email": email, "X-Evref-Proxy-Secret": secret}


def who(visitor: Visitor, **sent: str) -> str | None:
    """Return the address of the signed-in member, as the settings show it."""
    answer = visitor.get("/settings/sign-out", headers=sent)
    if answer.status_code != 200:
        return None
    return text_of(answer.text).partition("signed in as ")[2].split(". ")[0].split(" ")[0]


@pytest.mark.parametrize("email", [COLLEAGUE, COLLEAGUE.upper()])
def test_a_member_is_signed_in_without_a_password_on_every_page(site: Site, email: str) -> None:
    sent = headers(email, secret_of(site))
    reader = Visitor(site)

    entry = reader.get(ENTRY, headers=sent)
    cookie = reader.cookie("evref_session")
    again = reader.get(ENTRY, headers=sent)

    assert (entry.status_code, again.status_code) == (200, 200)
    assert "API key" not in entry.text
    assert entry.headers["Cache-Control"] == "private, no-cache"
    assert cookie is not None
    assert reader.cookie("evref_session") == cookie
    assert who(reader, **sent) == COLLEAGUE


def test_an_unknown_address_of_a_domain_becomes_a_reader(site: Site) -> None:
    secret = secret_of(site)

    assert who(Visitor(site), **headers(NEW, secret)) == NEW

    assert site.members()[NEW] is Role.READER
    assert site.audit_log()[1].detail.startswith(f"e-mail {NEW}, role reader, admitted by")


def test_an_invitation_sets_the_role(site: Site) -> None:
    secret = secret_of(site)
    link = site.invite(NEW, Role.ADMIN)

    answer = Visitor(site).get(link, headers=headers(NEW, secret))

    assert (answer.status_code, answer.location) == (303, "/settings/api-keys")
    assert site.members()[NEW] is Role.ADMIN
    assert Visitor(site).get(link).status_code == 404


def test_the_first_sign_in_deletes_the_password_and_its_sessions(site: Site) -> None:
    before = a_member(site)

    assert who(Visitor(site), **headers(EMAIL, secret_of(site))) == EMAIL

    assert who(before) is None
    assert Visitor(site).sign_in(EMAIL, PASSWORD).status_code == 422


def test_a_session_of_the_header_ends_without_it(site: Site) -> None:
    secret = secret_of(site)
    sent = headers(COLLEAGUE, secret)
    reader = Visitor(site)
    assert who(reader, **sent) == COLLEAGUE
    thief = Visitor(site)
    thief.set_cookie("evref_session", str(reader.cookie("evref_session")))

    assert thief.get(ENTRY).status_code == 303
    assert who(reader, **headers(NEW, secret)) == NEW
    assert who(reader) is None


INFO_BUTTON = (
    "/infobutton?mainSearchCriteria.v.dn=knee%20osteoarthritis&knowledgeResponseType=text/html"
)


@pytest.mark.parametrize(
    "path", [INFO_BUTTON, "/catalogue/suggest?q=knee", "/health/x", "/schemas/x", "/nothing"]
)
def test_what_is_no_page_ends_no_session_of_the_header(site: Site, path: str) -> None:
    """A proxy may let such requests through with the cookie, but without or with another header."""
    secret = secret_of(site)
    sent = headers(COLLEAGUE, secret)
    reader = Visitor(site)
    assert who(reader, **sent) == COLLEAGUE
    begun = reader.cookie("evref_session")

    for other in ({}, headers(EMAIL, secret)):
        assert "Set-Cookie" not in reader.get(path, headers=other).headers
    assert who(reader, **sent) == COLLEAGUE
    assert reader.cookie("evref_session") == begun


def forged(site: Site) -> dict[str, dict[str, str]]:
    """Return requests that must sign nobody in, by what is wrong with them."""
    secret = secret_of(site)
    other = secret_of(site, OTHER_INSTITUTION, "example.com")
    return {
        "no secret": {"X-Forwarded-Email": COLLEAGUE},
        "an empty secret": headers(COLLEAGUE, ""),
        "a wrong secret": headers(COLLEAGUE, secret[::-1]),
        "the secret twice": headers(COLLEAGUE, f"{secret},{secret}"),
        "the secret of another institution": headers(COLLEAGUE, other),
        "a member of another institution": headers(OTHER_EMAIL, secret),
        "two addresses": headers(f"{COLLEAGUE},{EMAIL}", secret),
        "an address twice": headers(f"{COLLEAGUE}, {COLLEAGUE}", secret),
        "another domain": headers("new@example.net", secret),
        "a subdomain": headers("new@sub.example.org", secret),
        "a domain that ends like it": headers("new@badexample.org", secret),
        "not ASCII": headers("n\xe9w@example.org", secret),
        "no address": headers("example.org", secret),
        "an address with a name": headers(f"Anna Weber <{COLLEAGUE}>", secret),
        "an address that HTML refuses": headers("new(x)@example.org", secret),
        "another header": {"X-Email": COLLEAGUE, "X-Evref-Proxy-Secret": secret},
    }


def changes(site: Site) -> list[AuditEntry]:
    """Return the entries of the audit log, without sign-ins."""
    return [entry for entry in site.audit_log() if entry.action not in SIGN_INS]


IGNORED = {"no secret", "an empty secret", "a wrong secret", "the secret twice", "another header"}


def test_a_forged_header_signs_nobody_in(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    attacks = forged(site)
    before = (site.members(), site.members(OTHER_INSTITUTION), changes(site))

    with caplog.at_level(logging.WARNING):
        for wrong, sent in attacks.items():
            visitor = Visitor(site)
            assert who(visitor, **sent) is None, wrong
            assert visitor.get(ENTRY, headers=sent).status_code == 303, wrong
            assert visitor.cookie("evref_session") is None, wrong

    assert (site.members(), site.members(OTHER_INSTITUTION), changes(site)) == before
    assert [record.message for record in caplog.records] == [
        "A sign-in header without a valid X-Evref-Proxy-Secret was ignored"
    ]


def test_a_forged_header_beside_a_cookie_changes_nothing(site: Site) -> None:
    for wrong, sent in forged(site).items():
        member = a_member(site)
        expected = EMAIL if wrong in IGNORED else None
        assert who(member, **sent) == expected, wrong


def test_requests_without_a_cookie_leave_few_sessions_and_some_none(site: Site) -> None:
    """A proxy may forward a client that keeps no cookie."""
    sent = headers(COLLEAGUE, secret_of(site))

    visitor = Visitor(site)
    assert visitor.head(ENTRY, headers=sent).status_code == 200
    assert visitor.get("/catalogue/suggest?q=knee", headers=sent).status_code == 200
    assert visitor.cookie("evref_session") is None
    assert 'INTO "sessions"' not in site.dump()

    for _ in range(MOST_SESSIONS + 5):
        Visitor(site).get(ENTRY, headers=sent)
    assert site.dump().count('INSERT INTO "sessions"') == MOST_SESSIONS


def test_a_sign_in_for_an_institution_without_members_is_explained(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    manage = site.container.manage_institutions()
    empty = manage.create_institution(OPERATOR, "Empty")
    secret = manage.set_sign_in(OPERATOR, empty.id, domains=["example.net"])
    assert secret is not None

    with caplog.at_level(logging.WARNING):
        pages = [
            Visitor(site).get("/settings/sign-in", headers=headers("a@example.net", secret.text))
            for _ in range(2)
        ]

    assert "has no members here yet" in pages[0].text
    (said,) = (record.getMessage() for record in caplog.records)
    assert said.endswith("create an admin with evref member create")
    assert "example.net" not in said


def test_a_removed_member_comes_back_as_a_reader(site: Site) -> None:
    """The identity provider decides who may come in; the earlier session has ended."""
    secret, member = secret_of(site), Visitor(site)
    site.add_member(NEW, Role.ADMIN)
    assert who(member, **headers(NEW, secret)) == NEW
    people = site.container.people()
    people.remove(OPERATOR, people.with_email(OPERATOR, NEW).id)

    assert who(member, **headers(NEW, secret)) == NEW
    assert site.members()[NEW] is Role.READER


def test_an_address_of_a_domain_with_a_sign_in_is_of_no_other_institution(site: Site) -> None:
    """Nobody learns whose domain it is."""
    link = site.invite("new@example.com", Role.READER)
    secret_of(site, OTHER_INSTITUTION, "example.com")
    admin = a_member(site)

    for answer in (
        admin.fill_in("/settings/members/invite", email="other@EXAMPLE.com"),
        Visitor(site).fill_in(link, password="a long password", repeated="a long password"),
    ):
        assert answer.status_code == 422
        assert OTHER_INSTITUTION not in answer.text
    assert not any(email.endswith("@example.com") for email in site.members())
    assert admin.fill_in("/settings/members/invite", email="a@sub.example.com").status_code == 201


def test_the_header_opens_no_data_of_the_api(site: Site) -> None:
    sent = headers(COLLEAGUE, secret_of(site))

    for path in ("/api/v1/diagnoses", "/fhir/PlanDefinition"):
        answer = Visitor(site).get(path, headers=sent)
        assert answer.status_code == 401
        assert "Set-Cookie" not in answer.headers


def test_a_reader_has_a_first_page_where_the_catalogue_has_none(new_site: NewSite) -> None:
    site = new_site(catalogue_pages=Readers.OFF)
    reader, sent = Visitor(site), headers(COLLEAGUE, secret_of(site))

    first = reader.get("/settings", headers=sent).location

    assert reader.get(first, headers=sent).status_code == 200


def test_signing_out_leads_to_the_provider(site: Site) -> None:
    sent = headers(COLLEAGUE, secret_of(site))
    reader = Visitor(site)
    page = reader.get("/settings/sign-out", headers=sent)

    answer = reader.send_with(sent, "/settings/sign-out", **fields_of(page.text))

    assert (answer.status_code, answer.location) == (303, SIGN_OUT)
    assert (
        "form-action 'self' https://login.example.org;" in page.headers["Content-Security-Policy"]
    )
    assert reader.cookie("evref_session") is None


def test_without_passwords_there_is_no_form_for_one(new_site: NewSite) -> None:
    site = new_site()
    member = a_member(site)
    closed = Site.__new__(Site)
    closed.__dict__ |= site.__dict__
    closed.settings = site.settings.model_copy(update={"passwords": False})
    closed = closed.in_another_process()
    visitor = Visitor(closed)
    visitor.set_cookie("evref_session", str(member.cookie("evref_session")))
    link = closed.invite(NEW, Role.VIEWER)

    for path in ("/settings/sign-in", link):
        page = visitor.get(path)
        assert page.status_code == 200
        assert 'type="password"' not in page.text
        sent = visitor.send(path, email=EMAIL, password=PASSWORD, repeated=PASSWORD)
        assert 'type="password"' not in sent.text
    assert not visitor.is_signed_in
    reader = headers(COLLEAGUE, secret_of(closed))
    assert Visitor(closed).get("/settings/password", headers=reader).status_code == 404
