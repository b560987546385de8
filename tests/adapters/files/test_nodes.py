"""Tests of YAML that a catalogue file does not need, including hostile YAML."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from evref.adapters.outbound.codec.records import Unquoted
from evref.adapters.outbound.files import nodes
from evref.adapters.outbound.files.nodes import FileError, parsed
from tests.adapters.files.support import KNEE, faults_in_text, knee_with

NAME = "name: Knee osteoarthritis"
ANCHORS = "anchors (&), aliases (*) and tags (!) are not allowed, write the value out"


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with both of PyYAML's parsers."""
    loader = yaml.CSafeLoader if request.param == "libyaml" else yaml.SafeLoader
    monkeypatch.setattr(nodes, "LOADER", loader)


PLAIN_KEY = "a key must be a plain word, not a list or a mapping"
# The text that replaces the name on line 2, and the line and message of the fault.
REJECTED = {
    "a tag of Python": ("name: !!python/object/apply:os.system [touch harm]", 2, ANCHORS),
    "a tag of YAML on a key": ("!!str name: Knee", 2, ANCHORS),
    "a tag on a mapping": ("name: !x\n  a: b", 2, ANCHORS),
    "an anchor on a list": ("name: &a\n  - b", 2, ANCHORS),
    "an alias for a key": ("*a : Knee", 2, ANCHORS),
    "a list for a key": ("? [a]\n: b", 2, PLAIN_KEY),
    "a mapping for a key": ("? {a: b}\n: {c: d}", 2, PLAIN_KEY),
    "a key given twice": ("name: a\nname: b", 3, "name: is given twice, first on line 2"),
    "a second document": ("---\nname: a", 2, "must have one document only, another begins here"),
    "the code of NUL": (
        r'name: "Kn\0ee"',
        2,
        "name: must be plain text without control characters",
    ),
    "an escape": ("name: Kn\x1bee", 2, "must not have control characters, has U+001B"),
}


@pytest.mark.parametrize(("text", "line", "message"), REJECTED.values(), ids=REJECTED.keys())
def test_yaml_that_a_file_does_not_need_is_rejected(
    text: str, line: int, message: str, tmp_path: Path
) -> None:
    assert faults_in_text(tmp_path, knee_with(NAME, text)) == [(line, message)]


def test_a_merge_key_is_an_unknown_field(tmp_path: Path) -> None:
    ((line, message),) = faults_in_text(tmp_path, f"{KNEE}<<: {{name: Hip}}\n")

    assert line == KNEE.count("\n") + 1
    assert message.startswith("<<: is not a field; the fields are id, name, ")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id: a\nname: 'b\nicd10: []\n", 3),
        ("id: a\nname: b: c\n", 2),
        ("id: a\n\tname: b\n", 2),
        ("id: a\nname: @b\n", 2),
        ("id: a\nname: {b\n", 2),
        ("id: a\n- b\n", 2),
        ('id: a\nname: "\\q"\n', 2),
    ],
)
def test_text_that_is_not_yaml_is_one_fault(text: str, line: int, tmp_path: Path) -> None:
    ((reported, message),) = faults_in_text(tmp_path, text)

    assert reported == line
    assert message.startswith("is not valid YAML: ")
    assert "\n" not in message


def test_an_unclosed_quote_is_reported_with_its_beginning(tmp_path: Path) -> None:
    """The parser notices the missing quote only at the end of the file."""
    ((line, message),) = faults_in_text(tmp_path, knee_with(NAME, "name: 'Knee"))

    assert line == KNEE.count("\n")
    assert "while scanning a quoted scalar that begins on line 2" in message


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"])
def test_a_file_without_content_is_one_fault(text: str, tmp_path: Path) -> None:
    """The fault has no line, because it concerns the whole file."""
    assert faults_in_text(tmp_path, text) == [
        (None, "is empty, must have the fields of a diagnosis")
    ]


@pytest.mark.parametrize("text", ["[]", "- a\n", "word", "---\n...\n", "12"])
def test_a_file_must_be_a_mapping(text: str, tmp_path: Path) -> None:
    ((_, message),) = faults_in_text(tmp_path, text)

    assert message.startswith("must be a mapping with the fields id, name, icd10, icd11, terms,")


def test_a_lone_surrogate_is_one_fault(tmp_path: Path) -> None:
    """UTF-8 cannot encode it; one parser rejects the escape, the other the character."""
    ((line, _),) = faults_in_text(tmp_path, knee_with(NAME, r'name: "Kn\ud800ee"'))

    assert line == 2


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(9)
)
TOO_MANY = "must not have more than 50000 keys and values"
TOO_DEEP = "must not be nested deeper than 20 levels"
HOSTILE = {
    "a billion laughs": (BOMB, 1, ANCHORS),
    "one long text many times": (
        f"a: &a {'x' * 500_000}\nb: [{', '.join(['*a'] * 100_000)}]\n",
        1,
        ANCHORS,
    ),
    "empty lists": ("a: [" + "[]," * 60_000 + "]", 1, TOO_MANY),
    "brackets": ("a: " + "[" * 100_000, 1, TOO_DEEP),
    "nested mappings": ("{a: " * 100_000, 1, TOO_DEEP),
    "indentation": ("".join(f"{' ' * depth}a:\n" for depth in range(1000)), 21, TOO_DEEP),
}


@pytest.mark.parametrize(("text", "line", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_is_one_fault(text: str, line: int, message: str, tmp_path: Path) -> None:
    assert faults_in_text(tmp_path, text) == [(line, message)]


def test_twenty_levels_are_allowed_and_twenty_one_are_not() -> None:
    assert parsed("[" * 20 + "]" * 20).data is not None
    with pytest.raises(FileError):
        parsed("[" * 21 + "]" * 21)


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_giant_text_is_reported_by_its_length(quote: str, tmp_path: Path) -> None:
    text = knee_with(NAME, f"name: {quote}{'a' * 900_000}{quote}")

    assert faults_in_text(tmp_path, text) == [
        (2, "name: must have 1 to 120 characters, has 900000")
    ]


def test_lines_are_counted_as_editors_count_them() -> None:
    """YAML treats more characters as line breaks than editors do."""
    root = parsed('# \x85 \u2028 \u2029\na: "b\u2028c"\r\nd: e\n')

    assert isinstance(root.inner, dict)
    assert {name: node.line for name, node in root.inner.items()} == {"a": 2, "d": 3}


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("word", "word"),
        ("2 to 3", "2 to 3"),
        ('"12"', "12"),
        ("'yes'", "yes"),
        ("", None),
        ("~", None),
        ("off", Unquoted("off")),
        ("12", 12),
        ("0x1F", Unquoted("0x1F")),
        ("1_000", Unquoted("1_000")),
        ("9" * 5000, Unquoted("9" * 5000)),
        ("1.5e+3", Unquoted("1.5e+3")),
        ("190:20:30", Unquoted("190:20:30")),
        ("2001-12-14 21:59:43", Unquoted("2001-12-14 21:59:43")),
        ("=", Unquoted("=")),
    ],
)
def test_a_value_has_its_kind_in_yaml(text: str, data: object) -> None:
    """PyYAML reads YAML 1.1; only text, null and plain numbers become data."""
    root = parsed(f"- {text}\n")

    assert isinstance(root.inner, list)
    [item] = root.inner
    assert item.data == data
