"""The OpenAPI 3.1 document: generated from the views and schemas, then finished here.

APIFlask derives operations, parameters and record schemas. What is the same for every operation
(credentials, headers, the ways to fail) is added from the tables that the service itself uses.
"""

from __future__ import annotations

import json
from typing import Any, cast

from apiflask import APIFlask, Schema
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Blueprint, Response, current_app

from evref.adapters.inbound.rest import components, examples
from evref.adapters.inbound.rest.components import Failure
from evref.adapters.inbound.rest.enumerations import value_by_value
from evref.adapters.inbound.web.representations import Representation, respond
from evref.domain.catalogue.vocabulary import DESCRIPTIONS, DISCLAIMER

_DESCRIPTION = f"""
Diagnoses with their ICD-10 and ICD-11 codes, and the evidence-based interventions for each, by
module and phase.

**{DISCLAIMER}** The catalogue has not been reviewed by a clinician and is not complete for any
diagnosis.

**Keys.** Every request needs an API key, sent as `Authorization: Bearer <API key>`. A member of
your institution makes keys in the [institution settings](BASE_URL/settings).

**Limits.** Each key has a daily request limit, counted exactly over the UTC day. Every answer
to a request that was admitted, or refused over the limit, says in its headers what remains.
Answers with the statuses 200, 304, 404 and 422 count one each; 401,
403 and 429 never count, and neither does any answer of `getLimit`.

**Caching.** What an answer holds depends only on the request and on `catalogue_version`. Keep
answers with their `ETag` and ask with `If-None-Match`: a 304 without a body tells that nothing has
changed. `HEAD` is answered as `GET` is, without the body.

**Strictness.** A query parameter that is unknown, repeated, empty or of a value that is not allowed
is refused with 422, and never ignored, so that data which looks filtered is filtered. Every error
is a problem detail (RFC 9457) of a [type that has its own page](BASE_URL/problems).

**Compatibility.** Records may gain members in later versions of this interface, unless a schema
says that it has no others: ignore those that you do not know. Ids, and the values of enumerations,
do not change.
"""

_CACHE_CONTROL = "public, max-age=300"

# By operation; all others cannot fail with 404 alone.
_IMPOSSIBLE: dict[str, tuple[str, ...]] = {
    "getDiagnosis": (),
    "listInterventions": (),
    "getLimit": ("403", "404", "429"),
}

# OpenAPI 3.1 has no words for the schema of a line.
_LINES = {
    "schema": {
        "type": "string",
        "description": "A line for each diagnosis: a CatalogueEntry as JSON.",
    }
}


def configure(app: APIFlask, base_url: str) -> None:
    """Tell APIFlask what it cannot derive, and finish what it generates."""
    app.config |= {
        "DESCRIPTION": _unwrapped(_DESCRIPTION).replace("BASE_URL", base_url),
        "SERVERS": [{"url": base_url, "description": "This service"}],
        "CONTACT": {"name": "The operator of this service", "url": base_url},
        "LICENSE": {
            "name": "MIT (code), CC BY 4.0 (catalogue)",
            "url": "https://creativecommons.org/licenses/by/4.0/",
        },
        "TAGS": [
            {
                "name": "Catalogue",
                "description": "The reference data: diagnoses, found by code, name or module, and "
                "the interventions for each.",
            },
            {"name": "Key", "description": "What an API key may do, and how much it was used."},
        ],
        "EXTERNAL_DOCS": {
            "description": "What each problem type means, and what to do",
            "url": f"{base_url}/problems",
        },
        "SECURITY_SCHEMES": {
            "apiKey": {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "evref_ and 46 letters and digits",
                "description": "An API key of your institution, sent as "
                "`Authorization: Bearer <API key>`; it is never read from anywhere else. A "
                f"member of your institution makes keys in the [settings]({base_url}/settings), "
                "gives each a permission level, a daily request limit and perhaps a last day, and "
                "can revoke it at any time. A key is shown once, when it is made: keep it where "
                "secrets are kept, and out of addresses, logs and scripts that others get.",
            }
        },
        "AUTO_404_RESPONSE": False,
        "AUTO_AUTH_ERROR_RESPONSE": False,
        "AUTO_VALIDATION_ERROR_RESPONSE": False,
    }

    app.schema_name_resolver = _schema_name

    @app.spec_processor
    def finish(document: Any) -> Any:
        return _finish(document, base_url)


def _schema_name(schema: Any) -> str:
    """The name of a schema in the document: that of its class, without the ending."""
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema")


def blueprint() -> Blueprint:
    """`/api/v1/openapi.json`: a download link for tools that send no key, and so public."""
    description = Blueprint("description", __name__, url_prefix="/api/v1")
    made: list[Representation] = []

    @description.get("/openapi.json")
    def openapi() -> Response:
        if not made:
            document = cast("dict[str, Any]", cast("APIFlask", current_app).spec)
            # For those who open it to read, what it is comes first.
            document = {"openapi": document["openapi"], **document}
            body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
            made.append(Representation(body, "application/json"))
        return respond(made[0], _CACHE_CONTROL)

    return description


def _finish(document: dict[str, Any], base_url: str) -> dict[str, Any]:
    paths = document["paths"]
    for methods in paths.values():
        for operation in methods.values():
            _finish_operation(operation)
    _refer_to_enumerations(paths)
    derived = document["components"]
    added = _shared_components(base_url)
    schemas = derived["schemas"] | added["schemas"]
    _refer_to_enumerations(schemas)
    schemas |= {
        kind.__name__: {
            "type": "string",
            "enum": list(kind),
            "description": value_by_value(kind, description),
        }
        for kind, description in DESCRIPTIONS.items()
    }
    document["components"] = {**added, **derived, "schemas": schemas}
    return document


def _shared_components(base_url: str) -> dict[str, Any]:
    """The components that every operation refers to, and the schemas that these refer to."""
    spec = APISpec(
        title="",
        version="",
        openapi_version="3.1.0",
        plugins=[MarshmallowPlugin(schema_name_resolver=_schema_name)],
    )
    for name, header in components.HEADERS.items():
        spec.components.header(name, header)
    for name, parameter in components.PARAMETERS.items():
        spec.components.parameter(name, "header", parameter)
    for failure in components.FAILURES.values():
        spec.components.response(failure.name, _problem_response(failure, base_url))
    spec.components.response(
        "NotModified",
        {
            "description": "The client has this answer already: its If-None-Match named the ETag.",
            "headers": components.references(components.ON_SUCCESS),
        },
    )
    shared: dict[str, Any] = spec.to_dict()["components"]
    return shared


def _problem_response(failure: Failure, base_url: str) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for kind in failure.kinds:
        shown |= examples.problem(kind, base_url)
    return {
        "description": failure.description,
        "headers": components.headers_of(failure),
        "content": _problem_content(failure.schema, shown),
    }


def _problem_content(schema: type[Schema], shown: dict[str, Any]) -> dict[str, Any]:
    return {"application/problem+json": {"schema": schema, "examples": shown}}


def _finish_operation(operation: dict[str, Any]) -> None:
    operation["security"] = [{"apiKey": []}]
    if "description" in operation:
        operation["description"] = _unwrapped(operation["description"])
    responses = operation["responses"]
    success = responses["200"]
    success["headers"] = components.references(components.ON_SUCCESS)
    if shown := examples.answers(operation["operationId"]):
        success["content"]["application/json"]["examples"] = shown
    if operation["operationId"] == "getCatalogue":
        success["content"]["application/x-ndjson"] = _LINES
    responses["304"] = {"$ref": "#/components/responses/NotModified"}
    for status, failure in components.FAILURES.items():
        if status not in _IMPOSSIBLE.get(operation["operationId"], ("404",)):
            responses[status] = {"$ref": f"#/components/responses/{failure.name}"}
    operation["responses"] = dict(sorted(responses.items()))
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            parameter["description"] = "The id of a diagnosis, as `listDiagnoses` gives it."
            parameter["schema"] |= {"minLength": 1}
            # Where a parameter is needed, tools fill it in beforehand from here.
            parameter["example"] = "knee-osteoarthritis"
    operation["parameters"] += [
        {"$ref": f"#/components/parameters/{name}"} for name in components.PARAMETERS
    ]


def _refer_to_enumerations(value: Any) -> None:
    """Put a reference where an enumeration's values stand: clients get one type for each."""
    if isinstance(value, list):
        for each in value:
            _refer_to_enumerations(each)
    elif isinstance(value, dict):
        for each in value.values():
            _refer_to_enumerations(each)
        if "enum" in value:
            _refer_to_enumeration(value)


def _refer_to_enumeration(schema: dict[str, Any]) -> None:
    values = schema.pop("enum")
    if len(values) == 1:  # no list of choices, but the status of one kind of problem
        schema["const"] = values[0]
        return
    kind = next((kind for kind in DESCRIPTIONS if set(kind) >= set(values) - {None}), None)
    if kind is None:  # used in one place only
        schema["enum"] = values
        return
    del schema["type"]
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    schema |= {"anyOf": [reference, {"type": "null"}]} if None in values else reference


def _unwrapped(text: str) -> str:
    """A paragraph on each line, since pages that show the document keep line breaks."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))
