"""Sign-in by an institution's own system: a proxy that names its user."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field

from evref.domain.accounts.institution import is_email, normalised_email
from evref.domain.accounts.random_secret import RandomSecret
from evref.domain.rules import Rules

_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"({_LABEL}\.)+{_LABEL}")
_LONGEST_DOMAIN = 253

# https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address
_LOCAL_PART = re.compile(r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+")


class ProxySecret(RandomSecret):
    """The secret with which the proxy of an institution identifies itself."""


@dataclass(frozen=True, slots=True)
class ProxySignIn:
    """The sign-in of an institution's members by a proxy, which knows the secret with this digest.

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

    def owns(self, email: str) -> bool:
        """Return whether an e-mail address belongs to one of the domains.

        The domain of the address may be in Unicode (RFC 5890) and may end with a dot.
        """
        domain = email.rpartition("@")[2].rstrip(".")
        # A name that cannot be converted is not a domain name.
        with suppress(UnicodeError):
            domain = domain.encode("idna").decode()
        return domain.lower() in self.domains

    def email(self, text: str) -> str | None:
        """Return the address in the stored form; None if it is invalid or of another domain.

        It must be a valid e-mail address of HTML, whose local part has no comma: two headers of the
        same name arrive as one, joined with a comma.
        """
        email = normalised_email(text)
        local_part, _, domain = email.rpartition("@")
        is_valid = is_email(email) and _LOCAL_PART.fullmatch(local_part) is not None
        # The lower case of a letter beyond ASCII can be an ASCII letter.
        return email if text.isascii() and is_valid and domain in self.domains else None
