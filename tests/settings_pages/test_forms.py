"""Rules for every form: which requests it refuses, and which input it keeps."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from evref.adapters.inbound.pages.settings.blueprint import LONGEST_FORM
from evref.bootstrap.settings import Settings
from evref.domain.accounts.institution import Member
from evref.domain.accounts.invitation import Invitation, InvitationToken
from evref.domain.principal import Role
from evref.ports.accounts import INVITATIONS, MEMBERS
from evref.testing.builders import OPERATOR, a_key
from evref.testing.filling import keep
from tests.settings_pages.site import (
    EMAIL,
    OTHER_EMAIL,
    PASSWORD,
    NewSite,
    Site,
    in_memory,
)
from tests.settings_pages.visitor import Visitor, a_member, fields_of

NEW = "a password that is new"
KEY_ID = "0123456789abcdef"
MEMBER_ID = "123456789abcdef0"
INVITATION_ID = "23456789abcdef01"
TOKEN = InvitationToken.make(1)
INVITATION = f"/settings/invitation/{TOKEN.text}"

FORMS = {
    "/settings/sign-in": {"email": EMAIL, "password": PASSWORD},
    "/settings/sign-out": {},
    "/settings/password": {"present": PASSWORD, "password": NEW, "repeated": NEW},
    "/settings/api-keys/new": {"name": "New", "permission": "read"}
    | {"daily_limit": "1000", "expiry": "30", "expires_on": ""},
    f"/settings/api-keys/{KEY_ID}": {"name": "Renamed", "permission": "none", "daily_limit": "5"}
    | {"expiry": "date", "expires_on": "2027-12-31"},
    f"/settings/api-keys/{KEY_ID}/rotate": {"keep_old_for": "1"},
    f"/settings/api-keys/{KEY_ID}/end-previous": {},
    f"/settings/api-keys/{KEY_ID}/revoke": {},
    "/settings/members/invite": {"email": "new@example.org", "role": "viewer"},
    f"/settings/members/{MEMBER_ID}": {"role": "admin"},
    f"/settings/members/{MEMBER_ID}/remove": {},
    f"/settings/members/invitations/{INVITATION_ID}/revoke": {},
    INVITATION: {"password": NEW, "repeated": NEW},
}

OTHERS = ["/settings", "/settings/api-keys", "/settings/members", "/settings/audit-log"]


def site_with_forms(settings: Settings) -> Site:
    """Return a site with a resource for each form, under known ids."""
    site = Site(settings)
    institution = site.institution_id()
    with site.container.storage().changes(OPERATOR, site.clock.now()) as changes:
        changes.keys.add(a_key(KEY_ID, institution_id=institution))
    site.container.manage_keys().rotate(OPERATOR, KEY_ID, keep_old_for=timedelta(hours=1))
    member = Member(
        MEMBER_ID, institution, "nurse@example.org", Role.VIEWER, "$quick$", site.clock.now()
    )
    invitation = Invitation(
        id=INVITATION_ID,
        institution_id=institution,
        email="invited@example.org",
        role=Role.VIEWER,
        digest=TOKEN.digest,
        invited_by="operator",
        inviter_id=None,
        created_at=site.clock.now(),
    )
    keep(site.container.storage(), MEMBERS, member)
    keep(site.container.storage(), INVITATIONS, invitation)
    return site


@pytest.fixture
def site() -> Site:
    return site_with_forms(in_memory())


def someone(site: Site, path: str) -> Visitor:
    """Return who fills in this form: a member, or a visitor who is not signed in."""
    is_public = path in {"/settings/sign-in", INVITATION}
    return Visitor(site, https=True) if is_public else a_secure_member(site)


def test_these_are_all_the_forms_that_there_are(site: Site) -> None:
    paths = {
        rule.rule.replace("<key_id>", KEY_ID)
        .replace("<member_id>", MEMBER_ID)
        .replace("<invitation_id>", INVITATION_ID)
        .replace("<token>", TOKEN.text)
        for rule in site.app.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and not rule.rule.endswith(("/_search", "/infobutton"))
    }

    assert paths == set(FORMS)


@pytest.mark.parametrize("path", FORMS)
def test_a_form_without_its_token_changes_nothing(site: Site, path: str) -> None:
    member = someone(site, path)
    of_another_browser = fields_of(Visitor(site).get("/settings/sign-in").text)["csrf_token"]
    changed = fields_of(member.get(path).text)["csrf_token"] + "x"
    before = (site.audit_log(), member.cookie("evref_session"))

    for token in (None, "", "x", of_another_browser, changed):
        sent = FORMS[path] if token is None else FORMS[path] | {"csrf_token": token}
        answer = member.send(path, **sent)

        assert answer.status_code == 400
        assert "Nothing was changed." in answer.text
        assert (site.audit_log(), member.cookie("evref_session")) == before
        shown = fields_of(answer.text)
        for name, value in FORMS[path].items():
            assert shown[name] == ("" if value in (PASSWORD, NEW) else value)

    assert member.send(path, **(shown | FORMS[path])).status_code in {201, 303}


def test_a_form_from_before_the_sign_in_or_of_another_session_is_refused(site: Site) -> None:
    """So a form cookie that an attacker has set is useless."""
    member, elsewhere = Visitor(site), a_member(site)
    planted = fields_of(member.get("/settings/sign-in").text)["csrf_token"]
    other = fields_of(elsewhere.get("/settings/api-keys/new").text)["csrf_token"]
    member.sign_in()

    for path, fields in FORMS.items():
        before_sign_in = member.send(path, **(fields | {"csrf_token": planted}))
        assert before_sign_in.status_code == (409 if path == INVITATION else 400)
    member.set_cookie("evref_forms", str(elsewhere.cookie("evref_forms")))
    for path, fields in FORMS.items():
        of_another_session = member.send(path, **(fields | {"csrf_token": other}))
        assert of_another_session.status_code == (409 if path == INVITATION else 400)


def test_what_belongs_to_another_institution_is_not_there(site: Site) -> None:
    """The response is that of a key, member or invitation that does not exist."""
    stranger = Visitor(site, https=True)
    stranger.sign_in(OTHER_EMAIL)
    token = fields_of(stranger.get("/settings/password").text)["csrf_token"]
    before = (site.audit_log(), site.members(), site.container.storage().keys.list())

    for path in (path for path in FORMS if re.search("/[0-9a-f]{16}", path)):
        for there in (path, re.sub("[0-9a-f]{16}", "f" * 16, path)):
            got = stranger.get(there)
            sent = stranger.send(there, **FORMS[path] | {"csrf_token": token})
            gone = (303, "/settings/members") if "/invitations/" in path else (404, None)
            assert [(answer.status_code, answer.location) for answer in (got, sent)] == [gone] * 2
            assert not re.search("Ward app|@example.org", got.text + sent.text)
    assert (site.audit_log(), site.members(), site.container.storage().keys.list()) == before


FROM_ELSEWHERE: list[dict[str, str]] = [
    {"Origin": "https://evil.example"},
    {"Origin": "https://evref.example.org.evil.example"},
    {"Origin": "https://evref.example.org:8443"},
    {"Origin": "ftp://evref.example.org"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "https://[::1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "{base_url}"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "none", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "null", "Host": "null"},
    {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example", "Host": "example"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://here.example", "Host": "here.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://here.example", "Host": "here.example"},
    {"Origin": "https://evil.example", "Host": "evil.example"},
]


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:8000", "https://evref.example.org"])
def test_a_form_that_another_site_sent_is_refused(base_url: str) -> None:
    """A valid token does not help, and neither does a Host header."""
    site = site_with_forms(in_memory(base_url=base_url))
    members = {path: someone(site, path) for path in FORMS}
    before = site.audit_log()

    for path, member in members.items():
        fields = fields_of(member.get(path).text) | FORMS[path]
        for headers in FROM_ELSEWHERE:
            sent = {name: value.format(base_url=base_url) for name, value in headers.items()}
            answer = member.send_with(sent, path, **fields)

            assert answer.status_code == 403, sent
            assert "Nothing was changed." in answer.text
            assert base_url in answer.text
    assert site.audit_log() == before


@pytest.mark.parametrize(
    ("base_url", "headers"),
    [
        ("https://evref.example.org", {"Origin": "https://evref.example.org"}),
        ("http://127.0.0.1:8000", {"Origin": "http://127.0.0.1:8000"}),
        ("http://127.0.0.1:8000", {"Sec-Fetch-Site": "same-origin"}),
        ("http://127.0.0.1:8000", {"Sec-Fetch-Site": "none"}),
        (
            "http://127.0.0.1:8000",
            {
                "Sec-Fetch-Site": "same-origin",
                "Origin": "http://localhost:8000",
                "Host": "localhost:8000",
            },
        ),
        # Through a proxy that sends on another host than the browser did.
        (
            "https://evref.example.org",
            {"Sec-Fetch-Site": "same-origin", "Origin": "https://evref.example.org"},
        ),
        ("http://127.0.0.1:8000", {}),
    ],
)
def test_a_form_of_these_pages_is_taken(base_url: str, headers: dict[str, str]) -> None:
    """The page's origin may be the operator's address or the browser's, or be missing."""
    site = Site(in_memory(base_url=base_url))
    member = a_secure_member(site)
    fields = fields_of(member.get("/settings/api-keys/new").text) | {"name": "New"}

    assert member.send_with(headers, "/settings/api-keys/new", **fields).status_code == 201


def a_secure_member(site: Site) -> Visitor:
    """Return a member whose browser keeps cookies that need https."""
    member = Visitor(site, https=True)
    assert member.sign_in().status_code == 303
    return member


def test_what_no_browser_sends_is_refused(site: Site) -> None:
    member, client = a_member(site), site.app.test_client()
    for path, fields in FORMS.items():
        long = member.send(path, **(fields | {"csrf_token": "x" * LONGEST_FORM}))
        assert long.status_code == 413

        for kind in ("application/json", "multipart/form-data", "text/plain"):
            assert client.post(path, data="0", content_type=kind).status_code == 415

        for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
            answer = client.open(path, method=method)
            assert answer.status_code == 405
            assert answer.headers["Allow"] == "GET, HEAD, POST"


def test_head_is_get_without_the_body(site: Site) -> None:
    member = a_member(site)
    for path in (*FORMS, *OTHERS):
        got, head = member.get(path), member.head(path)

        assert head.data == b""
        assert (head.status, head.content_type) == (got.status, got.content_type)


@pytest.mark.parametrize("signed_in", [True, False])
def test_no_page_is_kept_by_anyone(site: Site, signed_in: bool) -> None:
    visitor = a_member(site) if signed_in else Visitor(site)
    for path in (*FORMS, *OTHERS, "/settings/invitation/none", "/settings/none"):
        answer = visitor.get(path)

        policy = answer.headers["Content-Security-Policy"]
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in policy
        assert "form-action 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        ids = re.findall(r'\bid="([^"]+)"', answer.text)
        assert len(set(ids)) == len(ids)
        assert " style=" not in answer.text
        assert "<script>" not in answer.text


def test_storage_out_of_reach_is_told_on_a_page(site_on_sqlite: NewSite, tmp_path: Path) -> None:
    site = site_on_sqlite()
    visitors = [a_member(site), Visitor(site), Visitor(site.in_another_process())]
    site.close()
    (tmp_path / "evref.sqlite").unlink()
    (tmp_path / "evref.sqlite").mkdir()

    for visitor in visitors[::2]:
        answer = visitor.get("/settings/api-keys")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
        assert str(tmp_path) not in answer.text
    answer = visitors[1].sign_in()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
