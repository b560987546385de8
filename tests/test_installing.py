"""Installing the service needs no compiler, and depends on no release after the lock."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

from tests.deploy.shell import output

ROOT = Path(__file__).parents[1]
PROJECT_ITSELF = "install --no-deps --no-build-isolation"


def make(*arguments: str) -> str:
    """Return what `make` prints, without the options of the `make` that runs the tests."""
    environ = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    return output("make", "--no-print-directory", *arguments, cwd=ROOT, env=environ)


@pytest.mark.parametrize("target", ["install", "install-dev", "install-bench", "run", "test"])
def test_every_locked_package_is_installed_as_a_wheel(target: str) -> None:
    """Pip fails if a package has no wheel, and these tests run on what pip installed."""
    installed = re.findall(r"-m pip .*?(install .*)", make("--dry-run", "--always-make", target))

    others = [line for line in installed if not line.startswith(PROJECT_ITSELF)]
    assert len(installed) == len(others) + 1
    assert all("--no-deps --only-binary :all: --require-hashes" in line for line in others)


@pytest.mark.parametrize(
    "page", ["deploy/Containerfile", "docs/how-to/deploy.md", "docs/how-to/upgrade.md"]
)
def test_operators_install_the_lock_without_resolving_it_and_check_it(page: str) -> None:
    text = (ROOT / page).read_text().replace("\\\n", " ")
    locked = re.findall(r"pip\"? install .*--requirement.*", text)

    assert locked
    assert all("--no-deps --only-binary :all: --require-hashes" in line for line in locked)
    assert len(re.findall(r"pip\"? check", text)) == len(locked)
    assert not re.search(r"\bgcc\b|python3-dev|build-essential", text)


def test_the_documents_need_no_tag_of_the_repository() -> None:
    """A clone can have none."""
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), *ROOT.glob("deploy/**/*")]
    text = "\n".join(page.read_text() for page in pages if page.is_file())

    assert re.findall(r"git (?:checkout|switch|clone)\b.*\bv[0-9].*", text) == []


def test_the_citation_names_the_last_release() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    released = re.search(r"(?m)^## ([0-9.]+) - (\S+)$", (ROOT / "CHANGELOG.md").read_text())

    assert released is not None
    assert (citation["version"], str(citation["date-released"])) == released.groups()


def test_linting_needs_one_environment() -> None:
    """Those of the benchmarks and the clients have 866 MB."""
    printed = make("--dry-run", "--always-make", "lint")

    assert set(re.findall(r"\S*\.venv[\w-]*", printed)) == {".venv"}


def test_the_parser_in_c_is_an_extra() -> None:
    for name in ("run", "dev", "bench"):
        assert "gunicorn-h1c" not in (ROOT / "requirements" / f"{name}.txt").read_text()


def test_make_with_only_a_python_installs_with_that_python() -> None:
    """Otherwise it would show the help, as it does without arguments."""
    assert "pip" in make("--dry-run", "--always-make", "PYTHON=python3.12")
    assert "python3.12 -m venv" in make("--dry-run", "--always-make", "PYTHON=python3.12")
    assert "list the targets" in make()
