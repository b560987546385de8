"""The page that an invitation's link opens."""

import re

import pytest

from evref.domain.principal import Role
from evref.testing.builders import OPERATOR
from tests.settings_pages.site import COLLEAGUE, Site
from tests.settings_pages.visitor import Visitor, fields_of, text_of

CHOSEN = "a password that I chose"
WANTED = {"password": CHOSEN, "repeated": CHOSEN}
UNUSABLE = "This invitation cannot be used"


def test_the_page_says_who_invites_whom_to_what(site: Site) -> None:
    text = text_of(Visitor(site).get(site.invite(role=Role.ADMIN)).text)

    assert "Join General Hospital" in text
    assert "The operator of this service invites you to be an admin" in text
    assert f"Your e-mail address {COLLEAGUE} Role Admin" in text
    assert "27 November 2026, 09:30 UTC (in 7 days)" in text


def test_who_chooses_a_password_is_a_member_and_signed_in(site: Site) -> None:
    visitor = Visitor(site)

    answer = visitor.fill_in(site.invite(), **WANTED)

    assert (answer.status_code, answer.location) == (303, "/settings/api-keys")
    page = text_of(visitor.get(answer.location).text)
    assert "Welcome. You are now a member." in page
    assert f"{COLLEAGUE} General Hospital · viewer" in page
    assert Visitor(site).sign_in(COLLEAGUE, CHOSEN).status_code == 303
    (entry,) = (entry for entry in site.audit_log() if entry.action == "member_joined")
    assert entry.actor == COLLEAGUE
    assert "invited by operator" in entry.detail


@pytest.mark.parametrize("reason", ["used", "revoked", "expired", "inviter removed", "unknown"])
def test_a_link_that_cannot_be_used_says_so_and_no_more(site: Site, reason: str) -> None:
    members = site.container.people()
    inviter = site.add_member("inviter@example.org", Role.ADMIN)
    invitation, token = members.invite(
        inviter.principal, inviter.institution_id, email=COLLEAGUE, role=Role.ADMIN
    )
    path = f"/settings/invitation/{token.text}"
    visitor = Visitor(site)
    fields = fields_of(visitor.get(path).text) | WANTED
    if reason == "used":
        site.container.people().accept(token.text, address="192.0.2.7", **WANTED)
        members.remove(OPERATOR, members.with_email(OPERATOR, COLLEAGUE).id)
    elif reason == "revoked":
        members.revoke_invitation(OPERATOR, invitation.id)
    elif reason == "expired":
        site.clock.advance(days=7)
    elif reason == "inviter removed":
        members.remove(OPERATOR, inviter.id)
    else:
        path = path[:-8] + "Abcd1234"

    answers = [visitor.get(path), visitor.send(path, **fields)]

    expected = without_ids(Visitor(site).get("/settings/invitation/x").text)
    for answer in answers:
        assert answer.status_code == 404
        assert UNUSABLE in answer.text
        assert without_ids(answer.text) == expected
        assert answer.headers["Cache-Control"] == "no-store"
    assert COLLEAGUE not in site.members()


def without_ids(page: str) -> str:
    return re.sub(r'value="[^"]*"', "", page)
