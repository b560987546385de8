"""Sign in by an institution's own system: a proxy in front of the service names its user."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from enum import Enum, auto

from evref.application.accounts.membership import member_with_email, record
from evref.application.accounts.people import People
from evref.application.accounts.refused_sign_ins import RefusedSignIns
from evref.application.accounts.sign_in import SignedIn, SignIn
from evref.domain.accounts.institution import Member, normalised_email
from evref.domain.accounts.proxy_sign_in import ProxySecret, email_from_proxy
from evref.domain.accounts.session import SessionToken
from evref.domain.audit import Action
from evref.domain.errors import (
    AlreadyExistsError,
    InvalidValueError,
    LastAdminError,
    NotFoundError,
    NotSignedInError,
    WrongCredentialsError,
)
from evref.ports.accounts import INSTITUTIONS, MEMBERS, PROXY_SIGN_INS, SIGN_IN_DOMAINS
from evref.ports.storage import Storage
from evref.ports.system import Clock


class Refusal(Enum):
    """The reasons for which a proxy cannot sign a person in."""

    ADDRESS = auto()
    # The operator creates the first member of an institution, who is an admin.
    NO_ADMIN = auto()


@dataclass(frozen=True, slots=True)
class ProxySession:
    """The session of a member whom a proxy names; without a token, it is for one request."""

    signed_in: SignedIn
    token: SessionToken | None


@dataclass(kw_only=True, eq=False)
class SignInByProxy:
    """Signs in members of the institution, and of its domains, whose secret the proxy knows."""

    storage: Storage
    sign_in: SignIn
    refused: RefusedSignIns
    people: People
    clock: Clock

    def __call__(
        self, secret: str, address: str, token: SessionToken | None, *, is_page: bool = True
    ) -> ProxySession | Refusal:
        """Return the session of the member with this e-mail address.

        If no institution has the secret, raise `WrongCredentialsError`.

        The browser's session, with this token, continues if a proxy began it for this member, and
        ends otherwise. Only a request for a page begins and ends sessions.
        """
        digest = ProxySecret(secret).digest
        sign_ins = self.storage.records.find(PROXY_SIGN_INS)
        # All secrets are compared, so that the time reveals nothing.
        matching = [sign_in for sign_in in sign_ins if hmac.compare_digest(sign_in.digest, digest)]
        if not matching:
            raise WrongCredentialsError
        institution_id = matching[0].institution_id
        domains = self.storage.records.find(SIGN_IN_DOMAINS, institution_id=institution_id)
        email = email_from_proxy(address, [domain.domain for domain in domains])
        present = self._present(token)
        if (
            present is not None
            and present.signed_in.by_proxy
            and present.signed_in.member.email == email
            and present.signed_in.institution.id == institution_id
        ):
            return present
        if token is not None and is_page:
            self.sign_in.end(token)
        outcome: ProxySession | Refusal = Refusal.ADDRESS
        if email is not None:
            outcome = self._begin(institution_id, email, is_page=is_page)
        if is_page and isinstance(outcome, Refusal):
            concerned = set() if email is None else {institution_id}
            refused = normalised_email(address)
            if (member := member_with_email(self.storage.records, refused)) is not None:
                concerned.add(member.institution_id)
            self.refused.add(refused, *sorted(concerned))
        return outcome

    def _present(self, token: SessionToken | None) -> ProxySession | None:
        if token is None:
            return None
        try:
            return ProxySession(self.sign_in.who(token), token)
        except NotSignedInError:
            return None

    def _begin(self, institution_id: str, email: str, *, is_page: bool) -> ProxySession | Refusal:
        try:
            member = member_with_email(self.storage.records, email)
            if member is None:
                member = self.people.join(institution_id, email)
            if member.institution_id != institution_id:
                return Refusal.ADDRESS
            if member.password_hash is not None:
                member = self._without_password(member)
            if not is_page:
                institution = self.storage.records.get(INSTITUTIONS, institution_id)
                return ProxySession(SignedIn(member, institution, by_proxy=True), None)
            token = self.sign_in.start(member, by_proxy=True).token
            return ProxySession(self.sign_in.who(token), token)
        except LastAdminError:
            return Refusal.NO_ADMIN
        except (AlreadyExistsError, InvalidValueError, NotFoundError, NotSignedInError):
            # The member is of another institution or was removed, or another one now has the
            # domain.
            return Refusal.ADDRESS

    def _without_password(self, member: Member) -> Member:
        with self.storage.changes(member.principal, self.clock.now()) as changes:
            member = replace(changes.records.lock(MEMBERS, member.id), password_hash=None)
            changes.records.replace(MEMBERS, member)
            detail = "signed in by the institution's own system"
            record(changes, Action.PASSWORD_REMOVED, member, detail)
        return member
