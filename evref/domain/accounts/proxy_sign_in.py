"""Sign-in by an institution's own system: a proxy that names its user."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from evref.domain.accounts.institution import is_email, normalised_email
from evref.domain.identifiers import Digest, RandomSecret
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
    """The sign-in of addresses of an institution's domains by a proxy, which knows a secret."""

    institution_id: str
    digest: Digest = field(repr=False)


@dataclass(frozen=True, slots=True)
class SignInDomain:
    """A domain whose addresses one institution's own system signs in, without its subdomains."""

    domain: str
    institution_id: str

    def __post_init__(self) -> None:
        rules = Rules()
        rules.require(
            len(self.domain) <= _LONGEST_DOMAIN and _DOMAIN.fullmatch(self.domain) is not None,
            "domains",
            f"must be domain names such as example.org, not {self.domain!r}",
        )
        rules.enforce()


def sign_in_domains(institution_id: str, names: Iterable[str]) -> tuple[SignInDomain, ...]:
    """Return the domains of an institution, in order, from names in any case."""
    return tuple(SignInDomain(name, institution_id) for name in sorted(set(map(str.lower, names))))


def domain_of(email: str) -> str:
    """Return the domain in the stored form. It may be in Unicode (RFC 5890), or end with a dot."""
    domain = email.rpartition("@")[2].rstrip(".")
    # A name that cannot be converted is not a domain name.
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode()
    return domain.lower()


def email_from_proxy(text: str, domains: Collection[str]) -> str | None:
    """Return the address in the stored form; None if it is invalid or of another domain.

    It must be a valid e-mail address of HTML, whose local part has no comma: two headers of the
    same name arrive as one, joined with a comma.
    """
    email = normalised_email(text)
    local_part, _, domain = email.rpartition("@")
    is_valid = is_email(email) and _LOCAL_PART.fullmatch(local_part) and "<" not in text
    # The lower case of a letter beyond ASCII can be an ASCII letter.
    return email if text.isascii() and is_valid and domain in domains else None
