"""The page of the reference that describes the interface, from the OpenAPI document.

And from the mapping tables of the interfaces for health records.
"""

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment

from evref.adapters.inbound.infobutton.knowledge_response import MOST_DIAGNOSES
from evref.adapters.inbound.infobutton.mappings import MESH, SUB_TOPICS
from evref.adapters.inbound.web.code_systems import CODE_SYSTEMS
from evref.domain.catalogue.record_code import MOST_VALUES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"


def page(document: dict[str, Any]) -> str:
    """The page in Markdown."""
    # Nothing is escaped: the page is Markdown.
    template = Environment(autoescape=False).from_string(
        PAGE.with_suffix(".md.jinja").read_text(encoding="utf-8")
    )
    text = template.render(
        document=document,
        json=lambda value: json.dumps(value, ensure_ascii=False, indent=2),
        code_systems=CODE_SYSTEMS,
        sub_topics=SUB_TOPICS,
        mesh=MESH,
        most_criteria=MOST_VALUES,
        most_diagnoses=MOST_DIAGNOSES,
    )
    return text.rstrip("\n") + "\n"
