"""The bound: a trivial application that sends the recorded responses of the service.

`BOUND` names a file with the status, the header fields and the body of the response at each path.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from wsgiref.types import StartResponse, WSGIEnvironment

_RESPONSES = {
    path: (status, [(name, value) for name, value in fields], [body.encode("latin-1")])
    for path, (status, fields, body) in json.loads(Path(os.environ["BOUND"]).read_text()).items()
}


def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Send the response."""
    status, fields, body = _RESPONSES[environ["PATH_INFO"]]
    start_response(status, fields)
    return body
