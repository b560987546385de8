"""Text of others on our pages: what could make it read as something else is left out."""

from __future__ import annotations

# Embeddings, overrides and isolates (UAX 9): an unclosed one reverses all that follows it. The
# implicit marks (U+200E, U+200F, U+061C) move nothing but their neighbours, and may stay.
_STEERING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def steady(value: object) -> object:
    """The text without characters that steer the direction of what follows; else the value.

    For Jinja's `finalize`, which sees each expression before it is escaped.
    """
    # Not Markup: each part of it went through here before.
    return value.translate(_STEERING) if type(value) is str else value
