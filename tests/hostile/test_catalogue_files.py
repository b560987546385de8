"""Any catalogue file gives either a catalogue or short messages, within a short time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports.catalogue import FileFault, InvalidCatalogueError
from tests.adapters.files.support import KNEE
from tests.hostile.examples import quick

LONGEST_FAULT = 1000
"""The most characters of a message that a person should have to read."""


def read(file: Path) -> Catalogue | tuple[FileFault, ...]:
    try:
        return YamlCatalogueFiles().read([file])
    except InvalidCatalogueError as error:
        return error.faults


@st.composite
def spoiled_files(draw: st.DrawFn) -> str:
    """Return a valid file with lines that are moved, repeated, removed or changed."""
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
@given(
    data=st.binary(max_size=300)
    | (spoiled_files() | st.text(max_size=200)).map(lambda text: text.encode("utf-8", "replace"))
    | spoiled_files().map(lambda text: text.encode("utf-16", "surrogatepass"))
)
def test_any_content_gives_faults_or_a_catalogue(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    """The bytes are read from a file, as those of an operator are."""
    file = tmp_path_factory.getbasetemp() / "file.yaml"
    file.write_bytes(data)

    outcome = read(file)

    if isinstance(outcome, Catalogue):
        assert len(outcome.entries) == 1
        return
    assert outcome
    for fault in outcome:
        assert str(fault).isprintable()
        assert len(str(fault)) < LONGEST_FAULT
