"""The affirmed words of a text: those of conditions that it neither denies nor only considers."""

from __future__ import annotations

import re
from itertools import pairwise

from evref.domain.catalogue.search.folding import words_of
from evref.domain.catalogue.search.lexicon import Lexicon

_CLAUSE_END = re.compile(r"[,;.!?]|\b(?:but|aber|sondern)\b", re.IGNORECASE)
_V_A = re.compile(r"\b(V|Z)\.\s*([an])\.", re.IGNORECASE)
"""German for suspected (Verdacht auf) and for the state after (Zustand nach)."""
_NON = "non"
"""Denies only the next word: non-diabetic foot ulcer."""
_OF = frozenset({"of", "for", "von", "auf", "fur"})
"""Words after which screening and the like deny what follows, not what precedes."""


def affirmed_words(text: str, lexicon: Lexicon) -> list[str]:
    """Return the words of the text, folded, except those that it does not affirm.

    In each clause, the words after a negation do not count, nor those before a word such as
    screening: 'no asthma, but gout' affirms gout.
    """
    return [
        word
        for clause in _CLAUSE_END.split(_V_A.sub(r"\1\2 ", text))
        for word in _affirmed_in(words_of(clause), lexicon)
    ]


def _affirmed_in(words: list[str], lexicon: Lexicon) -> list[str]:
    after_screening = 0
    for position, (word, following) in enumerate(pairwise([*words, ""])):
        if position and word in lexicon.negations_after and following not in _OF:
            after_screening = position + 1
    first_negation = min(
        (
            position
            for negation in lexicon.negations
            for position in range(len(words))
            if tuple(words[position : position + len(negation)]) == negation
        ),
        default=len(words),
    )
    return [
        word
        for before, word in list(pairwise(["", *words]))[after_screening:first_negation]
        if _NON not in {before, word}
    ]
