"""Invitations, the tokens of their links, and what a team may become."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from evref.domain.accounts.invitation import InvitationToken
from evref.domain.accounts.team import Team
from evref.domain.errors import (
    AlreadyExistsError,
    InvalidValueError,
    LastAdminError,
    NotFoundError,
)
from evref.domain.principal import Role
from evref.domain.redaction import without_keys
from evref.testing.builders import NOON, a_member, an_invitation

ADMIN = a_member("m1")
OTHER = a_member("m2", email="other@example.org")
VIEWER = a_member("m3", email="viewer@example.org", role=Role.VIEWER)
TEAM = Team("i1", (ADMIN, OTHER, VIEWER))

SECRETS = [0, 1, 61, 62**47, InvitationToken.SECRETS - 1, 0x5EED**15]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_token_is_removed_from_whatever_repeats_it(secret: int) -> None:
    """Also percent-encoded, and wherever it stands in a path or a sentence."""
    text = InvitationToken.make(secret).text
    encoded = "".join(f"%{ord(character):02x}" for character in text)

    for shown in (f"/settings/join/{text}", f"GET /a/{encoded}?x=1", f"“{text}”, {text}."):
        assert text not in without_keys(shown)
        assert encoded not in without_keys(shown)
    assert text not in repr(InvitationToken.make(secret))


def test_each_secret_has_a_token_and_a_digest_of_its_own() -> None:
    tokens = [InvitationToken.make(secret) for secret in SECRETS]

    assert len({token.text for token in tokens}) == len(tokens)
    assert len({token.digest for token in tokens}) == len(tokens)
    assert [InvitationToken(token.text) for token in tokens] == tokens
    assert {len(token.text) for token in tokens} == {52}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Join",
        f"Join{'a' * 47}",
        f"Join{'a' * 49}",
        f"join{'a' * 48}",
        f"Join{'a' * 47}-",
        f"Join{'a' * 48}\n",
        f"Join{chr(0x660) * 48}",
        "\ud800",
    ],
)
def test_another_text_is_not_a_token_and_is_not_repeated(text: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        InvitationToken(text)

    assert str(caught.value) == "There is no invitation '…'."


def test_an_invitation_ends_after_seven_days_and_does_not_show_its_digest() -> None:
    invitation = an_invitation(created_at=NOON)

    assert invitation.ends_at == NOON + timedelta(days=7)
    assert invitation.is_open_at(invitation.ends_at - timedelta(microseconds=1))
    assert not invitation.is_open_at(invitation.ends_at)
    # It was made while the clock was wrong, and would be open for longer.
    assert not invitation.is_open_at(NOON - timedelta(days=1))
    assert invitation.digest not in repr(invitation)


@pytest.mark.parametrize("email", ["", "nobody", "Ward@example.org", "a b@example.org"])
def test_an_invitation_has_an_e_mail_in_lower_case(email: str) -> None:
    with pytest.raises(InvalidValueError, match="email"):
        an_invitation(email=email)


def test_the_last_admin_can_neither_be_removed_nor_demoted() -> None:
    """Others can, and so can this one once there is another."""
    one_left = TEAM.without_member("m2", NOON)

    changes: list[Callable[[Team], Team]] = [
        lambda team: team.without_member("m1", NOON),
        lambda team: team.with_role("m1", Role.VIEWER),
    ]
    for change in changes:
        with pytest.raises(LastAdminError):
            change(one_left)
        change(one_left.with_role("m3", Role.ADMIN))
        change(TEAM)
    assert one_left.without_member("m3", NOON).members == (ADMIN,)
    with pytest.raises(LastAdminError):
        Team("i1", (ADMIN,)).without_member("m1", NOON)


def test_the_first_member_is_an_admin() -> None:
    """However they become one."""
    empty = Team("i1")

    with pytest.raises(LastAdminError):
        empty.with_member(VIEWER)
    with pytest.raises(LastAdminError):
        empty.with_invitation(an_invitation(role=Role.VIEWER))
    assert empty.with_member(ADMIN).members == (ADMIN,)
    assert empty.with_invitation(an_invitation(role=Role.ADMIN)).invitations


@pytest.mark.parametrize("end", ["removed", "demoted"])
def test_who_is_not_an_admin_any_more_has_no_invitations(end: str) -> None:
    """Those of others stay."""
    own = an_invitation("v1", inviter=ADMIN)
    others = (
        an_invitation("v2", email="b@example.org", inviter=OTHER),
        an_invitation("v3", email="c@example.org"),
    )
    team = Team("i1", TEAM.members, (own, *others))

    after = (
        team.without_member("m1", NOON) if end == "removed" else team.with_role("m1", Role.VIEWER)
    )

    assert after.invitations == others
    assert team.with_role("m3", Role.ADMIN).invitations == team.invitations


def test_a_member_is_not_invited() -> None:
    """And who becomes one has no invitation any more."""
    with pytest.raises(AlreadyExistsError):
        TEAM.with_invitation(an_invitation(email=VIEWER.email))
    invited = TEAM.with_invitation(an_invitation(email="new@example.org"))

    assert invited.with_member(a_member("m4", email="new@example.org")).invitations == ()


def test_expired_invitations_are_left_out() -> None:
    early = an_invitation("v1", created_at=NOON)
    late = an_invitation("v2", email="b@example.org", created_at=NOON + timedelta(hours=1))
    team = Team("i1", TEAM.members, (late, early))

    assert team.at(early.ends_at).invitations == (late,)
