"""Installing the service needs no compiler, and depends on no release after the lock."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution, distributions
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

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


def empty_wheel(folder: Path, name: str, version: str, requires: list[str]) -> str:
    """Write a wheel without modules; return its hash as in a lock."""
    stem = f"{name.replace('-', '_')}-{version}"
    file = folder / f"{stem}-py3-none-any.whl"
    with ZipFile(file, "w") as wheel:
        fields = [
            f"Name: {name}",
            f"Version: {version}",
            *(f"Requires-Dist: {r}" for r in requires),
        ]
        wheel.writestr(f"{stem}.dist-info/METADATA", "\n".join(["Metadata-Version: 2.1", *fields]))
        wheel.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")
    return f"--hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"


def required_by(package: str) -> list[str]:
    try:
        return distribution(package).metadata.get_all("Requires-Dist") or []
    except PackageNotFoundError:  # a package for other operating systems
        return []


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="no pip before 23.1.2 runs on Python 3.12")
@pytest.mark.parametrize("is_as_in_make", [True, False])
def test_an_old_pip_installs_the_lock_after_newer_releases_of_every_package(
    tmp_path: Path, *, is_as_in_make: bool
) -> None:
    """The same pip refuses to install the lock if it resolves it."""
    index, lock = tmp_path / "index", tmp_path / "lock.txt"
    index.mkdir()
    pinned = re.findall(
        r"(?m)^([a-z0-9_.-]+)(\[[^]]*\])?==([^ \\]+)( ;[^\\]*)?",
        (ROOT / "requirements" / "run.txt").read_text(),
    )
    lines = []
    for name, extras, version, marker in pinned:
        checksum = empty_wheel(index, name, version, required_by(name))
        empty_wheel(index, name, "9999", required_by(name))
        lines.append(f"{name}{extras}=={version}{marker} {checksum}\n")
    lock.write_text("".join(lines))
    (options,) = re.findall(r"install (.*) requirements/run", make("-n", "-B", "install"))
    if not is_as_in_make:
        options = options.replace("--no-deps", "")

    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "install"),
            *("--no-index", "--find-links", index, "--target", tmp_path / "made"),
            *(*options.split(), lock),
        ],
        env={**os.environ, "PYTHONPATH": str(Path(sys.prefix, "oldest-pip"))},
        capture_output=True,
        text=True,
        check=False,
    )

    made = {path.name for path in tmp_path.glob("made/*-9999.dist-info")}
    assert (done.returncode == 0) is is_as_in_make, done.stderr
    assert made == set()
    assert is_as_in_make or "all requirements must have their versions pinned" in done.stderr


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
