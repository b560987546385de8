"""Runs commands as a shell would, but within this process."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evref.adapters.outbound.files import catalogue_files, nodes
from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.cli.main import main
from tests.servers import free_port


@dataclass(frozen=True)
class Result:
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the JSON on standard output, which must contain nothing else."""
        return json.loads(self.out)

    def refused(self) -> str:
        """Return the only line on standard error of a command that failed."""
        assert self.status == 1, (self.out, self.err)
        assert self.out == ""
        (line,) = self.err.splitlines()
        assert line.startswith("evref: ")
        return line.removeprefix("evref: ")


KNEE = BUNDLED_CATALOGUE / "knee-osteoarthritis.yaml"
Run = Callable[..., Result]

KEY = ("key", "create", "--institution", "General Hospital", "--name", "Ward app")
MEMBER = ("member", "create", "Ward@Example.org", "--institution", "General Hospital")
LONG = b"correct horse battery"
INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


@pytest.fixture(scope="session", autouse=True)
def _parsed_files() -> Iterator[None]:
    """Cache parsed files, because most commands read the bundled catalogue."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue_files, "parsed", cache(nodes.parsed))
        yield


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `evref` with these arguments, this standard input and these settings."""

    def run(*arguments: str, stdin: bytes = b"", **settings: str) -> Result:
        with monkeypatch.context() as patched:
            # Without it, loading a catalogue warns.
            for name, text in {"canonical_root": "https://example.org", **settings}.items():
                patched.setenv(f"EVREF_{name.upper()}", text)
            if arguments[:1] in {("serve",), ("demo",)} and "--bind" not in arguments:
                # Where nobody listens, as someone may on the default.
                arguments = (*arguments, "--bind", f"127.0.0.1:{free_port()}")
            patched.setattr(sys, "argv", ["evref", *arguments])
            patched.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            with pytest.raises(SystemExit) as ended:
                main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        assert isinstance(ended.value.code, int)
        return Result(ended.value.code, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def prepared() -> dict[str, bytes]:
    """Return a new database; it is a copy, because creating one is slow."""
    return {}


@pytest.fixture
def ready(run: Run, folder: Path, prepared: dict[str, bytes]) -> Run:
    """Return a database that also has an institution."""
    file = folder / "evref.sqlite"
    if "database" not in prepared:
        assert run("init").status == 0
        assert run("institution", "create", "General Hospital").status == 0
        prepared["database"] = file.read_bytes()
    file.write_bytes(prepared["database"])
    return run


@pytest.fixture
def files(folder: Path) -> Path:
    """Return a folder with three files of the bundled catalogue."""
    copies = folder / "copies"
    copies.mkdir()
    for name in ("knee-osteoarthritis", "asthma", "migraine"):
        shutil.copy(BUNDLED_CATALOGUE / f"{name}.yaml", copies)
    return copies
