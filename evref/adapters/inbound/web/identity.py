"""The signed-in member of a request: from a session, or from a proxy that names its user."""

import logging
from dataclasses import dataclass, field
from wsgiref.types import WSGIEnvironment

from flask import Response, g, request

from evref.adapters.inbound.web import cookies
from evref.application.accounts.sign_in import SignedIn, SignIn
from evref.application.accounts.sign_in_by_proxy import ProxySession, Refusal, SignInByProxy
from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.accounts.session import SessionToken
from evref.domain.errors import NotSignedInError, WrongCredentialsError
from evref.ports.system import Clock

log = logging.getLogger(__name__)

SECRET_HEADER = "X-Evref-Proxy-Secret"  # noqa: S105 - the name of a header
_SECONDS_BETWEEN_NOTES = 60.0


@dataclass(slots=True, kw_only=True)
class Identity:
    """Finds the member of a request once, and keeps them in `g.signed_in` and `g.token`.

    `header` is the name of the header with the e-mail address, or None if no proxy signs people in.
    Without passwords, only a proxy signs people in. `sign_out_url` is where the proxy signs people
    out.
    """

    members: SignIn
    by_proxy: SignInByProxy
    breaker: CircuitBreaker
    clock: Clock
    header: str | None
    has_passwords: bool
    sign_out_url: str | None
    _next_note: float = field(default=float("-inf"), init=False)

    def has_password(self, member: SignedIn) -> bool:
        """Return whether the member signs in with a password, which they can change."""
        return self.has_passwords and member.member.password_hash is not None

    def can_sign_out(self, member: SignedIn) -> bool:
        """Return whether signing out has an effect: a proxy would sign the member in again."""
        return not member.by_proxy or self.sign_out_url is not None

    def has_header(self, environ: WSGIEnvironment) -> bool:
        """Return whether the request has the header of a proxy, with or without a valid secret."""
        if self.header is None:
            return False
        return bool(environ.get(f"HTTP_{self.header.upper().replace('-', '_')}"))

    def signed_in(self) -> SignedIn | None:
        """Return the member; None also if an earlier call failed, so that no page waits twice."""
        if "is_identified" not in g:
            g.is_identified = True
            token = cookies.present_token()
            if not self._has_proxy_identified(token) and token is not None:
                self._identify_by_session(token)
        signed_in: SignedIn | None = g.get("signed_in")
        return signed_in

    def _has_proxy_identified(self, token: SessionToken | None) -> bool:
        """Return whether the request has the header with a valid secret, for any user."""
        if self.header is None or not self.has_header(request.environ):
            return False
        address, secret = request.headers[self.header], request.headers.get(SECRET_HEADER, "")
        try:
            outcome = self.breaker(
                lambda: self.by_proxy(secret, address, token, is_page=_is_for_a_page())
            )
        except WrongCredentialsError:
            self._note(f"A sign-in header without a valid {SECRET_HEADER} was ignored")
            return False
        if isinstance(outcome, ProxySession):
            g.signed_in, g.token = outcome.signed_in, outcome.token
            g.has_new_session = outcome.token not in {None, token}
        else:
            g.refusal = outcome.name
            if outcome is Refusal.NO_ADMIN:
                self._note(
                    "A proxy signs nobody in for an institution without members: create an admin "
                    "with evref member create"
                )
        return True

    def _identify_by_session(self, token: SessionToken) -> None:
        try:
            signed_in = self.breaker(lambda: self.members.who(token))
        except NotSignedInError:
            return
        if signed_in.by_proxy or not self.has_passwords:
            if _is_for_a_page():
                self.members.end(token)
        else:
            g.signed_in, g.token = signed_in, token

    def _note(self, message: str) -> None:
        if self.clock.monotonic() >= self._next_note:
            self._next_note = self.clock.monotonic() + _SECONDS_BETWEEN_NOTES
            log.warning(message)


def _is_for_a_page() -> bool:
    """Return whether the request is for a page: only pages begin and end sessions.

    Proxies may pass other paths through without a sign-in, where browsers send the cookie too, and
    clients that keep no cookie send many HEAD requests or ask for many suggestions.
    """
    return (
        request.url_rule is not None
        and request.method != "HEAD"
        and request.endpoint != "catalogue.suggest"
        and not request.path.startswith("/infobutton")
    )


def with_cookie(response: Response) -> Response:
    if g.get("has_new_session"):
        cookies.set_session(response, g.token, g.signed_in.member)
    return response
