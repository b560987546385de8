"""Words in the form in which they are compared: without case, accents and ways of spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from evref.domain.rules import without_accents

Phrase = tuple[str, ...]
"""Words in the form in which they are compared, in order."""

_WHOLE = 3
"""Words of up to this number of letters are not folded, because most are abbreviations."""

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_APOSTROPHES = dict.fromkeys(map(ord, "\u2018\u2019\u00b4`"), "'")
# Articles and prepositions that French and Italian join to the next word: l'asthme, dell'anca.
_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu|un|[dns]?ell|[as]?ll|[ds]all|null|sull)'(?=\w\w)")
_DOTTED = re.compile(r"\.(?<=\b\w\.)(?=\w\b)")
_NUMBERED = re.compile(r"\b(t[iy]p[eo]?)(?=\d\b)")
_WORD = re.compile(r"[^\W_]+")
_SPACED = "".join(chr(code) if chr(code).isalnum() else " " for code in range(128))
_VARIANTS = (("ae", "e"), ("oe", "e"), ("ph", "f"), ("rh", "r"), ("our", "or"), ("z", "s"))
_MOST_ACCENTED = 1000
"""Pieces of text that are kept without accents; a catalogue has a few hundred."""
_DOUBLED_L = re.compile("ll(?=e[dr]|ing|or)")
_DOUBLED = re.compile(r"(.)\1")
_NO_PLURALS = frozenset({"tens", "aids", "sids", "pots", "pcos", "ptbs", "adhs"})
_FRENCH_ENDS = ("bre", "cre", "tre", "vre")

_KINDS = frozenset({"type", "typ", "tipo", "tip", "class", "classe", "clase", "grade", "bipolar"})
_NUMBERS = {
    "1": ("i", "one", "eins", "un", "uno"),
    "2": ("ii", "two", "zwei", "deux", "dos", "due"),
    "3": ("iii", "three", "drei", "trois", "tres", "tre"),
}
_DIGITS = {word: digit for digit, words in _NUMBERS.items() for word in words}


def place_of(phrase: Phrase, words: Sequence[str]) -> int | None:
    """Return where the phrase begins among the words, if it is there."""
    size = len(phrase)
    for place in range(len(words) - size + 1):
        if words[place] == phrase[0] and tuple(words[place : place + size]) == phrase:
            return place
    return None


def fold(word: str) -> str:
    """Return a word of lower-case letters without British or American spelling and final s.

    >>> fold("haemorrhages"), fold("tumours"), fold("hip")
    ('hemorage', 'tumor', 'hip')
    >>> fold("weakness"), fold("Schmerz".casefold()), fold("loss")
    ('weaknes', 'schmers', 'loss')
    """
    if len(word) <= _WHOLE or word in _NO_PLURALS or not word.isalpha():
        return word
    folded = _DOUBLED.sub(r"\1", _spelled_in_one_way(word))
    if len(folded) <= _WHOLE:
        # Shoes are not she, and a loss is not the Spanish los.
        return _singular(word)
    return f"{folded[:-2]}er" if folded.endswith(_FRENCH_ENDS) else folded


def in_one_spelling(word: str) -> str:
    """Return a word without British or American spelling and final s, with its doubled letters.

    Words that differ in this and are equal when folded differ by a slip.

    >>> in_one_spelling("counselling") == in_one_spelling("counseling")
    True
    >>> in_one_spelling("guillain") == in_one_spelling("guilain")
    False
    """
    return _DOUBLED_L.sub("l", _spelled_in_one_way(word))


def _spelled_in_one_way(word: str) -> str:
    """Return a word without British or American spelling and without the s of a plural."""
    word = _singular(word)
    for variant, common in _VARIANTS:
        word = word.replace(variant, common)
    return word


def _singular(word: str) -> str:
    return word if word.endswith("ss") else word.removesuffix("s")


class Forms(dict[str, str]):
    """The forms of the words seen so far: most words occur many times."""

    def __init__(self, form_of: Callable[[str], str]) -> None:
        self._form_of = form_of

    def __missing__(self, word: str) -> str:
        form = self[word] = self._form_of(word)
        return form


def words_of(text: str) -> list[str]:
    """Return the words of the text, folded, in order.

    >>> words_of("Bell's palsy, l'asthme; diabetes type II")
    ['bell', 'palsy', 'asthme', 'diabete', 'type', '2']
    """
    return list(map(fold, written_words_of(text)))


def written_words_of(text: str) -> list[str]:
    """Return the words of the text in order, not folded, but in lower case and without accents.

    >>> written_words_of("Bell's palsy, l'asthme; diabetes type II")
    ['bells', 'palsy', 'asthme', 'diabetes', 'type', '2']
    """
    plain = text.casefold()
    if not plain.isascii():
        plain = _BEYOND_ASCII.sub(lambda part: _without_accents(part[0]), plain)
    if "'" in plain:
        plain = _ELISION.sub("", plain).replace("'", "")
    if "." in plain:
        plain = _DOTTED.sub("", plain)
    if "typ" in plain or "tip" in plain:
        plain = _NUMBERED.sub(r"\1 ", plain)
    # A regular expression would take three times as long.
    words = plain.translate(_SPACED).split() if plain.isascii() else _WORD.findall(plain)
    if not _KINDS.isdisjoint(words):
        for place, word in enumerate(words[1:], 1):
            words[place] = in_digits(words[place - 1], word)
    return words


def in_digits(before: str, word: str) -> str:
    """Return the word as a digit if it is a number of the word before it: type II."""
    return _DIGITS.get(word, word) if before in _KINDS else word


@lru_cache(_MOST_ACCENTED)
def _without_accents(text: str) -> str:
    return without_accents(text.translate(_APOSTROPHES))


# Five letters before -ion keep tension apart from TENS.
_ENDS = re.compile(
    r"(?<=....)(?:"
    r"gra(?:m|f(?:y|ic)?)|ical|atic|ic|aly?|ary|[ai]tory|[ai]tive|ive|ing|ed|ery|ment|"
    r"[ai]tion|ating|ated|ate|(?<=.....)ion|ity|itat|(?<=[^aiou])ly|nes|ist|(?<=s)ti[ck]|"
    r"ier(?:ung|en|t)?|ung|isch|ika?|en|[eiy])$"
)


def stem(word: str) -> str:
    """Return a folded word without the ends that turn it into another form of the same word.

    German and English forms of a Latin or Greek word are the same.

    >>> [stem(fold(word)) for word in ("prevent", "prevention", "preventive", "vaccines")]
    ['prevent', 'prevent', 'prevent', 'vacin']
    >>> [stem(fold(word)) for word in ("activity", "activities", "clinical", "clinically")]
    ['activ', 'activ', 'clin', 'clin']
    >>> [stem(fold(word)) for word in ("obesity", "obese")]
    ['obes', 'obes']
    >>> stem(fold("antikoagulation")) == stem(fold("anticoagulation"))
    True
    """
    if len(word) > _WHOLE:
        word = word.replace("k", "c")
        if word.endswith(("ie", "ied")):
            word = f"{word[: word.rindex('ie')]}y"
    longer = ""
    while longer != word:
        longer = word
        word = _ENDS.sub("", word)
    return word
