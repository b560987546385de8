"""Signing in and out with a password."""

from base64 import b64decode
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from evref.bootstrap.settings import Settings
from tests.settings_pages.site import EMAIL, PASSWORD, NewSite, Site, in_memory
from tests.settings_pages.visitor import Visitor, a_member, fields_of

KEYS = "/settings/api-keys"
WRONG = "The e-mail address or the password is incorrect."


def test_a_member_signs_in_and_sees_the_keys(site: Site) -> None:
    visitor = Visitor(site)

    answer = visitor.sign_in(f"  {EMAIL.upper()} ")

    assert (answer.status_code, answer.location) == (303, KEYS)
    page = visitor.get(KEYS).text
    assert "General Hospital" in page
    assert EMAIL in page


@pytest.mark.parametrize(
    "page",
    [
        *("", "/api-keys/new", "/password", "/audit-log?kind=key_created&person=desk"),
        *("/api-keys?sort=name&page=2", "/members?q=a%26b"),
    ],
)
def test_every_page_leads_to_the_sign_in_and_back_with_its_query(site: Site, page: str) -> None:
    visitor = Visitor(site)

    answer = visitor.get(f"/settings{page}")

    assert answer.status_code == 303
    assert urlsplit(answer.location).path == "/settings/sign-in"
    assert parse_qs(urlsplit(answer.location).query) == {"next": [f"/settings{page}"]}
    signed_in = visitor.sign_in(onwards=quote(f"/settings{page}"))
    assert parse_qs(urlsplit(signed_in.location).query) == parse_qs(urlsplit(page).query)
    assert urlsplit(signed_in.location).path == f"/settings{urlsplit(page).path}"


@pytest.mark.parametrize("name", ["_external=1", "_anchor=x", "_scheme=ftp", "other=1"])
def test_the_sign_in_drops_what_is_not_a_parameter_of_the_settings(site: Site, name: str) -> None:
    """Some names would otherwise change the address itself."""
    onwards = quote(f"/settings/audit-log?{name}&person=desk")

    location = Visitor(site).sign_in(onwards=onwards).location

    assert location == "/settings/audit-log?person=desk"


def test_the_form_of_an_ended_session_saves_nothing(site: Site, member: Visitor) -> None:
    new = f"{KEYS}/new"
    fields = fields_of(member.get(new).text) | {"name": "Ward tablet"}
    site.clock.advance(hours=12)

    for ended in (True, False):
        answer = member.send(new, **fields)

        assert answer.location == f"/settings/sign-in?next={new}"
        begins = "Your session ended." if ended else "You are not signed in."
        assert f"{begins} Nothing was saved." in member.get(answer.location).text
        assert member.sign_in(onwards=new).location == new
        assert fields_of(member.get(new).text)["name"] == ""
        member.fill_in("/settings/sign-out")


def test_the_sign_in_leads_nowhere_else(site: Site) -> None:
    for onwards in (
        "https://evil.example",
        "//evil.example/settings/password",
        "/\\evil.example",
        "\\\\evil.example",
        "https:settings/password",
        "javascript:alert(1)",
        "/settings/../evil",
        "/settings/password%0d%0aSet-Cookie:%20a=b",
        "/settings/password/",
        "/settings/sign-in",
        "/static/settings.00000000.css",
        "/docs",
        "/api/v1/diagnoses",
        "@evil.example",
        "//evil.example/catalogue",
        "/\\evil.example/catalogue",
        "/catalogue/../../evil",
        "/catalogue/",
        "/catalogue/a/b",
        "%00",
        "/settings/invitation/x",
        "/settings/invitation/x?a=b",
    ):
        assert Visitor(site).sign_in(onwards=onwards).location == KEYS


def test_a_signed_in_member_is_redirected_from_the_sign_in(member: Visitor) -> None:
    answer = member.get("/settings/sign-in?next=/settings/password")

    assert (answer.status_code, answer.location) == (303, "/settings/password")


@pytest.mark.parametrize(
    ("email", "password"),
    [
        (EMAIL, "wrong password"),
        ("nobody@example.org", PASSWORD),
        ("\x00@example.org", "\x00"),
        ("a" * 5000 + "@example.org", "b" * 5000),
    ],
)
def test_wrong_credentials_are_refused_in_the_same_words(
    site: Site, email: str, password: str
) -> None:
    """So nobody learns who is a member; the password is not shown again."""
    visitor = Visitor(site)

    answer = visitor.sign_in(email, password)

    assert answer.status_code == 422
    assert WRONG in answer.text
    assert not visitor.is_signed_in
    assert visitor.cookie("evref_session") is None
    assert site.passwords.verified == 1
    if len(password) > 8:
        assert password not in answer.text


def test_guesses_are_slowed(site: Site) -> None:
    visitor = Visitor(site)
    for number in range(6):
        visitor.sign_in(password=f"guess {number}")

    right = visitor.sign_in()

    assert (right.status_code, right.headers["Retry-After"]) == (429, "5")
    assert "Try again in 5 seconds." in right.text
    assert not visitor.is_signed_in


def test_too_many_at_once_are_asked_to_come_back(site: Site) -> None:
    with site.busy():
        answer = Visitor(site).sign_in()

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert "Too many people are signing in at once. Try again in a few seconds." in answer.text


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ("none", 303),
        ("signed by another", 429),
        ("cut", 429),
        ("not signed", 429),
        ("another cookie", 429),
    ],
)
def test_only_a_device_that_is_signed_is_known(site: Site, change: str, status: int) -> None:
    """The signed cookie of forms is not accepted in its place."""
    member = a_member(site)
    device = str(member.cookie("evref_device"))
    payload, _, signature = device.partition(".")
    member.fill_in("/settings/sign-out")
    planted = {
        "none": device,
        "signed by another": f"{payload}.{signature[::-1]}",
        "cut": device[:-1],
        "not signed": payload,
        "another cookie": str(member.cookie("evref_forms")),
    }
    for _ in range(6):
        Visitor(site).sign_in(password="wrong password")

    member.set_cookie("evref_device", planted[change])

    assert member.sign_in().status_code == status


@pytest.mark.parametrize(("proxies", "expected"), [(0, 429), (1, 422)])
def test_the_address_is_the_one_that_the_operator_s_proxies_send(
    proxies: int, expected: int
) -> None:
    site = Site(in_memory(proxies=proxies))

    for number in range(21):
        visitor = Visitor(site, forwarded_for=f"203.0.113.{number}")
        answer = visitor.sign_in(f"member{number}@example.org")

    assert answer.status_code == expected


def test_signing_out_ends_the_session_for_a_copied_cookie_too(site: Site) -> None:
    """The session ends on the server."""
    member, thief = a_member(site), Visitor(site)
    thief.set_cookie("evref_session", str(member.cookie("evref_session")))
    assert thief.is_signed_in

    answer = member.fill_in("/settings/sign-out")

    assert (answer.status_code, answer.location) == (303, "/settings/sign-in")
    assert member.cookie("evref_session") is None
    assert "You are signed out." in member.get("/settings/sign-in").text
    assert not thief.is_signed_in


def test_a_changed_password_ends_all_other_sessions(site: Site) -> None:
    member, elsewhere, thief = a_member(site), a_member(site), Visitor(site)
    thief.set_cookie("evref_session", str(member.cookie("evref_session")))

    answer = member.fill_in(
        "/settings/password",
        present=PASSWORD,
        password="a new long password",
        repeated="a new long password",
    )

    assert (answer.status_code, answer.location) == (303, "/settings/password")
    assert "Password changed." in member.get("/settings/password").text
    assert member.is_signed_in
    assert not elsewhere.is_signed_in
    assert not thief.is_signed_in
    assert Visitor(site).sign_in().status_code == 422
    assert Visitor(site).sign_in(password="a new long password").status_code == 303
    (entry,) = (entry for entry in site.audit_log() if entry.action == "password_changed")
    assert (entry.actor, entry.key_id) == (EMAIL, None)


@pytest.mark.parametrize(
    ("base_url", "secure"),
    [("http://127.0.0.1:8000", False), ("HTTPS://EVREF.example.org", True)],
)
def test_cookies_are_for_pages_alone(base_url: str, secure: bool) -> None:
    settings = Settings.model_validate({"storage": "memory", "base_url": base_url})
    visitor = Visitor(Site(settings))
    form = visitor.get("/settings/sign-in")

    answer = visitor.sign_in()

    cookies = form.headers.getlist("Set-Cookie") + answer.headers.getlist("Set-Cookie")
    prefix = "__Host-" if secure else ""
    assert {cookie.split("=")[0] for cookie in cookies} == {
        f"{prefix}evref_session",
        f"{prefix}evref_device",
        f"{prefix}evref_forms",
    }
    for cookie in cookies:
        flags = {part.strip() for part in cookie.split(";")[1:]}
        assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= flags
        assert ("Secure" in flags) is secure
        assert not any(flag.startswith("Domain") for flag in flags)
        assert (f"Max-Age={180 * 24 * 3600}" in flags) is ("evref_device" in cookie)
        assert EMAIL not in _decoded(cookie)


def _decoded(cookie: str) -> str:
    """Return the content of a cookie, which anyone with the browser can read."""
    payload = cookie.partition("=")[2].partition(".")[0]
    return b64decode(payload + "==", altchars="-_").decode(errors="replace")


def test_no_answer_outside_the_settings_sets_a_cookie(site: Site) -> None:
    """The API, the health checks and static files do not even read cookies."""
    visitor = a_member(site)
    visitor.set_cookie("evref_key", site.new_key().token.text)

    for path in ("/", "/docs", "/catalogue", "/catalogue/nothing", "/evidence", "/nothing"):
        assert "Set-Cookie" not in visitor.get(path).headers
    for path in ("/health/live", "/api/v1/diagnoses", "/static/settings.00000000.js"):
        answer = visitor.get(path, buffered=True)
        assert "Set-Cookie" not in answer.headers
        assert "Cookie" not in answer.headers.get("Vary", "")
        assert answer.status_code == (401 if path.startswith("/api") else 200)


def test_a_secret_that_the_operator_sets_signs_the_forms() -> None:
    sites = [Site(in_memory(secret_key=letter * 32)) for letter in "aab"]
    visitors = [Visitor(site) for site in sites]
    page = visitors[0].get("/settings/sign-in")
    fields = fields_of(page.text) | {"email": EMAIL, "password": PASSWORD}
    for visitor in visitors[1:]:
        visitor.set_cookie("evref_forms", str(visitors[0].cookie("evref_forms")))

    assert visitors[1].send("/settings/sign-in", **fields).status_code == 303
    assert visitors[2].send("/settings/sign-in", **fields).status_code == 400


def test_without_a_secret_set_all_processes_share_the_one_in_storage(
    site_on_sqlite: NewSite,
) -> None:
    """So processes accept each other's forms and sessions."""
    site = site_on_sqlite()
    here, there = Visitor(site), Visitor(site.in_another_process())
    fields = fields_of(here.get("/settings/sign-in").text)
    there.set_cookie("evref_forms", str(here.cookie("evref_forms")))

    answer = there.send("/settings/sign-in", **(fields | {"email": EMAIL, "password": PASSWORD}))

    here.set_cookie("evref_session", str(there.cookie("evref_session")))
    assert answer.status_code == 303
    assert here.is_signed_in
    assert there.is_signed_in
