"""Text that is hard to write in YAML: examples, and strategies for hypothesis."""

import re

from hypothesis import strategies as st

NASTY = [
    *("yes", "No", "ON", "y", "null", "Null", "~", "1e3", "1E+3", "12:30", "0x1F", "0o7", "1_0"),
    *("2020-01-01", ".5", ".inf", "-1", "=", "<<", "-", "- a", "? a", ": a", "a: b", "a:", "a #b"),
    *("#a", "a#", "a ##", "&a", "*a", "!a", "!!str a", "%a", "@a", "`a", "|", ">-", "[a]", "{a}"),
    *("'", "''", '"', '"a', "it's", 'a "b" c', "\\", "\\n", "a\\", "a, b", "---", "...", "--- a"),
    *("a\nb", "a\n\nb", "a\n\n\nb", "a\n b", "a \nb", "a\n- b", "a\n#b", "a  b", "a\n---\nb"),
    *("a\u2028b", "a\u2029b", "a\xa0b", "a\u3000b", "a\u200db", "a\ufeffb", "\ufeffa", "\ufffe"),
    *("\u202ea", "é", "e\u0301", "🦵", "👩‍⚕️", "\U0010ffff", "ß", "ﬁ", "²", "١٢", "a" * 119),
    *("word " * 23 + "word", "a" * 60 + " " + "b" * 59, "word " * 22 + "# word", "x" * 117 + " #"),
]

_characters = st.characters(exclude_categories=("Cc", "Cs")) | st.sampled_from("\n -:#'\"\\,&*")


def texts(shortest: int = 1, longest: int = 120) -> st.SearchStrategy[str]:
    """Return a strategy for trimmed text of `shortest` to `longest` characters."""

    def fitted(text: str) -> str:
        filled = text.strip() or "-"
        while len(filled) < shortest:
            filled = f"{filled} {filled} -"
        return filled[:longest].strip()

    return (
        (st.sampled_from(NASTY) | st.text(_characters, max_size=longest))
        .map(fitted)
        .filter(lambda text: shortest <= len(text) <= longest)
    )


def lines(shortest: int = 1) -> st.SearchStrategy[str]:
    return texts(shortest).map(lambda text: re.sub("[\n\u2028\u2029]", " ", text))
