"""Invitations, and the tokens of their links."""

from datetime import timedelta

import pytest

from evref.domain.accounts.invitation import InvitationToken
from evref.domain.redaction import without_keys
from evref.testing.builders import NOON, an_invitation

SECRETS = [0, 1, 61, 62**47, InvitationToken.SECRETS - 1, 0x5EED**15]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_token_is_removed_from_any_text(secret: int) -> None:
    """The token may be percent-encoded, and within a path or a sentence."""
    text = InvitationToken.make(secret).text
    encoded = "".join(f"%{ord(character):02x}" for character in text)

    for shown in (f"/settings/join/{text}", f"GET /a/{encoded}?x=1", f"“{text}”, {text}."):
        assert text not in without_keys(shown)
        assert encoded not in without_keys(shown)
    assert text not in repr(InvitationToken.make(secret))


def test_an_invitation_ends_after_seven_days_and_does_not_show_its_digest() -> None:
    invitation = an_invitation(created_at=NOON)

    assert invitation.ends_at == NOON + timedelta(days=7)
    assert invitation.is_open_at(invitation.ends_at - timedelta(microseconds=1))
    assert not invitation.is_open_at(invitation.ends_at)
    # An invitation that a wrong clock dated in the future would be open for longer.
    assert not invitation.is_open_at(NOON - timedelta(days=1))
    assert invitation.digest not in repr(invitation)
