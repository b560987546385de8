"""An assistant: the client of MCP's SDK, which starts evref-mcp."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.conftest import HERE, NODE_TOOLS, TOOLS

PROGRAM = HERE / "programs" / "mcp_client.py"
UNKNOWN_KEY = "evref_" + "x" * 46
PATH = os.pathsep.join([str(TOOLS), str(NODE_TOOLS), os.environ["PATH"]])


@dataclass(frozen=True)
class Result:
    """What a tool returned."""

    text: str
    failed: bool
    content: Any


class Assistant:
    """A client of the SDK that has started evref-mcp."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.about = self._next()

    def call(self, tool: str, **arguments: Any) -> Result:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([tool, arguments]) + "\n")
        self._process.stdin.flush()
        result = self._next()
        (block,) = result["content"]
        assert block["type"] == "text"
        return Result(block["text"], result["isError"], result.get("structuredContent"))

    def _next(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the client ended"
        return json.loads(line)


@contextmanager
def assistant(folder: Path, url: str, key: str, mode: str = "auto") -> Iterator[Assistant]:
    """Start an assistant until the context ends; no output of any process may contain the key."""
    errors = folder / "errors"
    with (
        errors.open("w") as log,
        subprocess.Popen(
            [TOOLS / "python", PROGRAM, mode],
            env={**os.environ, "PATH": PATH, "EVREF_URL": url, "EVREF_KEY": key},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as process,
    ):
        yield Assistant(process)
    assert process.returncode == 0, errors.read_text()
    assert errors.read_text() == ""
