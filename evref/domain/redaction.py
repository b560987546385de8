"""What looks like an API key, and its removal from text that others will see."""

from __future__ import annotations

import re
from urllib.parse import unquote

from evref.domain.errors import Fault, InvalidValueError
from evref.domain.identifiers import base62_checksum

KEY_PREFIX = "evref_"

# The prefix of a key, plain, in hexadecimal or in Base64 (where it depends on what precedes), up to
# a delimiter of URLs, headers or sentences.
_WITH_PREFIX = re.compile(
    rf"(?:{KEY_PREFIX}|65767265665f|zxzyzwzf|[gwm2]v2cmvmx|ldnjlzl)[^\s/?&=<>\"',;]*",
    re.IGNORECASE,
)
# One of these is in every text that has the prefix, and they are found much faster.
_MARKS = (KEY_PREFIX, "65767265665f", "zxzyzwzf", "v2cmvmx", "ldnjlzl")
# As long as the shorter of the two below, which most texts are not.
_LONG_WORD = re.compile("[0-9A-Za-z]{44}")
# The rest of a key. A checksum is below 2^32, so its first digit is at most 4.
_WITHOUT_PREFIX = re.compile(r"(?=([0-9A-Za-z]{40})([0-4][0-9A-Za-z]{5}))")
# The secret in the link of an invitation, which may have lost its end.
_INVITATION = re.compile(r"Join[0-9A-Za-z]{40,}")

_MOST_ENCODINGS = 10


def without_keys(text: str) -> str:
    """Return the text with an ellipsis for each part that looks like a key or an invitation.

    Use it for everything that repeats input of a client. A key is recognised by its prefix, in any
    case, in hexadecimal or Base64, or without it by its checksum; and percent-encoded any number of
    times, in which case the result is decoded.

    >>> without_keys("/api/v1/%65vref%255Fsecret/interventions")
    '/api/v1/…/interventions'
    """
    decoded = text
    for _ in range(_MOST_ENCODINGS):
        if "%" not in decoded or (further := unquote(decoded)) == decoded:
            break
        decoded = further
    shown, folded = decoded, decoded.lower()
    for mark in _MARKS:
        if mark in folded:
            shown = _WITH_PREFIX.sub("…", shown)
            break
    if _LONG_WORD.search(shown):
        for match in _WITHOUT_PREFIX.finditer(shown):
            if base62_checksum(KEY_PREFIX + match[1]) == match[2]:
                shown = shown.replace(match[1] + match[2], "…")
        shown = _INVITATION.sub("…", shown)
    return text if shown == decoded else shown


def has_key(text: str) -> bool:
    """Return whether any part of the text looks like a key or an invitation."""
    return without_keys(text) != text


def refuse_keys(field: str, text: str) -> None:
    """Refuse a text that others will see, if any part of it looks like an API key."""
    if has_key(text):
        raise InvalidValueError([Fault(field, "must not contain an API key or its prefix")])
