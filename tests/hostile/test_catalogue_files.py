"""Catalogue files from anybody: each gives a catalogue or faults, quickly and in few words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.adapters.outbound.files.reading import Reader
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports.catalogue.files import InvalidCatalogueError
from tests.adapters.files.support import KNEE
from tests.hostile.examples import IS_LONG, quick

LONGEST_FAULT = 1000
"""Characters that a person is willing to read."""

VALUES = {
    "null": "null",
    "tilde": "~",
    "nothing": "",
    "true": "yes",
    "integer": "-1",
    "octal": "0o17",
    "huge integer": "9" * 5000,
    "infinity": ".inf",
    "not a number": ".nan",
    "date": "2026-02-30",
    "sexagesimal": "190:20:30",
    "list": "[a, b]",
    "deep list": "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
    "mapping": "{a: b}",
    "mapping as key": "{{a: b}: c}",
    "list as key": "{[a]: b}",
    "null as key": "{~: a}",
    "duplicate keys": "{a: b, a: c}",
    "merge key": "{<<: {a: b}}",
    "set": "!!set {a, b}",
    "python object": "!!python/object/apply:os.system [id]",
    "python module": "!!python/module:os",
    "python name": "!!python/name:os.system",
    "binary": "!!binary aGVsbG8=",
    "own tag": "!evil a",
    "verbatim tag": "!<tag:evil.example,2026:a> b",
    "unknown handle": "!x!a b",
    "anchor": "&a b",
    "alias of nothing": "*nothing",
    "alias of itself": "&a [*a]",
    "NUL": r'"a\0b"',
    "escape": r'"a\e[31mb"',
    "raw escape": '"a\x1b[31mb"',
    "lone surrogate": r'"\ud800"',
    "surrogate pair": r'"\ud83d\ude00"',
    "beyond Unicode": r'"\U00110000"',
    "noncharacter": r'"\uffff"',
    "bidirectional override": '"a\u202eb"',
    "zero width": '"a\u200bb"',
    "byte order mark": '"\ufeffa"',
    "line separator": '"a\u2028b"',
    "next line": '"a\x85b"',
    "many combining marks": '"a' + "\u0301" * 500 + '"',
    "ligature": '"\ufdfa' * 20 + '"',
    "open quote": '"a',
    "open bracket": "[a",
    "bracket closed": "a]",
    "tab": "\ta",
    "percent": "%YAML 9.9",
    "document end": "\n...\n--- a",
    "directive": "\n%TAG ! tag:evil.example,2026:\n---\na",
    "block of block": "|9\n a",
    "question mark": "? a",
    "at sign": "@a",
    "backquote": "`a`",
    "script": '"<script>alert(1)</script>"',
    "SQL": '"\'; DROP TABLE catalogues; --"',
    "template": '"{{ 7 * 7 }} ${7*7} %s"',
    "path": '"../../../../etc/passwd"',
    "10 kB": '"' + "a" * 10_000 + '"',
    "10 kB of spaces": '"' + " " * 10_000 + '"',
    "1,000 items": "[" + "a," * 1_000 + "]",
    "1,000 keys": "{" + "".join(f"k{n}: v, " for n in range(1_000)) + "}",
    "1,000 same keys": "{" + "k: v, " * 1_000 + "}",
    "1,000 anchors": "[" + "".join(f"&a{n} x, *a{n}, " for n in range(1_000)) + "]",
}
LINES = KNEE.splitlines()
STRIDE = 1 if IS_LONG else 7


def spoiled(line: str, value: str) -> str:
    """The line with another value: after its colon, else after the dash of its list."""
    name, colon, _ = line.partition(":")
    return f"{name}: {value}" if colon else f"- {value}"


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_any_value_in_any_place_is_judged(value: str) -> None:
    """It is taken as text where text may stand, and is else a fault in a line of its own."""
    begin = time.process_time()
    for number, line in list(enumerate(LINES))[::STRIDE]:
        judged("\n".join([*LINES[:number], spoiled(line, value), *LINES[number + 1 :]]))

    assert time.process_time() - begin < 60


def judged(text: str) -> None:
    """Read a file with this text, which must end in faults or in what can be written again."""
    entry, told = Reader().entry(text, "file.yaml")
    if entry is None:
        assert told
        for fault in told:
            assert str(fault).isprintable()
            assert len(str(fault)) < LONGEST_FAULT
    else:
        assert not told
        assert Catalogue([entry]).version


@st.composite
def spoiled_files(draw: st.DrawFn) -> str:
    """The valid file with lines moved, doubled, gone, or of which some characters are others."""
    lines = KNEE.splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 4))):
        at, other = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        change = draw(st.sampled_from(["move", "double", "drop", "indent", "type"]))
        if change == "move":
            lines.insert(other, lines.pop(at))
        elif change == "double":
            lines.insert(other, lines[at])
        elif change == "drop" and len(lines) > 1:
            del lines[at]
        elif change == "indent":
            lines[at] = " " * draw(st.integers(0, 9)) + lines[at].lstrip()
        else:
            place = draw(st.integers(0, len(lines[at])))
            typed = draw(st.text(st.sampled_from("[]{}!&*|>%@`#?:-,'\"\\ \t\n\0\ud800\u2028a0")))
            lines[at] = lines[at][:place] + typed + lines[at][place:]
    return "".join(lines)


@quick
@given(text=spoiled_files() | st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    """Nothing but faults comes of what is no catalogue file."""
    judged(text)


@quick
@given(
    data=st.binary(max_size=300)
    | spoiled_files().map(lambda text: text.encode("utf-16", "surrogatepass"))
)
def test_any_bytes_are_judged(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """As a file, through the same door as those of the operator."""
    file = tmp_path_factory.getbasetemp() / "file.yaml"
    file.write_bytes(data)
    with pytest.raises(InvalidCatalogueError) as refused:
        YamlCatalogueFiles().read([file], lambda _done, _total: None)

    assert all(str(fault).isprintable() for fault in refused.value.faults)


def hostile_folder(folder: Path) -> Iterator[Path]:
    """What a folder may hold besides files."""
    secret = folder.parent / "secret"
    secret.write_text("root:x:0:0")
    for name, leads_to in {
        "out": secret,
        "far out": Path("/etc/passwd"),
        "process": Path("/proc/self/environ"),
        "endless": Path("/dev/zero"),
        "terminal": Path("/dev/tty"),
        "itself": Path("itself.yaml"),
        "nowhere": Path("nowhere"),
    }.items():
        (folder / f"{name}.yaml").symlink_to(leads_to)
        yield folder / f"{name}.yaml"


def test_no_link_in_a_folder_leads_to_what_is_not_the_folder_s(tmp_path: Path) -> None:
    """And no fault quotes a word of it."""
    folder = tmp_path / "catalogue"
    folder.mkdir()
    links = list(hostile_folder(folder))
    (folder / "up.yaml").symlink_to("..")

    with pytest.raises(InvalidCatalogueError) as refused:
        YamlCatalogueFiles().read([folder], lambda _done, _total: None)

    faults = refused.value.faults
    assert {fault.file for fault in faults} == {str(link) for link in links}
    assert YamlCatalogueFiles().not_read([folder]) == (str(folder / "up.yaml"),)
    assert not any("root" in fault.message or "=" in fault.message for fault in faults)
