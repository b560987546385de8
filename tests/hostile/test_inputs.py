"""The settings pages accept or reject any cookie, form or body."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evref.bootstrap.settings import Settings, StorageKind
from tests.hostile.examples import quick
from tests.settings_pages.site import EMAIL, Site
from tests.settings_pages.visitor import Visitor, a_member, fields_of

HEADER = st.text(st.characters(min_codepoint=1, max_codepoint=255), max_size=60).map(
    lambda text: text.replace("\r", "").replace("\n", "")
)
PAGES = ["", "/sign-in", "/sign-out", "/password", "/api-keys", "/api-keys/new", "/audit-log"]
PAGES += ["/members", "/members/invite"]
PAGES_OF_ONE = ["/api-keys/0123456789abcdef", "/members/0123456789abcdef", "/invitation/x"]
ANSWERED = {200, 201, 303, 400, 404, 405, 422, 429}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with closing(Site(Settings(storage=StorageKind.MEMORY))) as site:
        yield site


@pytest.fixture(scope="module")
def member(site: Site) -> Visitor:
    return a_member(site)


@quick
@given(session=HEADER, signed=HEADER, page=st.sampled_from(PAGES))
@example(session="", signed=".eJyrVspMUbJSMlCqBQAM7wI0.a.b", page="")
@example(session="0" * 64, signed="." * 4000, page="/sign-in")
def test_no_invented_cookie_gives_access(site: Site, session: str, signed: str, page: str) -> None:
    """All cookies are sent together."""
    cookies = f"evref_session={session}; evref_forms={signed}; evref_device={signed}"
    answer = site.app.test_client(use_cookies=False).get(
        f"/settings{page}", headers={"Cookie": cookies}
    )

    assert answer.status_code == (200 if page == "/sign-in" else 303)
    assert EMAIL not in answer.text


TYPED = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
FIELDS = st.dictionaries(
    st.sampled_from(
        ["name", "role", "permission", "daily_limit", "expiry", "expires_on", "keep_old_for"]
    )
    | st.sampled_from(["id", "current", "email", "next"])
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=10),
    TYPED
    | st.sampled_from(["read", "0", "9" * 400, "-1", "٣", "2026-02-30", "0001-01-01", "9999-12-31"])
    | st.sampled_from(["date", "keep", "1,000", "24"]),
    max_size=6,
)


@quick
@given(page=st.sampled_from([*PAGES, *PAGES_OF_ONE]), fields=FIELDS)
@example(page="/members/invite", fields={"email": "a@b.org", "role": "owner"})
@example(page="/api-keys/new", fields={"name": "a", "daily_limit": "1" * 5000})
@example(page="/api-keys/new", fields={"name": "a", "id": "../../x"})
@example(page="/api-keys/new", fields={"name": "a\x00b"})
def test_any_form_is_accepted_or_shown_again(
    site: Site, member: Visitor, page: str, fields: dict[str, str]
) -> None:
    """The member is signed in and the form has its token, so that every field is checked."""
    path = f"/settings{page}"
    whole = fields_of(member.get("/settings/api-keys/new").text) | fields

    answer = member.send(path, **whole)

    assert answer.status_code in ANSWERED
    assert "<script>" not in answer.text


@quick
@given(body=st.binary(max_size=300), kind=st.sampled_from(
    ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data",
     "application/json", "text/plain; charset=utf-7", "", "a/b; boundary=" + "x" * 300]
))  # fmt: skip
@example(body=b"--x\r\nContent-Disposition: form-data; name*=utf-8''%ff\r\n\r\n", kind="a/b")
@example(body=b"0", kind="application/json")
@example(body=b"{", kind="application/problem+json")
@example(body=b"&" * 300, kind="application/x-www-form-urlencoded")
def test_any_body_is_rejected(site: Site, body: bytes, kind: str) -> None:
    """The body need not match its content type."""
    answer = site.app.test_client().post("/settings/sign-in", data=body, content_type=kind)

    assert answer.status_code in {400, 413, 415}
