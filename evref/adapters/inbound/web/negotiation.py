"""Content negotiation (RFC 9110, section 12.5): the media type and coding of a response."""

from __future__ import annotations

from functools import lru_cache

from werkzeug.datastructures import Accept, MIMEAccept
from werkzeug.http import parse_accept_header

# Clients send few different values, and parsing one costs as much as a short response.
_remembered = lru_cache(maxsize=256)


@_remembered
def accepts_gzip(accept_encoding: str) -> bool:
    """Return whether the Accept-Encoding header accepts gzip, and does not prefer no coding."""
    accepted = parse_accept_header(accept_encoding, Accept)
    return 0 < accepted.quality("gzip") >= accepted.quality("identity")


def preferred_media_type(accept: str, offers: tuple[str, ...]) -> str:
    """Return the offer that the Accept header prefers, or nothing if it accepts none.

    A single offer is returned whatever the header says.
    """
    return offers[0] if len(offers) == 1 else _preferred(accept, offers)


@_remembered
def _preferred(accept: str, offers: tuple[str, ...]) -> str:
    parsed = parse_accept_header(accept, MIMEAccept)
    # No offer has parameters such as a charset, and none has a meaning for them.
    plain = MIMEAccept((value.partition(";")[0], quality) for value, quality in parsed)
    return plain.best_match(offers, default="") if plain else offers[0]
