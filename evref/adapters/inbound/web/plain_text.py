"""Text from users on the pages, without characters that change how the text around it reads."""

from __future__ import annotations

# Embeddings, overrides and isolates (UAX 9): an unclosed one can reverse all text after it. The
# implicit marks (U+200E, U+200F, U+061C) affect only adjacent characters and are allowed.
_STEERING = dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def without_direction_controls(value: object) -> object:
    """Return text without the characters that change the direction of later text.

    Other values are returned unchanged. For Jinja's `finalize`, which is called with each
    expression before it is escaped.
    """
    # Not for Markup: each of its parts was passed to this function before.
    return value.translate(_STEERING) if type(value) is str else value
