"""Tests that nobody needs a compiler to install the service."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT_ITSELF = "install --no-deps --no-build-isolation"


def make(*arguments: str) -> str:
    """Return what `make` prints, without the options of the `make` that runs the tests."""
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != "MAKEFLAGS"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize("target", ["install", "install-dev", "install-bench", "run", "test"])
def test_every_locked_package_is_installed_as_a_wheel(target: str) -> None:
    """Pip fails if a package has no wheel, and these tests run on what pip installed."""
    installed = re.findall(r"-m pip .*?(install .*)", make("--dry-run", "--always-make", target))

    others = [line for line in installed if not line.startswith(PROJECT_ITSELF)]
    assert len(installed) == len(others) + 1
    assert all("--no-deps --only-binary :all: --require-hashes" in line for line in others)


@pytest.mark.parametrize("page", ["deploy/Containerfile", "docs/how-to/deploy.md"])
def test_operators_install_wheels_only(page: str) -> None:
    text = (ROOT / page).read_text().replace("\\\n", " ")
    locked = re.findall(r"pip\"? install .*--requirement.*", text)

    assert locked
    assert all("--only-binary :all:" in line for line in locked)
    assert not re.search(r"\bgcc\b|python3-dev|build-essential", text)


def test_no_package_was_compiled_on_this_machine() -> None:
    """Wheels of a package index name the oldest system that they run on, such as manylinux_2_17."""
    compiled_here = [
        package.name
        for package in distributions()
        for tag in re.findall(r"(?m)^Tag: (.*)$", package.read_text("WHEEL") or "")
        if re.search(r"-linux_\w+$", tag)
    ]

    assert compiled_here == []
    assert sys.prefix != sys.base_prefix


def test_the_parser_in_c_is_an_extra() -> None:
    for name in ("run", "dev", "bench"):
        assert "gunicorn-h1c" not in (ROOT / "requirements" / f"{name}.txt").read_text()


def test_make_with_only_a_python_installs_with_that_python() -> None:
    """Otherwise it would show the help, as it does without arguments."""
    assert "pip" in make("--dry-run", "--always-make", "PYTHON=python3.12")
    assert "python3.12 -m venv" in make("--dry-run", "--always-make", "PYTHON=python3.12")
    assert "list the targets" in make()
