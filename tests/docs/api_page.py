"""Generates the reference page of the API from the OpenAPI document.

It adds the mapping tables of the interfaces for health records.
"""

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment

from evref.adapters.inbound.infobutton.knowledge_request import MESH, SUB_TOPICS
from evref.adapters.inbound.infobutton.knowledge_response import MOST_DIAGNOSES
from evref.adapters.inbound.web.code_systems import CODE_SYSTEMS
from evref.domain.catalogue.record_code import MOST_VALUES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "api.md"
ORDER = (
    *("listDiagnoses", "getDiagnosis", "listInterventions", "searchInterventions"),
    *("getIntervention", "getCatalogue", "listChanges", "getLimit"),
)
"""The operations in the order in which a newcomer needs them."""


def page(document: dict[str, Any]) -> str:
    """Return the page in Markdown."""
    # Nothing is escaped: the page is Markdown.
    template = Environment(autoescape=False).from_string(
        PAGE.with_suffix(".md.jinja").read_text(encoding="utf-8")
    )
    operations = {
        operation["operationId"]: {
            "request": f"GET {path}",
            **operation,
            "parameters": [_resolved(document, each) for each in operation["parameters"]],
        }
        for path, methods in document["paths"].items()
        if (operation := methods["get"])["operationId"] in ORDER
    }
    text = template.render(
        document=document,
        operations=[operations[name] for name in sorted(operations, key=ORDER.index)],
        errors=_errors(operations),
        json=lambda value: json.dumps(value, ensure_ascii=False, indent=2),
        code_systems=CODE_SYSTEMS,
        sub_topics=SUB_TOPICS,
        mesh=MESH,
        most_criteria=MOST_VALUES,
        most_diagnoses=MOST_DIAGNOSES,
    )
    return text.rstrip("\n") + "\n"


def _resolved(document: dict[str, Any], parameter: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in parameter:
        return parameter
    resolved: dict[str, Any] = document["components"]["parameters"][
        parameter["$ref"].rpartition("/")[2]
    ]
    return resolved


def _errors(operations: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return each error status with a response and the operations that have it."""
    having: dict[tuple[str, str], list[str]] = {}
    for operation in ORDER:
        for status, response in operations[operation]["responses"].items():
            if "$ref" in response:
                name = response["$ref"].rpartition("/")[2]
                having.setdefault((status, name), []).append(operation)
    return [(*named, _listed(having[named], operations)) for named in sorted(having)]


def _listed(having: list[str], operations: dict[str, Any]) -> str:
    if len(having) == len(operations):
        return "all"
    lacking = [name for name in ORDER if name not in having]
    listed, start = (lacking, "all except ") if len(lacking) < len(having) else (having, "")
    return start + ", ".join(f"`{name}`" for name in listed)
