"""The word lists of the search, which are files of the package."""

from functools import cache
from importlib import resources
from typing import Any

import yaml

from evref.adapters.outbound.files.nodes import LOADER
from evref.domain.catalogue.search.lists import WordLists

_FOLDER = resources.files("evref") / "data" / "search"


@cache
def read_word_lists() -> WordLists:
    """Return the word lists, which a process reads once.

    Empty lines, and those that begin with #, are comments.
    """
    files = (file for file in _FOLDER.iterdir() if file.name.endswith(".txt"))
    lists = {file.name.removesuffix(".txt"): _lines(file.read_text("utf-8")) for file in files}
    umbrella, words, facets = map(_document, ("umbrella", "words", "facets"))
    return WordLists.of(lists, umbrella, words, facets["facets"])


def _lines(text: str) -> list[str]:
    lines = map(str.strip, text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _document(name: str) -> dict[str, Any]:
    text = (_FOLDER / f"{name}.yaml").read_text("utf-8")
    document: dict[str, Any] = yaml.load(text, LOADER)  # noqa: S506 - it is a safe loader
    return document
