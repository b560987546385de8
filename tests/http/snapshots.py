"""What is compared with a committed copy, so that each change of the interface shows in review.

`python -m tests.http.snapshots` writes the copies anew.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evref.adapters.inbound import http
from evref.adapters.inbound.http.examples import REQUESTS
from evref.settings import Settings, StorageKind
from tests.http.service import Service, body

EXAMPLES = Path(http.__file__).parent / "examples.json"
DOCUMENT = Path(__file__).parent / "snapshots" / "openapi.json"
HOW_TO_RENEW = "differs from what the service answers; run: python -m tests.http.snapshots"


def examples() -> str:
    """The answers that the document shows, as the service gives them on its own catalogue."""
    service = _service()
    service.container.publish().load_bundled_where_none(lambda _done, _total: None)
    token = service.token()
    return _text({name: body(service.get(path, token=token)) for name, path in REQUESTS.items()})


def document() -> str:
    """The OpenAPI document with the default settings."""
    return _text(body(_service().get("/api/v1/openapi.json")))


def _service() -> Service:
    return Service(Settings(storage=StorageKind.MEMORY))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Write all copies anew: first the examples, which are a part of the document."""
    EXAMPLES.write_text(examples(), encoding="utf-8")
    DOCUMENT.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
