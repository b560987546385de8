"""The lines of the whole catalogue, read by the tools that the how-to for a copy names."""

from __future__ import annotations

import shlex

import pytest

from tests.clients.conftest import TOOLS
from tests.docs.conftest import Demo, demo  # noqa: F401 - a fixture
from tests.docs.pages import DOCS, Example, assert_printed, commands

COPY = DOCS / "how-to" / "keep-a-copy.md"
(DOWNLOAD,) = (each for each in commands(COPY) if each.code.startswith("curl "))
PYTHON = [each for each in commands(COPY) if each.code.startswith("python ")]


def test_the_page_has_examples() -> None:
    """Otherwise the other tests would check nothing."""
    assert len(PYTHON) == 2


@pytest.mark.parametrize("example", PYTHON, ids=str)
def test_a_tool_reads_the_lines(request: pytest.FixtureRequest, example: Example) -> None:
    served: Demo = request.getfixturevalue("demo")
    served.run(["bash", "download.sh"], DOWNLOAD.code)

    python = shlex.quote(str(TOOLS / "python"))
    printed = served.run(["bash", "read.sh"], example.code.replace("python", python, 1))

    assert example.shown
    assert_printed(example.shown, printed)
