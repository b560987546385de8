"""Sign-in by an institution's own system: a proxy that says who its user is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta

from evref.domain.accounts.institution import is_email, normalised_email
from evref.domain.accounts.secret import RandomSecret, digest_of
from evref.domain.rules import Rules

REMOVAL_LENGTH = timedelta(days=365)
"""The address of a removed member is refused this long."""

_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"({_LABEL}\.)+{_LABEL}")
_LONGEST_DOMAIN = 253


class ProxySecret(RandomSecret):
    """The secret with which the proxy of an institution identifies itself."""


@dataclass(frozen=True, slots=True)
class ProxySignIn:
    """The sign-in of an institution by a proxy, which knows the secret with this digest.

    It signs in addresses of these domains, subdomains not included. A domain belongs to one
    institution.

    Raises:
        InvalidValueError: If there is no domain, or one is not a domain name in lower case.

    """

    institution_id: str
    domains: tuple[str, ...]
    digest: str = field(repr=False)

    def __post_init__(self) -> None:
        rules = Rules()
        rules.some("domains", self.domains)
        for domain in self.domains:
            rules.require(
                len(domain) <= _LONGEST_DOMAIN and _DOMAIN.fullmatch(domain) is not None,
                "domains",
                f"must be domain names such as example.org, not {domain!r}",
            )
        rules.enforce()

    def email(self, text: str) -> str | None:
        """Return the address that the proxy sent, as it is stored; None if it is not of a domain.

        Two headers of the same name arrive as one, joined with a comma.
        """
        email = normalised_email(text)
        if not text.isascii() or "," in text or not is_email(email):
            return None
        return email if email.rpartition("@")[2] in self.domains else None


def removal_digest(institution_id: str, email: str) -> str:
    """Return what is kept of the address of a removed member: SHA-256 in hexadecimal."""
    return digest_of(f"{institution_id}:{email}")
