"""Sign in by an institution's own system: a proxy in front of the service names its user."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from enum import Enum, auto

from evref.application.accounts.shared.audit import record, replace_team
from evref.application.accounts.sign_in import SignedIn, SignIn
from evref.domain.accounts.institution import Member
from evref.domain.accounts.proxy_sign_in import ProxySecret, ProxySignIn
from evref.domain.accounts.sign_in import SessionToken
from evref.domain.audit import Action
from evref.domain.errors import (
    AlreadyExistsError,
    LastAdminError,
    NotFoundError,
    NotSignedInError,
)
from evref.domain.identifiers import IDS, new_id
from evref.domain.principal import Role
from evref.ports.clock import Clock
from evref.ports.randomness import Randomness
from evref.ports.storage import Storage


class Refusal(Enum):
    """Why a proxy signs nobody in."""

    SECRET = auto()
    ADDRESS = auto()


@dataclass(frozen=True, slots=True)
class ProxySession:
    """The session of a member whom a proxy names; `is_new` if it began now, and `has_joined` if the
    membership did too.
    """

    signed_in: SignedIn
    token: SessionToken
    is_new: bool = False
    has_joined: bool = False


@dataclass(kw_only=True, eq=False)
class SignInByProxy:
    """Signs in members of the institution whose secret the proxy knows.

    A proxy cannot sign in members of another institution, or addresses of another domain.
    """

    storage: Storage
    sign_in: SignIn
    clock: Clock
    randomness: Randomness

    def __call__(
        self, secret: str, address: str, token: SessionToken | None
    ) -> ProxySession | Refusal:
        """Return the session of the member with this e-mail address.

        `token` identifies the browser's session. It goes on if a proxy began it for this member,
        and ends otherwise. An unknown address becomes a reader, or what an open invitation says;
        one that was removed is refused until it is invited again.
        """
        digest = ProxySecret(secret).digest
        sign_ins = self.storage.accounts.proxy_sign_ins()
        # All are compared, so that the time says nothing.
        found = [each for each in sign_ins if hmac.compare_digest(each.digest, digest)]
        if not found:
            return Refusal.SECRET
        email = found[0].email(address)
        present = self._present(token)
        if (
            present is not None
            and present.signed_in.by_proxy
            and present.signed_in.member.email == email
            and present.signed_in.institution.id == found[0].institution_id
        ):
            return present
        if token is not None:
            self.sign_in.end(token)
        if email is None:
            return Refusal.ADDRESS
        return self._begin(found[0], email)

    def _present(self, token: SessionToken | None) -> ProxySession | None:
        if token is None:
            return None
        try:
            return ProxySession(self.sign_in.who(token), token)
        except NotSignedInError:
            return None

    def _begin(self, sign_in: ProxySignIn, email: str) -> ProxySession | Refusal:
        has_joined = False
        member: Member | None
        try:
            try:
                member = self.storage.accounts.member_with_email(email)
            except NotFoundError:
                member, has_joined = self._join(sign_in.institution_id, email), True
            if member is None or member.institution_id != sign_in.institution_id:
                return Refusal.ADDRESS
            if member.password_hash is not None:
                member = self._without_password(member)
            token = self.sign_in.start(member, by_proxy=True).token
            return ProxySession(self.sign_in.who(token), token, is_new=True, has_joined=has_joined)
        except (AlreadyExistsError, LastAdminError, NotFoundError, NotSignedInError):
            # A member of another institution, the first of their own, or removed meanwhile.
            return Refusal.ADDRESS

    def _join(self, institution_id: str, email: str) -> Member | None:
        """Return the new member, or None if the address was removed."""
        member = Member(
            id=new_id(self.randomness.below(IDS)),
            institution_id=institution_id,
            email=email,
            role=Role.READER,
            password_hash=None,
            created_at=self.clock.now(),
        )
        with self.storage.changes(member.principal, member.created_at) as changes:
            before = changes.accounts.team(institution_id)
            present = before.at(changes.instant)
            # Another request of the same person may have come first.
            for each in present.members:
                if each.email == email:
                    return each
            invitation = present.invitation_of(email)
            if invitation is not None:
                member = replace(member, role=invitation.role)
            elif present.has_removed(email):
                return None
            replace_team(changes, before, present.with_member(member), accepted=invitation)
            by = "the institution's own system" if invitation is None else invitation.invited_by
            detail = f"e-mail {email}, role {member.role}, admitted by {by}"
            record(changes, Action.MEMBER_JOINED, member, detail)
        return member

    def _without_password(self, member: Member) -> Member:
        with self.storage.changes(member.principal, self.clock.now()) as changes:
            changes.accounts.set_password(member.id, None)
            detail = f"e-mail {member.email}, signed in by the institution's own system"
            record(changes, Action.PASSWORD_REMOVED, member, detail)
        return replace(member, password_hash=None)
