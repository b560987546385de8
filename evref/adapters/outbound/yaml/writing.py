"""From the entries of a catalogue to files that read back to the same, and read well.

The text is put together here and not by PyYAML's emitter, which cannot fold every text so that
it reads back verbatim: what is not plainly safe to fold is written in double quotes instead.
"""

import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from textwrap import TextWrapper

from evref.adapters.outbound.yaml.documents import kind_of
from evref.adapters.outbound.yaml.faults import Faults
from evref.adapters.outbound.yaml.sources import (
    LARGEST_FILE,
    catalogue_file_names,
    reason,
    shown_path,
)
from evref.domain.catalogue import Catalogue, Entry
from evref.domain.errors import InvalidCatalogueError
from evref.domain.evidence import Reference
from evref.domain.intervention import Intervention
from evref.domain.rules import folded

_WIDTH = 110
_LONGEST_AUTHOR = 30
_DIGITS_OF_SHORT_ESCAPE = 4
_LONGEST_INITIALS = 4

# Words with single spaces between: what folding gives back as it was.
_FOLDABLE = re.compile(r"\S+( \S+)*(\n+\S+( \S+)*)*")
# What other readers of YAML take for a number, a date or a truth value, beyond what ours does.
_READS_AS_SOMETHING_ELSE = re.compile(r"[yYnN]|[0-9][0-9A-Fa-foxOX_.,:eE+-]*")
# Letters of which the accent is no accent to Unicode.
_PLAIN_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ð": "d"})


def write_files(catalogue: Catalogue, folder: Path) -> None:
    """Write `ID.yaml` for each entry into the folder, which is made where there is none.

    Raises:
        InvalidCatalogueError: when the folder cannot take them; nothing is then changed.

    """
    texts = {f"{entry.diagnosis.id}.yaml": text_of_entry(entry) for entry in catalogue.entries}
    _refuse_large(texts, folder)
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_other_files(texts, folder)
        _write_beside_then_rename(texts, folder)
    except (OSError, ValueError) as error:
        with suppress(OSError):
            for path in filter(Path.is_dir, missing):
                path.rmdir()
        faults = Faults(shown_path(folder))
        faults.add(None, f"cannot be written: {reason(error)}")
        raise InvalidCatalogueError(faults.in_order()) from error


def text_of_entry(entry: Entry) -> str:
    """The file of a diagnosis."""
    diagnosis = entry.diagnosis
    keys = _reference_keys(entry)
    lines = [
        *_text(0, "id", diagnosis.id),
        *_text(0, "name", diagnosis.name),
        f"icd10: {_list(_in_quotes(str(code)) for code in diagnosis.icd10_codes)}",
        f"icd11: {_list(_in_quotes(str(code)) for code in diagnosis.icd11_codes)}",
        f"enabled_modules: {_list(diagnosis.enabled_modules)}",
        f'checked_on: "{diagnosis.checked_on}"',
    ]
    if entry.interventions:
        lines.append("interventions:")
        for intervention in entry.interventions:
            first, *others = _intervention(intervention, keys)
            lines += ["  - " + first.lstrip(), *others]
    else:
        lines.append("interventions: []")
    if keys:
        lines.append("references:")
        for (reference, _), key in keys.items():
            lines += [f"  {key}:", *_reference(reference)]
    else:
        lines.append("references: {}")
    return "\n".join(lines) + "\n"


def _intervention(
    intervention: Intervention, keys: dict[tuple[Reference, int], str]
) -> Iterator[str]:
    indent = 4
    yield from _text(indent, "id", intervention.id)
    yield from _text(indent, "module", intervention.module)
    yield from _text(indent, "phase", intervention.phase)
    yield from _text(indent, "title", intervention.title)
    yield from _text(indent, "summary", intervention.summary)
    dose = intervention.fitt_vp
    if dose is not None:
        yield "    fitt_vp:"
        for element in fields(dose):
            yield from _text(6, element.name, getattr(dose, element.name))
    yield "    evidence:"
    yield from _text(6, "certainty", intervention.evidence.certainty)
    yield from _text(6, "recommendation", intervention.evidence.recommendation)
    yield from _text(6, "direction", intervention.evidence.direction)
    yield from _text(6, "source_grade", intervention.evidence.source_grade)
    yield f"    references: {_list(keys[cited] for cited in _cited(intervention))}"


def _reference(reference: Reference) -> Iterator[str]:
    indent = 4
    yield from _text(indent, "title", reference.title)
    yield from _text(indent, "authors", reference.authors)
    yield f"    year: {reference.year}"
    yield from _text(indent, "source", reference.source)
    yield from _text(indent, "kind", reference.kind)
    for name, value in (
        ("doi", reference.doi),
        ("pmid", reference.pmid),
        ("url", reference.given_url),
    ):
        if value is not None:
            yield from _text(indent, name, value)


def _text(indent: int, name: str, value: str | None) -> Iterator[str]:
    """A field with text, in the most readable way that reads back verbatim."""
    start = f"{' ' * indent}{name}:"
    if value is None:
        yield f"{start} null"
        return
    if not _is_foldable(value):
        yield f"{start} {_in_quotes(value)}"
        return
    line = f"{start} {value if _is_plain(value) else _in_quotes(value)}"
    if len(line) <= _WIDTH and "\n" not in value:
        yield line
        return
    yield f"{start} >-"
    margin = " " * (indent + 2)
    wrapper = TextWrapper(
        _WIDTH,
        initial_indent=margin,
        subsequent_indent=margin,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for place, paragraph in enumerate(value.split("\n")):
        # Folding joins lines; a line break of the text is an empty line in the file.
        if place > 0:
            yield ""
        yield from wrapper.wrap(paragraph)


def _is_foldable(text: str) -> bool:
    return _FOLDABLE.fullmatch(text) is not None and text.replace("\n", "").isprintable()


def _is_plain(text: str) -> bool:
    """Whether the text may stand without quotes, for any reader of YAML; rather too strict."""
    return (
        text[0].isalnum()
        and ": " not in text
        and " #" not in text
        and not text.endswith(":")
        and _READS_AS_SOMETHING_ELSE.fullmatch(text) is None
        and kind_of(text) == "text"
    )


def _in_quotes(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character == "\n":
        return "\\n"
    if character.isprintable():
        return character
    code = f"{ord(character):X}"
    return f"\\U{code:0>8}" if len(code) > _DIGITS_OF_SHORT_ESCAPE else f"\\u{code:0>4}"


def _list(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _cited(intervention: Intervention) -> Iterator[tuple[Reference, int]]:
    """The references, each with how often it was listed before: a list repeats no key."""
    before: Counter[Reference] = Counter()
    for reference in intervention.references:
        yield reference, before[reference]
        before[reference] += 1


def _reference_keys(entry: Entry) -> dict[tuple[Reference, int], str]:
    """A key for each reference cited, in the order in which they first are.

    The key is the first author and the year, with a letter where two would be the same.
    """
    stems = {
        cited: f"{_author(cited[0].authors)}-{cited[0].year}"
        for intervention in entry.interventions
        for cited in _cited(intervention)
    }
    times = Counter(stems.values())
    before: Counter[str] = Counter()
    keys = {}
    for cited, stem in stems.items():
        keys[cited] = stem + (_letters(before[stem]) if times[stem] > 1 else "")
        before[stem] += 1
    return keys


def _author(authors: str) -> str:
    """The surname of the first author, or the beginning of an organisation's name, as a slug.

    >>> _author("Martin Ginis KA, van der Scheer JW")
    'martin-ginis'
    """
    words = authors.partition(",")[0].split()
    if len(words) > 1 and len(words[-1]) <= _LONGEST_INITIALS and words[-1].isupper():
        words.pop()
    name = folded(" ".join(words)).translate(_PLAIN_LETTERS)
    slug = ""
    for word in re.findall("[a-z0-9]+", re.sub("['\u2019]", "", name)):
        longer = f"{slug}-{word}" if slug else word
        if slug and len(longer) > _LONGEST_AUTHOR:
            break
        slug = longer[:_LONGEST_AUTHOR]
    return slug or "unnamed"


def _letters(place: int) -> str:
    """The letters of a place from 0 on: a to z, then aa, ab and so on."""
    more, last = divmod(place, 26)
    return (_letters(more - 1) if more else "") + chr(ord("a") + last)


def _refuse_large(texts: dict[str, str], folder: Path) -> None:
    found = []
    for name, text in texts.items():
        if len(text.encode()) > LARGEST_FILE:
            faults = Faults(shown_path(folder / name))
            faults.add(None, f"would have more than {LARGEST_FILE} bytes (1 MiB)")
            found += faults.in_order()
    if found:
        raise InvalidCatalogueError(found)


def _refuse_other_files(texts: dict[str, str], folder: Path) -> None:
    found = []
    for name in catalogue_file_names(folder):
        faults = Faults(shown_path(folder / name))
        if name not in texts:
            faults.add(None, "is a catalogue file of another diagnosis; name an empty folder")
        elif (folder / name).is_dir():
            faults.add(None, "is a folder where a file is to be written")
        found += faults.in_order()
    if found:
        raise InvalidCatalogueError(found)


def _write_beside_then_rename(texts: dict[str, str], folder: Path) -> None:
    # Reading ignores hidden names, should the process end before this one is removed.
    beside = Path(tempfile.mkdtemp(prefix=".export-", dir=folder))
    try:
        for name, text in texts.items():
            (beside / name).write_bytes(text.encode())
        for name in texts:
            (beside / name).replace(folder / name)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
