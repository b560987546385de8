"""Generated documents, compared with committed copies so that review shows each change.

`python -m tests.http.snapshots` writes the copies again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE
from tests.docs import api_page, catalogue_format
from tests.http.service import Service, body

DOCUMENT = Path(__file__).parent / "snapshots" / "openapi.json"
HOW_TO_RENEW = "differs from what the service answers; run: python -m tests.http.snapshots"


def document() -> str:
    """Return the OpenAPI document with the default settings."""
    return _text(body(_service().get("/api/v1/openapi.json")))


def _service() -> Service:
    return Service(Settings(storage=StorageKind.MEMORY, licence=BUNDLED_LICENCE))


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def main() -> None:
    """Write all copies, last the page, which is made from the document."""
    catalogue_format.write()
    DOCUMENT.write_text(document(), encoding="utf-8")
    api_page.PAGE.write_text(api_page.page(json.loads(document())), encoding="utf-8")


if __name__ == "__main__":
    main()
