"""The commands in the how-tos for operators, and the files of `deploy/`, as tests look at them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from os import environ
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
HOW_TOS = tuple(
    ROOT / "docs" / "how-to" / f"{name}.md"
    for name in ("deploy", "upgrade", "back-up", "monitor", "run-on-many-machines")
)


def files() -> tuple[Path, ...]:
    """Every file that an operator copies or reads."""
    return (*(path for path in DEPLOY.rglob("*") if path.is_file()), *HOW_TOS)


def section(page: Path, heading: str) -> str:
    """The text below a heading, to the next one of its rank."""
    rank = heading.split(maxsplit=1)[0]
    found = re.search(
        rf"(?ms)^{re.escape(heading)}$(.*?)(?=^#{{1,{len(rank)}}} |\Z)", page.read_text()
    )
    assert found is not None, f"{page.name} has no section {heading}"
    return found[1]


def blocks(text: str) -> list[str]:
    """The blocks of shell commands, with lines that go on joined."""
    return [block.replace("\\\n", " ") for block in re.findall(r"(?ms)^```sh\n(.*?)^```$", text)]


def commands() -> Iterator[tuple[str, str]]:
    """Each line of a block, with the name of its page."""
    for page in HOW_TOS:
        for block in blocks(page.read_text()):
            for line in block.splitlines():
                yield page.name, line.strip()


def run(script: str, folder: Path, replaced: Mapping[str, str], **variables: str) -> str:
    """What a script prints that has to succeed, with paths and users of this machine's own."""
    for text, other in replaced.items():
        assert text in script, f"nothing says {text!r} any more"
        script = script.replace(text, other)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{script}\n{done.stderr}"
    return done.stdout


def needs(program: str) -> str:
    """The path of a program; where there is none, the test is skipped, or fails if told so."""
    found = shutil.which(program, path=f"{environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        message = f"no {program} on this machine: what needs it was not tried"
        if environ.get("EVREF_REQUIRE_PROGRAMS") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return found
