"""Numbers in base 62, which secrets are written in."""

BASE62_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def base62(number: int, digits: int) -> str:
    """Return the number in base 62, padded with zeros to this many digits."""
    written = ""
    for _ in range(digits):
        number, digit = divmod(number, 62)
        written = BASE62_DIGITS[digit] + written
    return written
