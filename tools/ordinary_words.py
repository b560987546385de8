# /// script
# requires-python = ">=3.11"
# dependencies = ["evref", "pyspellchecker>=0.8"]
# ///
"""Writes `evref/data/search/ordinary-words.txt`: usual words that the search must not correct.

These are words of five languages that the search would otherwise take for a slip in a word of the
catalogue. They come from the frequency lists of pyspellchecker (MIT licence). Run this when names
or terms changed, in an environment of its own: neither the service nor its tests need the package.

    python -m venv words && words/bin/pip install . pyspellchecker
    words/bin/python tools/ordinary_words.py
"""

from __future__ import annotations

import sys
from pathlib import Path

from spellchecker import SpellChecker

from evref.adapters.outbound.files import YamlCatalogueFiles, read_word_lists
from evref.domain.catalogue.search.folding import fold, written_words_of
from evref.domain.catalogue.search.lexicon import SHORTEST_CORRECTED, Lexicon, Spelling

LANGUAGES = ("en", "de", "fr", "es", "it")
RAREST = 4e-7
"""Words that are a smaller part of the texts of their language are not usual.

German nouns all have the lowest frequency of their list, 4.04e-7.
"""
DATA = Path(__file__).parents[1] / "evref" / "data"


def usual_words(language: str) -> set[str]:
    """Return the usual words of a language as the search writes them, without accents."""
    frequency = SpellChecker(language=language).word_frequency
    least = RAREST * frequency.total_words
    usual = (word for word in frequency.words() if frequency[word] >= least)
    return {written for word in usual for written in written_words_of(word)}


def main() -> None:
    catalogue = YamlCatalogueFiles().read([DATA / "catalogue"])
    lists = read_word_lists()
    lexicon = Lexicon(catalogue, lists)
    spelling = Spelling(lexicon.written)
    near = sorted(
        word
        for word in set[str]().union(*map(usual_words, LANGUAGES))
        if len(word) >= SHORTEST_CORRECTED
        and fold(word) not in lexicon.having
        and spelling.near(word)
    )
    file = DATA / "search" / "ordinary-words.txt"
    file.write_text("\n".join(near) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(near)} words\n")


if __name__ == "__main__":
    main()
