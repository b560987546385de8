"""The section Members: who sees, invites, changes and removes whom."""

import re
from html import unescape

import pytest

from evref.domain.principal import Role
from evref.testing.builders import OPERATOR
from tests.settings_pages.site import (
    COLLEAGUE,
    EMAIL,
    OTHER_EMAIL,
    Site,
)
from tests.settings_pages.visitor import Visitor, a_member, fields_of, text_of

MEMBERS = "/settings/members"
INVITE = f"{MEMBERS}/invite"


def link_on(page: str) -> str:
    """Return the link of the invitation that the page shows."""
    (link,) = re.findall(r'id="link" class="secret">([^<]*)<', page)
    return unescape(str(link))


def id_of(site: Site, email: str) -> str:
    return str(site.container.people().with_email(OPERATOR, email).id)


def invitation_ids(site: Site) -> list[str]:
    institution = site.institution_id()
    invitations = site.container.people().invitations(OPERATOR, institution)
    return [invitation.id for invitation in invitations]


def test_the_list_shows_who_is_what_since_when(site: Site, member: Visitor) -> None:
    site.clock.advance(hours=2)
    site.add_member(COLLEAGUE, Role.VIEWER)
    site.clock.advance(days=0.3)

    text = text_of(member.get(MEMBERS).text)

    assert f"{COLLEAGUE} Viewer today (20 November 2026) Change or remove {COLLEAGUE}" in text
    assert f"{EMAIL} (you) Admin today (20 November 2026) Change or remove" in text
    assert OTHER_EMAIL not in text


def test_many_members_are_in_pages_of_fifty_with_a_search(site: Site, member: Visitor) -> None:
    for number in range(50):
        site.add_member(f"reader-{number:02}@example.org", Role.READER)

    first, second, matching = (
        text_of(member.get(f"{MEMBERS}{query}").text) for query in ("", "?page=2", "?q=READER-49")
    )

    assert "51 members, by e-mail address." in first
    assert [text.count(" Change or remove ") for text in (first, second, matching)] == [50, 1, 1]
    assert "Page 1 of 2" in first
    assert f"{EMAIL} (you) Admin" in second
    assert "1 found. Show all members" in matching


def test_an_invitation_is_a_link_that_is_shown_once(site: Site, member: Visitor) -> None:
    """The link starts with the operator's address, not with the Host header's."""
    form = fields_of(member.get(INVITE).text)
    assert form["role"] == "reader"

    answer = member.send_with(
        {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example"},
        INVITE,
        **(form | {"email": f" {COLLEAGUE.upper()}", "role": "admin"}),
    )

    link = link_on(answer.text)
    token = link.rsplit("/", 1)[1]
    assert answer.status_code == 201
    assert link.startswith(f"{site.settings.base_url}/settings/invitation/")
    assert "evil.example" not in answer.text
    assert "until 27 November 2026, 09:30 UTC (in 7 days)" in text_of(answer.text)
    page = member.get(MEMBERS).text
    assert f"{COLLEAGUE} Admin {EMAIL} just now" in text_of(page)
    for path in (MEMBERS, INVITE, "/settings/audit-log"):
        assert token not in member.get(path).text


def test_all_that_is_wrong_with_an_invitation_is_told_at_once(site: Site, member: Visitor) -> None:
    answer = member.fill_in(INVITE, email="nobody", role="owner")

    assert answer.status_code == 422
    assert "E-mail address must be an e-mail address of at most 254 characters" in answer.text
    assert "Choose a role." in answer.text
    assert fields_of(answer.text)["email"] == "nobody"
    assert "Enter the e-mail address of your colleague." in member.fill_in(INVITE, email=" ").text
    assert "This person is already a member." in member.fill_in(INVITE, email=EMAIL).text
    assert invitation_ids(site) == []


def test_a_form_that_is_sent_again_replaces_the_link(site: Site, member: Visitor) -> None:
    """Otherwise a forgotten link would stay valid."""
    fields = fields_of(member.get(INVITE).text) | {"email": COLLEAGUE}
    first, second = (link_on(member.send(INVITE, **fields).text) for _ in range(2))

    assert Visitor(site).get(path_of(first)).status_code == 404
    assert Visitor(site).get(path_of(second)).status_code == 200
    assert len(invitation_ids(site)) == 1


def test_a_revoked_invitation_no_longer_works(site: Site, member: Visitor) -> None:
    path = site.invite()
    revoke = f"{MEMBERS}/invitations/{invitation_ids(site)[0]}/revoke"
    fields = fields_of(member.get(revoke).text)
    assert Visitor(site).get(path).status_code == 200

    answer = member.send(revoke, **fields)

    assert (answer.status_code, answer.location) == (303, MEMBERS)
    assert f"The invitation of {COLLEAGUE} is revoked." in member.get(MEMBERS).text
    assert Visitor(site).get(path).status_code == 404
    for is_form in (True, False):
        again = member.send(revoke, **fields) if is_form else member.get(revoke)
        assert again.location == MEMBERS
        assert "was already used, revoked or replaced" in member.get(MEMBERS).text


def test_a_role_is_changed_at_once_and_in_the_log(site: Site, member: Visitor) -> None:
    site.add_member(COLLEAGUE, Role.VIEWER)
    colleague = a_member(site, COLLEAGUE)
    path = f"{MEMBERS}/{id_of(site, COLLEAGUE)}"
    assert colleague.get(INVITE).status_code == 403

    answer = member.fill_in(path, role="admin")

    assert (answer.status_code, answer.location) == (303, MEMBERS)
    assert f"{COLLEAGUE} is now an admin, and is signed out everywhere." in member.get(MEMBERS).text
    assert not colleague.is_signed_in
    assert a_member(site, COLLEAGUE).get(INVITE).status_code == 200
    log = text_of(member.get("/settings/audit-log").text)
    assert f"{EMAIL} Member role changed" in log
    assert f"e-mail {COLLEAGUE}, role from viewer to admin" in log


def test_a_role_that_stays_is_no_change(site: Site, member: Visitor) -> None:
    site.add_member(COLLEAGUE, Role.VIEWER)
    before = site.audit_log()

    member.fill_in(f"{MEMBERS}/{id_of(site, COLLEAGUE)}", role="viewer")

    assert "Nothing was changed." in member.get(MEMBERS).text
    assert site.audit_log() == before


def test_a_removed_member_is_out_at_once(site: Site, member: Visitor) -> None:
    site.add_member(COLLEAGUE, Role.ADMIN)
    colleague = a_member(site, COLLEAGUE)
    fields = fields_of(colleague.get("/settings/api-keys/new").text) | {"name": "Mine"}
    remove = f"{MEMBERS}/{id_of(site, COLLEAGUE)}/remove"
    assert f"Remove {COLLEAGUE}?" in member.get(remove).text

    answer = member.fill_in(remove)

    assert (answer.status_code, answer.location) == (303, MEMBERS)
    assert f"{COLLEAGUE} is removed" in member.get(MEMBERS).text
    assert not colleague.is_signed_in
    assert colleague.send("/settings/api-keys/new", **fields).location.startswith(
        "/settings/sign-in"
    )
    assert Visitor(site).sign_in(COLLEAGUE).status_code == 422
    assert site.container.manage_keys().list_all(OPERATOR) == ()
    assert site.members() == {EMAIL: Role.ADMIN}


@pytest.mark.parametrize("domain", ["example.org", "elsewhere.example"])
def test_who_removes_a_member_learns_whether_they_can_come_back(
    site: Site, member: Visitor, domain: str
) -> None:
    """The institution's own sign-in system may let them in again."""
    site.add_member(COLLEAGUE, Role.VIEWER)
    of = site.institution_id()
    site.container.manage_institutions().set_sign_in(OPERATOR, of, domains=(domain,))

    text = text_of(member.get(f"{MEMBERS}/{id_of(site, COLLEAGUE)}/remove").text)

    can_come_back = "can sign in again as a reader while your sign-in system lets them in" in text
    assert can_come_back == COLLEAGUE.endswith(domain)
    assert ("can no longer sign in" in text) == (not can_come_back)


def test_the_last_admin_stays_one(site: Site, member: Visitor) -> None:
    site.add_member(COLLEAGUE, Role.VIEWER)
    path = f"{MEMBERS}/{id_of(site, EMAIL)}"
    token = fields_of(member.get(INVITE).text)["csrf_token"]
    page = member.get(path).text
    assert "You are the only admin of General Hospital." in text_of(page)
    assert "Save the role" not in page
    assert "/remove" not in page
    before = site.audit_log()

    for sent in (path, f"{path}/remove"):
        answer = member.send(sent, csrf_token=token, role="viewer")
        assert (answer.status_code, answer.location) == (303, path)
        assert "Make somebody else an admin first." in member.get(path).text

    assert member.get(f"{path}/remove").location == path
    assert site.audit_log() == before
    assert site.members()[EMAIL] is Role.ADMIN


def test_a_member_who_leaves_is_signed_out(site: Site, member: Visitor) -> None:
    site.add_member(COLLEAGUE, Role.ADMIN)

    answer = member.fill_in(f"{MEMBERS}/{id_of(site, EMAIL)}/remove")

    assert answer.location == "/settings/sign-in"
    assert "You have left General Hospital." in member.get(answer.location).text
    assert member.cookie("evref_session") is None
    assert site.members() == {COLLEAGUE: Role.ADMIN}


def path_of(link: str) -> str:
    return link[link.index("/settings/") :]
