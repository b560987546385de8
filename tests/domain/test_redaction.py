"""Text that looks like an API key is not repeated; long words and ids are shown."""

from base64 import b64encode
from collections.abc import Callable
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.domain.access.key import KeyToken
from evref.domain.redaction import has_key, without_keys


def in_every_character(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


tokens = st.integers(0, KeyToken.SECRETS - 1).map(lambda secret: KeyToken.make(secret).text)
places = st.integers(0, 52)
mistyped = (
    st.tuples(tokens, places).map(lambda made: made[0][:6] + made[0][6 : made[1]])
    | st.tuples(tokens, places).map(lambda made: made[0][:6] + "Z" + made[0][made[1] :])
    | tokens.map(str.upper)
    | tokens.map(str.lower)
    | tokens.map(str.swapcase)
)
without_prefix = tokens.map(lambda token: token[6:])
ENCODINGS = st.sampled_from(
    [str, quote, in_every_character, lambda text: text.replace("_", "%5f").replace("e", "%65")]
)


@given(
    sent=tokens | mistyped | without_prefix,
    encodings=st.lists(ENCODINGS, max_size=4),
    around=st.sampled_from(
        [
            ("", ""),
            ("/api/v1/diagnoses/", "/interventions"),
            ("Bearer ", " x"),
            ("?k=", "&a=b"),
            ("-", ", x"),
        ]
    ),
)
def test_no_part_of_a_key_is_repeated(
    sent: str, encodings: list[Callable[[str], str]], around: tuple[str, str]
) -> None:
    for encode in encodings:
        sent = encode(sent)

    assert without_keys(around[0] + sent + around[1]) == around[0] + "…" + around[1]


@given(without_prefix)
def test_a_key_is_found_among_other_letters(sent: str) -> None:
    """This holds even if its prefix is mistyped."""
    assert without_keys(f"evref{sent}x") == "evref…x"


@pytest.mark.parametrize("case", [str, str.lower, str.upper])
@pytest.mark.parametrize("before", ["", "a", "ab", "Bearer "])
@pytest.mark.parametrize("length", [9, 12, 52])
def test_a_key_in_hexadecimal_or_base64_is_not_shown(
    case: Callable[[str], str], before: str, length: int
) -> None:
    """The beginning of a key is not shown either."""
    sent = (before + KeyToken.make(62**39).text[:length]).encode()

    for encoded, rest in (
        (sent.hex(), 2 * len(before)),
        (b64encode(sent).decode().rstrip("="), 10),
    ):
        shown = without_keys(f"/api/{case(encoded)}/x")
        assert shown.endswith("…/x")
        assert len(shown) <= len("/api/…/x") + rest


@given(st.text("ab01XY_-./%25 éevrf", max_size=200))
def test_the_shown_text_never_looks_like_a_key(text: str) -> None:
    """The shown text does not look like a key when it is decoded, either."""
    shown = without_keys(text)

    assert "evref_" not in unquote(shown).lower()
    assert not has_key(shown)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pneumonoultramicroscopicsilicovolcanoconiosis",
        "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
        "aB3" * 21,
        "/api/v1/diagnoses/knee-osteoarthritis/interventions",
        "5f0c6a1e9b7d4a52",
        "0123456789abcdef" * 4,
        "0b6f7d0e-7f53-4a1e-9d36-1a3bb1f3a0c2",
        "/a%20b%2Fc%25",
        "evref.example.org",
    ],
)
def test_words_ids_and_slugs_are_shown_as_they_are(text: str) -> None:
    assert without_keys(text) == text
