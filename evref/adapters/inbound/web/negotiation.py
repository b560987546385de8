"""What a client accepts (RFC 9110, section 12.5): the media type and the coding of a response."""

from __future__ import annotations

from functools import lru_cache

from werkzeug.datastructures import Accept, MIMEAccept
from werkzeug.http import parse_accept_header

# Clients send few different values, and parsing one costs as much as a short response.
_remembered = lru_cache(maxsize=256)


@_remembered
def accepts_gzip(accept_encoding: str) -> bool:
    """Whether the field Accept-Encoding names gzip with a quality above 0."""
    return parse_accept_header(accept_encoding, Accept).quality("gzip") > 0


def preferred_media_type(accept: str, offers: tuple[str, ...]) -> str:
    """The one of `offers` that the field Accept prefers, or the first where it names none.

    A single offer is returned without a look at the field.
    """
    return offers[0] if len(offers) == 1 else _preferred(accept, offers)


@_remembered
def _preferred(accept: str, offers: tuple[str, ...]) -> str:
    return parse_accept_header(accept, MIMEAccept).best_match(offers, default=offers[0])
