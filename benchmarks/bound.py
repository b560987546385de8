"""The bound: a trivial application that sends recorded responses from the same server and worker.

Each file in a folder is the response at the path of its name: its status, header fields and body.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment


def _recorded(file: Path) -> tuple[str, list[tuple[str, str]], list[bytes]]:
    status, fields, body = json.loads(file.read_text())
    return status, [(name, value) for name, value in fields], [body.encode("latin-1")]


_ANSWERS = {f"/{file.name}": _recorded(file) for file in Path(os.environ["BOUND"]).iterdir()}


def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Send the response."""
    status, fields, body = _ANSWERS[environ["PATH_INFO"]]
    start_response(status, fields)
    return body
