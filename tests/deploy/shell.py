"""Reads the commands in the how-tos for operators, and the files in `deploy/`, for tests."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from os import environ
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
HOW_TOS = tuple(
    ROOT / "docs" / "how-to" / f"{name}.md"
    for name in (
        *("deploy", "upgrade", "back-up", "monitor", "run-on-many-machines"),
        *("run-on-granian", "run-on-kubernetes"),
    )
)


def files() -> tuple[Path, ...]:
    """Return every file that an operator copies or reads."""
    return (*(path for path in DEPLOY.rglob("*") if path.is_file()), *HOW_TOS)


def section(page: Path, heading: str) -> str:
    """Return the text below a heading, up to the next heading of its level."""
    rank = heading.split(maxsplit=1)[0]
    match = re.search(
        rf"(?ms)^{re.escape(heading)}$(.*?)(?=^#{{1,{len(rank)}}} |\Z)", page.read_text()
    )
    assert match is not None, f"{page.name} has no section {heading}"
    return match[1]


def blocks(text: str) -> list[str]:
    """Return the blocks of shell commands, with continued lines joined."""
    return [block.replace("\\\n", " ") for block in re.findall(r"(?ms)^```sh\n(.*?)^```$", text)]


def commands() -> Iterator[tuple[str, str]]:
    """Yield each line of a block with the name of its page."""
    for page in HOW_TOS:
        for block in blocks(page.read_text()):
            for line in block.splitlines():
                yield page.name, line.strip()


def output(*command: str | Path, **options: Any) -> str:
    """Return what a program prints; it must succeed."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def adapted(text: str, replaced: Mapping[str, str]) -> str:
    """Return a script or a configuration with other paths and names; it must have them all."""
    for there, here in replaced.items():
        assert there in text, f"{there!r} is not there any more"
        text = text.replace(there, here)
    return text


def run(script: str, folder: Path, replaced: Mapping[str, str], **variables: str) -> str:
    """Run a script, which must succeed, with replaced paths and users; return its output."""
    bash = ("bash", "-euo", "pipefail", "-c", adapted(script, replaced))
    return output(*bash, cwd=folder, env={**environ, **variables})


def needs(program: str) -> str:
    """Return the path of a program; if it is missing, skip the test, or fail it if required."""
    path = shutil.which(program, path=f"{environ.get('PATH', '')}:/usr/sbin")
    if path is None:
        missing(f"{program} is not installed")
    return path


def missing(message: str) -> NoReturn:
    """Skip the test, or fail it if nothing may be missing."""
    if environ.get("EVREF_REQUIRE_PROGRAMS") == "1":
        pytest.fail(message)
    pytest.skip(message)


def proxy_lines(language: str) -> str:
    """Return the lines for a proxy in the how-to for sign-in, by the language of their block."""
    page = ROOT / "docs" / "how-to" / "sign-in-with-your-identity-provider.md"
    (lines,) = re.findall(rf"(?ms)^```{language}\n(.*?)^```", page.read_text())
    assert isinstance(lines, str)
    return lines
