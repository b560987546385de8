"""What the pages tell to type does what they show, against a service that is served."""

import sys

import pytest

from tests.docs.conftest import SHOWN_ADDRESS, Demo, require
from tests.docs.pages import DOCS, ROOT, Example, assert_printed, commands, programs

TUTORIAL = DOCS / "tutorial" / "first-answer.md"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
CURL = [
    each
    for page in PAGES
    for each in commands(page)
    if each.code.startswith("curl ") and SHOWN_ADDRESS in each.code
]
STARTS = [each for page in PAGES for each in commands(page) if each.code == "make run"]
PYTHON = programs(TUTORIAL, "python")
JAVASCRIPT = programs(TUTORIAL, "javascript")


def test_there_are_examples() -> None:
    """What follows looks at something."""
    assert {each.block.page for each in STARTS} == {ROOT / "README.md", TUTORIAL}
    assert {each.block.page for each in CURL} >= {ROOT / "README.md", TUTORIAL}
    assert PYTHON
    assert JAVASCRIPT


@pytest.mark.parametrize("example", STARTS, ids=str)
def test_a_start_says_what_is_shown(demo: Demo, example: Example) -> None:
    """After what `make` says of installing; gunicorn's log comes after it."""
    assert example.shown is not None
    shown = example.shown.removeprefix("Installing into .venv …\n")

    assert_printed(shown + "…", demo.said.replace(demo.address, SHOWN_ADDRESS))


@pytest.mark.parametrize("example", CURL, ids=str)
def test_a_curl_line_gets_the_answer_that_is_shown(demo: Demo, example: Example) -> None:
    require("curl")

    printed = demo.run(["bash", "example.sh"], example.code)

    assert_printed(example.shown or "…", printed.replace("\r", ""))


@pytest.mark.parametrize("example", PYTHON, ids=str)
def test_a_program_in_python_prints_what_is_shown(demo: Demo, example: Example) -> None:
    assert example.shown
    assert_printed(example.shown, demo.run([sys.executable, "example.py"], example.code))


@pytest.mark.parametrize("example", JAVASCRIPT, ids=str)
def test_a_program_in_javascript_prints_what_is_shown(demo: Demo, example: Example) -> None:
    require("node")

    assert example.shown
    assert_printed(example.shown, demo.run(["node", "example.mjs"], example.code))
