"""The word lists of the search, which are files of the package."""

from importlib import resources

from evref.domain.catalogue.search.lexicon import LISTS, Lexicon

_FOLDER = resources.files("evref") / "data" / "search"


def read_lexicon() -> Lexicon:
    """Return the word lists. Empty lines, and those that begin with #, are comments."""
    return Lexicon.of({name: _lines(name) for name in LISTS})


def _lines(name: str) -> list[str]:
    text = (_FOLDER / f"{name}.txt").read_text("utf-8")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
