"""The commands on the pages have the output that the pages show."""

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.cli.main import cli
from tests.deploy.shell import needs
from tests.docs.conftest import SHOWN_ADDRESS, Demo
from tests.docs.pages import DOCS, ROOT, Example, assert_printed, blocks, commands, programs

ADD_A_DIAGNOSIS = DOCS / "how-to" / "add-a-diagnosis.md"
READ_AS_FHIR = DOCS / "how-to" / "read-as-fhir.md"
TUTORIAL = DOCS / "tutorial" / "first-answer.md"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
CURL = [
    example
    for page in PAGES
    for example in commands(page)
    if example.code.startswith("curl ") and SHOWN_ADDRESS in example.code
]
STARTS = [example for page in PAGES for example in commands(page) if example.code == "make run"]
PYTHON = programs(TUTORIAL, "python")
JAVASCRIPT = programs(TUTORIAL, "javascript")


def test_there_are_examples() -> None:
    """Otherwise the other tests would check nothing."""
    assert {example.block.page for example in STARTS} == {ROOT / "README.md", TUTORIAL}
    assert {example.block.page for example in CURL} >= {ROOT / "README.md", TUTORIAL}
    assert PYTHON
    assert JAVASCRIPT


@pytest.mark.parametrize("example", STARTS, ids=str)
def test_a_start_says_what_is_shown(demo: Demo, example: Example) -> None:
    """The output of `make` precedes it, and gunicorn's log follows it."""
    assert example.shown is not None
    shown = example.shown.removeprefix("Installing into .venv …\n")

    assert_printed(shown + "…", demo.said.replace(demo.address, SHOWN_ADDRESS))


@pytest.mark.parametrize("example", CURL, ids=str)
def test_a_curl_line_gets_the_answer_that_is_shown(demo: Demo, example: Example) -> None:
    for program in ("curl", "jq"):
        needs(program)

    printed = demo.run(["bash", "example.sh"], example.code)

    assert_printed(example.shown or "…", printed.replace("\r", ""))


@pytest.mark.parametrize("example", [*PYTHON, *programs(READ_AS_FHIR, "python")], ids=str)
def test_a_program_in_python_prints_what_is_shown(demo: Demo, example: Example) -> None:
    assert example.shown
    assert_printed(example.shown, demo.run([sys.executable, "example.py"], example.code))


@pytest.mark.parametrize("example", JAVASCRIPT, ids=str)
def test_a_program_in_javascript_prints_what_is_shown(demo: Demo, example: Example) -> None:
    needs("node")

    assert example.shown
    assert_printed(example.shown, demo.run(["node", "example.mjs"], example.code))


@pytest.mark.parametrize("example", [*PYTHON, *JAVASCRIPT], ids=str)
def test_a_program_that_is_refused_says_what_is_allowed(demo: Demo, example: Example) -> None:
    """The test makes the change that the page names."""
    (shown,) = (
        block.text for block in blocks(TUTORIAL) if block.text.startswith("Invalid parameter")
    )
    command = [sys.executable, "example.py"] if example in PYTHON else ["node", "example.mjs"]
    needs(command[0])
    code = example.code.replace('"home"', '"physio"')

    assert_printed(shown, demo.refused(command, code))


def test_a_diagnosis_is_added_as_the_how_to_says(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(BUNDLED_CATALOGUE / "knee-osteoarthritis.yaml", folder)

    for command in commands(ADD_A_DIAGNOSIS):
        program, *arguments = shlex.split(command.code)
        if program == "evref":
            cli.main(arguments, standalone_mode=False)
        else:
            subprocess.run([program, *arguments], check=True)

    assert arguments == ["catalogue", "load", "my-catalogue"]
    capsys.readouterr()
    cli.main(["catalogue", "status"], standalone_mode=False)
    bundled = len(list(BUNDLED_CATALOGUE.glob("*.yaml")))
    assert capsys.readouterr().out.startswith(f"Serving {bundled} diagnoses")
