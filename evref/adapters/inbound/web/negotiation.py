"""Content negotiation (RFC 9110, section 12.5): the media type and coding of a response."""

from __future__ import annotations

from functools import lru_cache

from werkzeug.datastructures import Accept, MIMEAccept
from werkzeug.http import parse_accept_header

# Clients send few different values, and parsing one costs as much as a short response.
_remembered = lru_cache(maxsize=256)


@_remembered
def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether the Accept-Encoding header has gzip with a quality above 0."""
    return parse_accept_header(accept_encoding, Accept).quality("gzip") > 0


def preferred_media_type(accept: str, offers: tuple[str, ...]) -> str:
    """Return the offer that the Accept header prefers, or the first if it accepts none.

    With a single offer, the header is ignored.
    """
    return offers[0] if len(offers) == 1 else _preferred(accept, offers)


@_remembered
def _preferred(accept: str, offers: tuple[str, ...]) -> str:
    return parse_accept_header(accept, MIMEAccept).best_match(offers, default=offers[0])
