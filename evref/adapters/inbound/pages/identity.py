"""Who is signed in, on every page."""

from __future__ import annotations

from flask import g

from evref.adapters.inbound.pages.settings import cookies
from evref.application.accounts.sign_in import SignedIn, SignIn
from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.errors import NotSignedInError


class Identity:
    """Finds the member of a request once, and keeps them in `g.signed_in` and `g.token`."""

    def __init__(self, members: SignIn, breaker: CircuitBreaker) -> None:
        self._members = members
        self._breaker = breaker

    def signed_in(self) -> SignedIn | None:
        """Return the member who is signed in.

        Raises:
            StorageUnavailableError: If storage is unavailable and the browser has a session.

        """
        if "is_identified" not in g:
            token = cookies.present_token()
            if token is not None:
                try:
                    g.signed_in = self._breaker(lambda: self._members.who(token))
                    g.token = token
                except NotSignedInError:
                    pass
            g.is_identified = True
        found: SignedIn | None = g.get("signed_in")
        return found
