"""The bound: the same bytes from the same server and worker, with nothing in between."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_BODY = Path(os.environ["BOUND_BODY"]).read_bytes()
_HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(_BODY)))]


def app(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answers every request with the one body."""
    start_response("200 OK", _HEADERS)
    return [_BODY]
