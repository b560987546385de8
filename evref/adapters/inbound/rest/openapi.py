"""The OpenAPI 3.1 document: what APIFlask derives from the views, completed.

APIFlask derives the operations and their parameters. The answers are derived from their
declarations, and `openapi.toml` has the rest.
"""

import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any, cast

from apiflask import APIBlueprint, APIFlask
from flask import Blueprint, Response, current_app, request
from flask.blueprints import BlueprintSetupState
from marshmallow import RAISE

from evref.adapters.inbound.rest import answers
from evref.adapters.inbound.rest.operations import JSON, LINES, ROOT, Operation
from evref.adapters.inbound.rest.parameters import MOST_INCLUDED, NoQuery
from evref.adapters.inbound.rest.records import Schemas, value_by_value
from evref.adapters.inbound.web.headers import RATE_LIMIT_FIELDS
from evref.adapters.inbound.web.problems import PROBLEMS, Problem
from evref.adapters.inbound.web.representations import (
    NEVER,
    PUBLIC,
    Representation,
    as_json,
    respond,
)
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.evidence import Direction, Recommendation
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.record_code import MOST_VALUES
from evref.domain.catalogue.search.lists import WITHOUT_LISTS
from evref.domain.catalogue.search.search import Search
from evref.domain.catalogue.served import Served
from evref.domain.catalogue.vocabulary import DISCLAIMER, ENUMERATIONS

_ON_SUCCESS = ("ETag", "Cache-Control", "Vary", "X-Request-ID", *RATE_LIMIT_FIELDS)
_ON_LINES = ("Evref-Catalogue-Version", "Link")
_OF_ALL = ("401", "412", "422", "500", "503")
_WITHOUT_BODY = {"304": "NotModified", "414": "UriTooLong", "431": "HeadersTooLong"}

_DAY = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
_SHOWN = 2
"""The number of interventions beside the mainstays; the document would be too long with all."""

_NUMBERS = (("MOST_VALUES", str(MOST_VALUES)), ("MOST_INCLUDED", str(MOST_INCLUDED)))

_NO_STORE = {
    "description": "Problems must not be stored.",
    "required": True,
    "schema": {"type": "string", "enum": [NEVER]},
}
# OpenAPI 3.1 cannot describe the schema of each line.
_LINES = {"type": "string", "description": "A line for each diagnosis: a CatalogueEntry as JSON."}


def blueprint(
    base_url: str, operations: Sequence[Operation], example: Callable[[], Entry]
) -> Blueprint:
    """`/api/v1/openapi.json`, which is public because tools download it without a key.

    The examples are made of the entry that `example` returns.
    """
    description = Blueprint("description", __name__, url_prefix=ROOT)

    @description.record_once
    def complete(state: BlueprintSetupState) -> None:
        app = cast("APIFlask", state.app)
        app.config |= {
            "AUTO_404_RESPONSE": False,
            "AUTO_AUTH_ERROR_RESPONSE": False,
            "AUTO_VALIDATION_ERROR_RESPONSE": False,
        }

        @app.spec_processor
        def completed(document: Any) -> Any:
            of_all = _Completion(app, base_url, _example(example()))
            return of_all.completed(document, operations)

    @cache
    def document() -> Representation:
        spec = cast("dict[str, Any]", cast("APIFlask", current_app).spec)
        return Representation([as_json(spec)], JSON)

    @description.get("/openapi.json")
    def openapi() -> Response:
        NoQuery().load(request.args, unknown=RAISE)
        return respond(document(), PUBLIC)

    return description


class _Completion:
    """Completes the document of the service at `base_url`."""

    def __init__(self, app: APIFlask, base_url: str, served: Served) -> None:
        self._app = app
        self._base_url = base_url
        self._served = served
        self._schemas = Schemas()
        self._api = APIBlueprint("examples", __name__)
        text = resources.files(__package__).joinpath("openapi.toml").read_text(encoding="utf-8")
        for name, value in (("BASE_URL", base_url), ("DISCLAIMER", DISCLAIMER), *_NUMBERS):
            text = text.replace(name, value)
        self._fragment = tomllib.loads(text)
        self._texts = self._fragment.pop("operations")
        self._parameters = self._fragment.pop("parameters")
        self._failures = self._fragment.pop("failures")

    def completed(self, document: dict[str, Any], operations: Sequence[Operation]) -> Any:
        for operation in operations:
            path = ROOT + operation.path.replace("<", "{").replace(">", "}")
            item = document["paths"][path]
            item["get"] = self._operation(item["get"], operation, self._texts[operation.id])
        responses = {failure["name"]: self._failure(failure) for failure in self._failures.values()}
        not_modified = self._fragment["components"]["responses"]["NotModified"]
        not_modified["headers"] = _headers(_ON_SUCCESS)
        whole = _merged(document, self._fragment)
        for item in whole["paths"].values():
            item["head"] = _head(item["get"])
        whole["components"]["responses"] |= responses
        whole["components"]["schemas"] = self._schemas.components
        # These come first, so that a person who opens the file sees what it is.
        return {"openapi": whole["openapi"], **whole}

    def _operation(
        self, derived: dict[str, Any], operation: Operation, text: dict[str, Any]
    ) -> dict[str, Any]:
        example = text.get("example")
        shown = {
            "summary": f"GET {ROOT}{example or operation.path}",
            "value": self._answer_to(example, operation)
            if example
            else self._schemas.example(operation.answer),
        }
        schema = self._schemas.reference(operation.answer)
        content = {JSON: {"schema": schema, "examples": {operation.id: shown}}}
        headers = _headers(_ON_SUCCESS)
        if LINES in operation.media_types:
            content[LINES] = {"schema": _LINES}
            headers |= _headers(_ON_LINES)
        success = {"description": text["success"], "headers": headers, "content": content}
        if "links" in text:
            success["links"] = text["links"]
        names = {key[:3]: self._failures[key]["name"] for key in (*_OF_ALL, *text["failures"])}
        others = _WITHOUT_BODY | names
        return {
            **derived,
            "tags": text["tags"],
            "description": _unwrapped(derived.get("description", "")),
            "security": [{"apiKey": []}],
            "parameters": [
                *(self._parameter(known, operation, text) for known in derived["parameters"]),
                _reference("parameters", "IfNoneMatch"),
                _reference("parameters", "RequestId"),
            ],
            "responses": {
                "200": success,
                **{status: _reference("responses", others[status]) for status in sorted(others)},
            },
        }

    def _answer_to(self, example: str, operation: Operation) -> Any:
        with self._app.test_request_context(f"{ROOT}{example}") as context:
            path = context.request.view_args or {}
            more = {"media_type": JSON} if len(operation.media_types) > 1 else {}
            response = operation.responding(self._api)(served=self._served, **path, **more)
            return json.loads(response.get_data())

    def _parameter(
        self, derived: dict[str, Any], operation: Operation, text: dict[str, Any]
    ) -> dict[str, Any]:
        if derived["in"] == "path":
            return _reference("parameters", text["id"])
        field = operation.query().fields[derived["name"]]
        texts = self._parameters | text.get("parameters", {})
        place, schema = {"in": "query", "name": field.name}, derived["schema"]
        described = {**place, "description": texts[field.name], **derived}
        is_list = schema["type"] == "array"
        kind = schema["items"].get("enum") if is_list else getattr(field, "enum", None)
        if kind in ENUMERATIONS:
            described["description"] = value_by_value(kind, texts[field.name])
            reference = self._schemas.reference(kind)
            described["schema"] = schema | {"items": reference} if is_list else reference
        # One parameter with commas; the default repeats it for each item.
        return described | {"style": "form", "explode": False} if is_list else described

    def _failure(self, failure: dict[str, Any]) -> dict[str, Any]:
        kinds = [PROBLEMS[slug] for slug in failure["problems"]]
        headers = _headers((*failure.get("headers", ()), "X-Request-ID"))
        headers["Cache-Control"] = _NO_STORE
        if failure.get("counts"):
            headers |= _headers(RATE_LIMIT_FIELDS)
        if failure["name"] == "InternalError":
            # The error can occur before or after the request is counted.
            declared = self._fragment["components"]["headers"]
            headers |= {name: declared[name] | {"required": False} for name in RATE_LIMIT_FIELDS}
        schema = getattr(answers, failure.get("schema", "Problem"))
        shown = {
            kind.slug: {
                "summary": kind.title,
                "value": self._occurrence(kind, schema) | failure.get("example", {}),
            }
            for kind in kinds
        }
        return {
            "description": " Or: ".join(f"{kind.title}. {kind.meaning}" for kind in kinds),
            "headers": headers,
            "content": {
                "application/problem+json": {
                    "schema": self._schemas.reference(schema),
                    "examples": shown,
                }
            },
        }

    def _occurrence(self, kind: Problem, schema: type) -> dict[str, Any]:
        example = self._schemas.example(schema)
        if schema is not answers.InvalidParameterProblem:
            example["detail"] = kind.meaning
        members = {
            "type": kind.type_uri(self._base_url),
            "title": kind.title,
            "status": kind.status,
        }
        return example | members


def _head(get: dict[str, Any]) -> dict[str, Any]:
    success = {name: part for name, part in get["responses"]["200"].items() if name != "content"}
    success.pop("links", None)
    refused = _reference("responses", "Refused")
    responses = {
        status: response if status < "400" else refused
        for status, response in get["responses"].items()
    }
    return {
        **get,
        "operationId": f"head{get['operationId'][:1].upper()}{get['operationId'][1:]}",
        "summary": f"{get['summary']}: only the headers",
        "description": "Returns the headers of GET without the body. It counts as GET does.",
        "responses": {**responses, "200": success},
    }


def _merged(document: Any, fragment: Any) -> Any:
    """Return the document with the members of the fragment, which take precedence."""
    if not (isinstance(document, dict) and isinstance(fragment, dict)):
        return fragment
    added = {name: _merged(document.get(name), part) for name, part in fragment.items()}
    return document | added


def _reference(section: str, name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/{section}/{name}"}


def _headers(names: Sequence[str]) -> dict[str, Any]:
    return {name: _reference("headers", name) for name in names}


def _unwrapped(text: str) -> str:
    """Put each paragraph on one line, because pages that show it preserve line breaks."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


def _example(entry: Entry) -> Served:
    """Return a publication of a part of the entry, in which a direction changed."""
    mainstays = entry.diagnosis.mainstays
    others = [shown for shown in entry.interventions if shown.id not in mainstays][:_SHOWN]
    kept = [shown for shown in entry.interventions if shown.id in mainstays or shown in others]
    evidence = replace(
        others[0].evidence, direction=Direction.UNCLEAR, recommendation=Recommendation.NOT_STATED
    )
    before = [replace(others[0], evidence=evidence), *kept[1:]]
    catalogue = Catalogue([Entry(entry.diagnosis, tuple(kept))])
    comparison = catalogue.compared_with(Catalogue([Entry(entry.diagnosis, tuple(before))]))
    publication = Publication(catalogue.version, _DAY, None, True, 0, 1, 0, comparison)
    return Served(catalogue, Search(catalogue, WITHOUT_LISTS), (publication,), "example")
