"""The bound: a trivial application that returns the same bytes from the same server and worker.

Each file in a folder is the response at the path of its name.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

_ANSWERS = {f"/{file.name}": file.read_bytes() for file in Path(os.environ["BOUND"]).iterdir()}


def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Respond with the bytes."""
    body = _ANSWERS[environ["PATH_INFO"]]
    start_response(
        "200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    )
    return [body]
