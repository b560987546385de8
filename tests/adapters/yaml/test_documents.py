"""YAML that a catalogue file has no use for, some of it meant to harm."""

import time
from pathlib import Path

import pytest
import yaml

from evref.adapters.outbound.yaml import documents
from evref.adapters.outbound.yaml.documents import Mapping, Scalar, Sequence, document
from evref.adapters.outbound.yaml.faults import Faults
from evref.domain.errors import FileFault
from tests.adapters.yaml.support import KNEE, faults_in_text, knee_with, read


@pytest.fixture(params=["libyaml", "python"], autouse=True)
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test runs with both of PyYAML's parsers."""
    loader = yaml.CSafeLoader if request.param == "libyaml" else yaml.SafeLoader
    monkeypatch.setattr(documents, "_LOADER", loader)


def parsed(text: str) -> tuple[documents.Node | None, list[FileFault]]:
    faults = Faults("x")
    return document(text, faults), faults.in_order()


REFUSED = {
    "a tag of Python": (
        {2: "name: !!python/object/apply:os.system [touch harm]"},
        [(2, "tags are not allowed, remove !!python/object/apply:os.system")],
    ),
    "a tag of its own": ({2: "name: !x Knee"}, [(2, "tags are not allowed, remove !x")]),
    "a tag of YAML": ({2: "name: !!str Knee"}, [(2, "tags are not allowed, remove !!str")]),
    "a tag on a key": ({2: "!!str name: Knee"}, [(2, "tags are not allowed, remove !!str")]),
    "a tag of YAML on a mapping": (
        {21: "    evidence: !!map", 22: "      certainty: some"},
        [
            (21, "tags are not allowed, remove !!map"),
            (
                22,
                ("certainty: must be one of high, moderate, low, very_low, not_graded,"
                ' not "some"'),
            ),
        ],
    ),
    "a tag on what an alias stands for": (
        {3: "icd10: &a !x [M17]", 4: "icd11: *a"},
        [(3, "tags are not allowed, remove !x")],
    ),
    "a tag on a mapping": ({21: "    evidence: !x"}, [(21, "tags are not allowed, remove !x")]),
    "a merge key": (
        {2: "<<: {name: Hip}\nname: Knee"},
        [(2, "merge keys (<<) are not allowed, write the fields out")],
    ),
    "a merge key that stands for what is needed": (
        {1: "<<: {id: knee, name: Knee}", 2: "", 53: "    <<: {url: https://example.org}"},
        [
            (line, "merge keys (<<) are not allowed, write the fields out")
            for line in (1, 52)
        ],
    ),
    "a merge key among references": (
        {47: "  <<:\n   nice-2022:"} | dict.fromkeys(range(48, 54), ""),
        [(47, "merge keys (<<) are not allowed, write the fields out")],
    ),
    "an alias without anchor for a key": (
        {2: "*nothing : Knee"},
        [(2, "the alias *nothing has no anchor before it")],
    ),
    "an alias without anchor for a reference": (
        {25: "    references: [*nothing]"},
        [(25, "the alias *nothing has no anchor before it")],
    ),
    "a list for a key": (
        {2: "? [a]\n: b\nname: Knee"},
        [(2, "a key must be a plain word, not a list or a mapping")],
    ),
    "a mapping for a key": (
        {2: "? {a: b}\n: {c: d}\nname: Knee"},
        [(2, "a key must be a plain word, not a list or a mapping")],
    ),
    "an alias without anchor": (
        {2: "name: *nothing"},
        [(2, "the alias *nothing has no anchor before it")],
    ),
    "an alias within its anchor": (
        {5: "enabled_modules: &a\n  - fitt_vip\n  - home\n  - *a"},
        [(8, "the alias *a stands within its own anchor")],
    ),
    "keys given three times": (
        {2: "name: a\nname: b\nname: c"},
        [(line, "name: is given twice, first on line 2") for line in (3, 4)],
    ),
    "a second document": (
        {6: "---\ninterventions:"},
        [(6, "must have one document only, another begins here")],
    ),
    "the code of NUL": (
        {2: r'name: "Kn\0ee"'},
        [(2, "must be text without control characters, has U+0000")],
    ),
    "a NUL": ({2: "name: Kn\0ee"}, [(2, "must not have control characters, has U+0000")]),
    "an escape": ({2: "name: Kn\x1bee"}, [(2, "must not have control characters, has U+001B")]),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "faults"), REFUSED.values(), ids=REFUSED.keys())
def test_what_a_file_does_not_need_is_refused(
    changes: dict[int, str], faults: list[tuple[int, str]], tmp_path: Path
) -> None:
    """One fault each, at its line."""
    assert faults_in_text(tmp_path, knee_with(changes)) == faults


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
def test_text_that_is_no_yaml_is_one_fault(text: str, line: int, tmp_path: Path) -> None:
    """In the parser's words, at the line where it stopped."""
    ((told, message),) = faults_in_text(tmp_path, text)

    assert told == line
    assert message.startswith("is no valid YAML: ")
    assert "\n" not in message


def test_an_unclosed_quote_is_told_with_its_beginning(tmp_path: Path) -> None:
    """The parser meets it at the end of the file only."""
    ((line, message),) = faults_in_text(tmp_path, knee_with({2: "name: 'Knee"}))

    assert line == 53
    assert "while scanning a quoted scalar that begins on line 2" in message


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"])
def test_a_file_without_content_is_one_fault(text: str, tmp_path: Path) -> None:
    """It has no line to name."""
    assert faults_in_text(tmp_path, text) == [
        (None, "is empty, must be a mapping with the fields of a diagnosis")
    ]


@pytest.mark.parametrize("text", ["[]", "- a\n", "word", "---\n...\n", "12"])
def test_a_file_must_be_a_mapping(text: str, tmp_path: Path) -> None:
    """The fault lists the fields."""
    ((_, message),) = faults_in_text(tmp_path, text)

    assert message.startswith("the file: must be a mapping with the fields id, name, icd10, icd11,")


def test_a_lone_surrogate_is_one_fault(tmp_path: Path) -> None:
    """No UTF-8 can hold it; one parser refuses the escape, the other the character."""
    ((line, _),) = faults_in_text(tmp_path, knee_with({2: r'name: "Kn\ud800ee"'}))

    assert line == 2


def test_aliases_may_be_used(tmp_path: Path) -> None:
    """Where two interventions have the same evidence, say."""
    text = KNEE.replace(
        "    evidence:\n      certainty: mod", "    evidence: &a\n      certainty: mod"
    )
    head, _, tail = text.rpartition("    evidence:\n")
    (tmp_path / "knee.yaml").write_text(
        head + "    evidence: *a\n" + tail[tail.index("    references:") :]
    )
    (entry,) = read(tmp_path).entries

    first, second = entry.interventions
    assert first.evidence == second.evidence


def test_what_aliases_share_is_told_once(tmp_path: Path) -> None:
    """Its fault stands where it is written, not where it is used."""
    text = knee_with({21: "    evidence: &a", 22: "      certainty: some", 33: "    evidence: *a"})
    lines = text.splitlines(keepends=True)
    del lines[33:36]

    assert [line for line, _ in faults_in_text(tmp_path, "".join(lines))] == [22]


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(9)
)
HOSTILE = {
    "a billion laughs": (BOMB, 5, "aliases must not stand for more than 50000 nodes"),
    "one long text many times": (
        f"a: &a {'x' * 500_000}\nb: [{', '.join(['*a'] * 100_000)}]\n",
        2,
        "aliases must not stand for more than 50000 nodes",
    ),
    "brackets": ("a: " + "[" * 100_000, 1, "must not be nested deeper than 20 levels"),
    "braces": ("{" * 100_000, 1, "must not be nested deeper than 20 levels"),
    "nested mappings": ("{a: " * 100_000, 1, "must not be nested deeper than 20 levels"),
    "dashes": ("- " * 100_000, 1, "must not be nested deeper than 20 levels"),
    "question marks": ("? " * 100_000, 1, "must not be nested deeper than 20 levels"),
    "indentation": (
        "".join(f"{' ' * depth}a:\n" for depth in range(1000)),
        21,
        "must not be nested deeper than 20 levels",
    ),
}


@pytest.mark.parametrize(("text", "line", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_file_is_one_fault_at_once(
    text: str, line: int, message: str, tmp_path: Path
) -> None:
    """Read no further than to the fault."""
    begin = time.process_time()
    faults = faults_in_text(tmp_path, text)

    assert faults == [(line, message)]
    assert time.process_time() - begin < 2


def test_twenty_levels_are_allowed() -> None:
    """The limit itself is within."""
    root, faults = parsed("[" * 20 + "]" * 20)

    assert isinstance(root, Sequence)
    assert faults == []


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_giant_text_is_told_by_its_length(quote: str, tmp_path: Path) -> None:
    """The message does not repeat it."""
    ((line, message),) = faults_in_text(
        tmp_path, knee_with({2: f"name: {quote}{'a' * 900_000}{quote}"})
    )

    assert (line, message) == (2, "name: must have 1 to 120 characters, has 900000")


def test_a_giant_key_is_told_in_part(tmp_path: Path) -> None:
    """Its beginning is enough to find it."""
    faults = faults_in_text(tmp_path, knee_with({2: f"name: Knee\n? {'a' * 900_000}\n: b"}))

    assert [line for line, _ in faults] == [3]
    assert faults[0][1].startswith("a" * 59 + "…: is no field of a diagnosis")


def test_many_repeats_take_linear_time(tmp_path: Path) -> None:
    """A megabyte of one code is judged as quickly as a megabyte of others."""
    begin = time.process_time()
    faults = faults_in_text(tmp_path, knee_with({3: f"icd10: [{'M17,' * 20_000}]"}))

    assert faults == [(3, "icd10: must not repeat M17")]
    assert time.process_time() - begin < 10


def test_lines_are_counted_as_editors_count_them() -> None:
    """YAML takes more characters for line breaks than editors do."""
    root, _ = parsed('# \x85 \u2028 \u2029\na: "b\u2028c"\r\nd: e\n')

    assert isinstance(root, Mapping)
    assert {name: field.line for name, field in root.fields.items()} == {"a": 2, "d": 3}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("word", "text"),
        ("2 to 3", "text"),
        ('"12"', "text"),
        ("'yes'", "text"),
        ("", "null"),
        ("~", "null"),
        ("off", "true or false"),
        ("0x1F", "a number"),
        ("1_000", "a number"),
        ("1.5e+3", "a number"),
        ("190:20:30", "a number"),
        ("2001-12-14 21:59:43", "a date"),
        ("=", "something else"),
    ],
)
def test_the_kind_of_a_text_is_that_of_yaml(text: str, kind: str) -> None:
    """As YAML 1.1 has it, which PyYAML reads."""
    root, _ = parsed(f"[{text or 'null'}]" if text else "- \n")

    assert isinstance(root, Sequence)
    (item,) = root.items
    assert isinstance(item, Scalar)
    assert item.kind == kind
