"""Processes that start quickly, because they are forked from one with all imports."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

_CONTEXT = multiprocessing.get_context("forkserver")
# pytest is included because a new process imports its parent's main module.
_CONTEXT.set_forkserver_preload(
    [
        "alembic.command",
        "evref.cli.main",
        "evref.adapters.outbound.sql.postgresql",
        "pytest",
        "sqlalchemy.dialects.postgresql.psycopg",
        "tests.crash.work",
        "tests.servers",
    ]
)


def forked(work: Callable[..., object], *arguments: Any) -> ForkServerProcess:
    """Start a process that calls a module-level function, and return the process."""
    process = _CONTEXT.Process(target=work, args=arguments, daemon=True)
    process.start()
    return process


class Command:
    """Runs `evref` with these arguments and settings, in a separate process and folder."""

    def __init__(self, folder: Path, *arguments: str, **settings: str) -> None:
        folder.mkdir()
        self._folder = folder
        environ = {f"EVREF_{name.upper()}": text for name, text in settings.items()}
        self.process = forked(_run, folder, arguments, environ)

    def ended(self) -> tuple[int | None, str, str]:
        """Wait until the process ends; return the exit status, and the text of both outputs."""
        self.process.join(120)
        out, err = ((self._folder / name).read_text(encoding="utf-8") for name in ("out", "err"))
        return self.process.exitcode, out, err


def _run(folder: Path, arguments: tuple[str, ...], environ: Mapping[str, str]) -> None:
    # Imported here, so that only the fork server imports it.
    from evref.cli.main import main  # noqa: PLC0415

    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT, 0o600), number)
    os.chdir(folder)
    for name in [name for name in os.environ if name.startswith("EVREF_")]:
        del os.environ[name]
    os.environ.update(environ)
    sys.argv = ["evref", *arguments]
    main()
