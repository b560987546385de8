"""The OpenAPI 3.1 document: generated from the views and schemas, and completed here.

APIFlask derives operations, parameters and record schemas. What every operation shares
(credentials, headers, errors) is added from the tables that the service itself uses.
"""

from functools import cache
from typing import Any, cast

from apiflask import APIFlask
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from flask import Blueprint, Response, current_app, request
from marshmallow import RAISE

from evref.adapters.inbound.rest import components, examples
from evref.adapters.inbound.rest.components import Failure
from evref.adapters.inbound.rest.parameters import NoQuery, value_by_value
from evref.adapters.inbound.web.representations import PUBLIC, Representation, as_json, respond
from evref.domain.catalogue.vocabulary import DESCRIPTIONS, DISCLAIMER

_DESCRIPTION = f"""
Diagnoses with their ICD-10 and ICD-11 codes, and the evidence-based interventions for each, by
module and phase.

**{DISCLAIMER}** `reviewed` of a diagnosis says whether a clinician has reviewed its entry. The
catalogue is not complete for any diagnosis.

**Keys.** Every operation needs an API key, sent as `Authorization: Bearer <API key>`. A member of
your institution creates keys in the [institution settings](BASE_URL/settings).

**Limits.** Each key has a daily request limit, counted exactly over the UTC day. The headers of
every response to a request that was admitted, or rejected because the limit is used up, give the
number of requests that remain. Responses with the status 200, 304, 404, 406, 410 or 422 count as
one request each; 401, 403 and 429 never count, and neither does any response of `getLimit`.

**Caching.** The content of a response depends only on the request and on `catalogue_version`;
for `listChanges` also on the earlier publications.
Store responses with their `ETag` and revalidate them with `If-None-Match`: a 304 without a body
means that nothing has changed. `HEAD` returns the headers of `GET` without the body.

**Strictness.** The service never ignores a query parameter. It rejects a parameter that is unknown,
repeated or empty, or whose value is not allowed, with 422, so you never get unfiltered data by
mistake. Only lists of codes (`icd10`, `icd11` and `snomed`) may be repeated. Every error is a
problem detail (RFC 9457) whose [type has its own page](BASE_URL/problems).

**Compatibility.** Resources may gain fields in later versions of this interface, unless a schema
forbids additional properties: ignore fields that you do not know. Ids and the values of
enumerations do not change.
"""


# By operation; no other operation can fail with 404 or 406.
_IMPOSSIBLE: dict[str, tuple[str, ...]] = {
    "getDiagnosis": ("406",),
    "listInterventions": ("406",),
    "getCatalogue": ("404", "410"),
    "getLimit": ("403", "404", "406", "410", "429"),
}

# OpenAPI 3.1 cannot describe the schema of each line.
_LINES = {
    "schema": {
        "type": "string",
        "description": "A line for each diagnosis: a CatalogueEntry as JSON.",
    }
}


def configure(app: APIFlask, base_url: str) -> None:
    """Configure what APIFlask cannot derive, and complete the document that it generates."""
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
                "description": "The reference data: diagnoses by code, name or module, and "
                "the interventions for each diagnosis.",
            },
            {"name": "Key", "description": "The permission, the limit and the use of an API key."},
        ],
        "EXTERNAL_DOCS": {
            "description": "What each problem type means and how to resolve it",
            "url": f"{base_url}/problems",
        },
        "SECURITY_SCHEMES": {
            "apiKey": {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "evref_ and 46 letters and digits",
                "description": "An API key of your institution, sent as "
                "`Authorization: Bearer <API key>`. The service reads a key from no other place. "
                "A member of your institution creates keys in the "
                f"[settings]({base_url}/settings), gives each a permission, a daily request "
                "limit and optionally an expiry date, and can revoke it at any time. A key is "
                "shown once, when it is created: store it as a secret, and keep it out of URLs, "
                "logs and scripts that you share.",
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
    """Return the name of a schema in the document: its class name without the suffix."""
    kind = schema if isinstance(schema, type) else type(schema)
    return kind.__name__.removesuffix("Schema")


def blueprint(base_url: str) -> Blueprint:
    """`/api/v1/openapi.json`, which is public because tools download it without a key."""
    description = Blueprint("description", __name__, url_prefix="/api/v1")
    description.record(lambda state: configure(cast("APIFlask", state.app), base_url))

    @cache
    def document() -> Representation:
        spec = cast("dict[str, Any]", cast("APIFlask", current_app).spec)
        # These come first, so that a person who opens the file sees what it is.
        spec = {"openapi": spec["openapi"], **spec}
        return Representation([as_json(spec)], "application/json")

    @description.get("/openapi.json")
    def openapi() -> Response:
        NoQuery().load(request.args, unknown=RAISE)
        return respond(document(), PUBLIC)

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
    """Return the components that every operation refers to, and the schemas in them."""
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
            "description": "If-None-Match has the current ETag. The body is empty.",
            "headers": components.references(components.ON_SUCCESS),
        },
    )
    for name, description in components.TOO_LONG.values():
        spec.components.response(name, {"description": description})
    shared: dict[str, Any] = spec.to_dict()["components"]
    return shared


def _problem_response(failure: Failure, base_url: str) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for kind in failure.kinds:
        shown |= examples.problem(kind, base_url)
    content = {"schema": failure.schema, "examples": shown}
    return {
        "description": failure.description,
        "headers": components.headers_of(failure),
        "content": {"application/problem+json": content},
    }


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
        success["headers"] |= components.ON_LINES
    responses["304"] = {"$ref": "#/components/responses/NotModified"}
    for status, failure in components.FAILURES.items():
        if status not in _IMPOSSIBLE.get(operation["operationId"], ("404", "406", "410")):
            responses[status] = {"$ref": f"#/components/responses/{failure.name}"}
    for status, (name, _) in components.TOO_LONG.items():
        responses[status] = {"$ref": f"#/components/responses/{name}"}
    operation["responses"] = dict(sorted(responses.items()))
    for parameter in operation["parameters"]:
        if parameter["schema"].get("type") == "array":
            # One parameter with commas; the default repeats it for each item.
            parameter |= {"style": "form", "explode": False}
        if parameter["in"] == "path":
            parameter["description"] = "The id of a diagnosis, as returned by `listDiagnoses`."
            parameter["schema"] |= {"minLength": 1}
            # Tools prefill required parameters with this example.
            parameter["example"] = "knee-osteoarthritis"
    operation["parameters"] += [
        {"$ref": f"#/components/parameters/{name}"} for name in components.PARAMETERS
    ]


def _refer_to_enumerations(value: Any) -> None:
    """Replace the values of an enumeration by a reference, so that clients get one type."""
    if isinstance(value, list):
        for item in value:
            _refer_to_enumerations(item)
    elif isinstance(value, dict):
        for member in value.values():
            _refer_to_enumerations(member)
        if "enum" in value:
            _refer_to_enumeration(value)


def _refer_to_enumeration(schema: dict[str, Any]) -> None:
    values = schema.pop("enum")
    if len(values) == 1:  # the fixed status of a problem type, not an enumeration
        schema["const"] = values[0]
        return
    kind = next((kind for kind in DESCRIPTIONS if set(kind) >= set(values) - {None}), None)
    if kind is None:  # an enumeration that is used only once
        schema["enum"] = values
        return
    del schema["type"]
    reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
    schema |= {"anyOf": [reference, {"type": "null"}]} if None in values else reference


def _unwrapped(text: str) -> str:
    """Put each paragraph on one line, because pages that show it preserve line breaks."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))
