"""The page of the reference that describes the interface, from the OpenAPI document."""

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"


def page(document: dict[str, Any]) -> str:
    """The page in Markdown."""
    # Nothing is escaped: the page is Markdown.
    template = Environment(autoescape=False).from_string(
        PAGE.with_suffix(".md.jinja").read_text(encoding="utf-8")
    )
    text = template.render(
        document=document, json=lambda value: json.dumps(value, ensure_ascii=False, indent=2)
    )
    return text.rstrip("\n") + "\n"
