"""The word lists of the search, which are files of the package."""

from functools import cache
from importlib import resources
from typing import Any

import yaml

from evref.domain.catalogue.search.lexicon import LISTS, Lexicon, WiderKind

_FOLDER = resources.files("evref") / "data" / "search"


@cache
def read_lexicon() -> Lexicon:
    """Return the word lists, which a process reads once.

    Empty lines, and those that begin with #, are comments.
    """
    umbrella, words = _document("umbrella"), _document("words")
    wider = [
        (kind, item["words"], item["diagnoses"])
        for name, kind in (("families", WiderKind.FAMILY), ("complaints", WiderKind.COMPLAINT))
        for item in umbrella[name]
    ]
    return Lexicon.of({name: _lines(name) for name in LISTS}, wider, words["same"], words["kinds"])


def _lines(name: str) -> list[str]:
    text = (_FOLDER / f"{name}.txt").read_text("utf-8")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _document(name: str) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((_FOLDER / f"{name}.yaml").read_text("utf-8"))
    return document
