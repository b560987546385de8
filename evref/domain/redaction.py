"""What looks like an API key, and its removal from text that others will see."""

from __future__ import annotations

import re
from urllib.parse import unquote

from evref.domain.errors import Fault, InvalidValueError

KEY_PREFIX = "evref_"
# In lower case.
_HEXADECIMAL_PREFIX, _BASE64_PREFIX = "65767265665f", "zxzyzwzf"

# Text that begins like a key, up to a delimiter of URLs, headers or sentences.
_WITH_PREFIX = re.compile(
    rf"(?i:{KEY_PREFIX}|{_HEXADECIMAL_PREFIX}|{_BASE64_PREFIX})[^\s/?&=<>\"',;]*"
)
# Letters and digits of about the length of a key without its prefix. Hexadecimal ids and slugs are
# shorter, or do not mix upper and lower case.
_WITHOUT_PREFIX = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9A-Za-z]{45,47}|(?=[0-9a-z]*[A-Z])(?=[0-9A-Z]*[a-z])[0-9A-Za-z]{48,})"
    r"(?![0-9A-Za-z])"
)
_MOST_ENCODINGS = 10
_FEWEST_CHARACTERS_LIKE_A_KEY = 45


def without_keys(text: str) -> str:
    """Return the text with an ellipsis for each part that looks like an API key.

    Use it for everything that repeats input of a client. It also finds keys that are mistyped, in
    capitals, without the prefix, in hexadecimal or Base64, or percent-encoded any number of times.
    The result is then decoded.

    >>> without_keys("/api/v1/%65vref%255Fsecret/interventions")
    '/api/v1/…/interventions'
    """
    decoded = text
    for _ in range(_MOST_ENCODINGS):
        if "%" not in decoded or (further := unquote(decoded)) == decoded:
            break
        decoded = further
    # The first conditions rule out most text in a fraction of the time of the patterns.
    shown, folded = decoded, decoded.casefold()
    if KEY_PREFIX in folded or _BASE64_PREFIX in folded or _HEXADECIMAL_PREFIX in folded:
        shown = _WITH_PREFIX.sub("…", shown)
    if len(shown) >= _FEWEST_CHARACTERS_LIKE_A_KEY:
        shown = _WITHOUT_PREFIX.sub("…", shown)
    return text if shown == decoded else shown


def refuse_keys(field: str, text: str) -> None:
    """Check that no part of a text that others will see looks like an API key.

    Raises:
        InvalidValueError: If one does.

    """
    if without_keys(text) != text:
        raise InvalidValueError([Fault(field, "must not contain an API key or its prefix")])
