"""The OpenAPI document is valid, complete and true, and changes only on purpose."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from evref.domain.catalogue.vocabulary import ENUMERATIONS, MEANINGS
from tests.deploy.shell import output
from tests.http import snapshots
from tests.http.service import Service, body

pytestmark = pytest.mark.shared_service


@pytest.fixture
def document(service: Service) -> dict[str, Any]:
    """Return the document as a client gets it."""
    document: dict[str, Any] = body(service.get("/api/v1/openapi.json"))
    return document


def nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for member in value.values():
            yield from nodes(member)
    elif isinstance(value, list):
        for item in value:
            yield from nodes(item)


def test_the_document_is_valid_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()


def test_the_document_is_the_committed_one(service: Service) -> None:
    """Review thus shows every change of the interface."""
    committed = snapshots.DOCUMENT.read_text(encoding="utf-8")

    assert committed == snapshots.document(), f"openapi.json {snapshots.HOW_TO_RENEW}"


def test_each_text_of_the_domain_has_a_limit(document: dict[str, Any]) -> None:
    """Generators make dates, times and addresses types of their own, which have no length."""
    unlimited = [
        f"{name}.{field}"
        for name in ("Diagnosis", "Review", "Intervention", "FittVp", "Evidence", "Reference")
        for field, schema in document["components"]["schemas"][name]["properties"].items()
        for node in nodes(schema)
        if "string" in node.get("type", "") and not node.keys() & {"maxLength", "enum", "format"}
    ]

    assert unlimited == []


@pytest.mark.parametrize("kind", ENUMERATIONS)
def test_an_enumeration_is_one_component_described_value_by_value(
    document: dict[str, Any], kind: type[StrEnum]
) -> None:
    """A client generated from the document then has one type for it."""
    schema = document["components"]["schemas"][kind.__name__]

    assert schema["enum"] == list(kind)
    for value in kind:
        assert f"\n- `{value}`: {MEANINGS[value]}" in schema["description"]
    elsewhere = [node for node in nodes(document) if node.get("enum") == schema["enum"]]
    assert elsewhere == [schema]


def test_without_docstrings_no_source_takes_their_place() -> None:
    """`python -OO` removes docstrings, and a dataclass without one describes itself in Python."""
    program = (
        "from evref.bootstrap.app import create_app\n"
        "from evref.bootstrap.settings import Settings\n"
        "client = create_app(Settings(storage='memory')).test_client()\n"
        "print(client.get('/api/v1/openapi.json').text)"
    )

    document = json.loads(output(sys.executable, "-OO", "-c", program))

    described = [str(node.get("description", "")) for node in nodes(document)]
    assert not [text for text in described if "Annotated[" in text or ": str" in text]
    assert document["components"]["schemas"]["Module"]["description"]
    assert document["components"]["schemas"]["Diagnosis"]["properties"]["id"]["description"]


def test_head_has_the_parameters_and_the_headers_of_get(document: dict[str, Any]) -> None:
    for item in document["paths"].values():
        operation, head = item["get"], item["head"]

        assert head["parameters"] == operation["parameters"]
        assert head["responses"]["200"]["headers"] == operation["responses"]["200"]["headers"]
        assert not any("content" in response for response in head["responses"].values())
        assert head["operationId"].lower() == f"head{operation['operationId']}".lower()


def test_every_property_has_an_example_or_an_enumeration(document: dict[str, Any]) -> None:
    """A mock server can then make up an answer that looks like one of the service."""
    missing = [
        f"{name}.{member}"
        for name, schema in document["components"]["schemas"].items()
        for member, described in schema.get("properties", {}).items()
        if not (described.keys() & {"examples", "enum", "$ref", "anyOf"})
        and "$ref" not in described.get("items", {})
    ]

    assert missing == []


def test_a_field_that_every_record_has_is_required(document: dict[str, Any]) -> None:
    """Also one that a file of the catalogue may leave out, such as the cautions."""
    schemas = document["components"]["schemas"]
    optional = {
        name: schemas[name]["properties"].keys() - schemas[name]["required"]
        for name in ("Diagnosis", "Intervention", "Evidence", "Effect", "Reference", "FittVp")
    }

    assert optional.pop("Diagnosis") == {"interventions"}
    assert set().union(*optional.values()) == set()


def test_tools_for_openapi_3_0_can_read_the_schemas(document: dict[str, Any]) -> None:
    """They do not know `const` and the type `null`, and rely on the format of integers."""
    for node in nodes(document):
        assert "const" not in node
        assert node.get("type") != "null"
        # openapi-zod-client has no type for null among texts.
        assert None not in node.get("enum", [])[1:]
        if node.get("type") == "integer":
            assert node["format"] in {"int32", "int64"}


def test_every_example_meets_its_schema(service: Service, document: dict[str, Any]) -> None:
    """These are examples of responses, problems, headers and parameters."""
    checked = 0
    for node in nodes(document):
        schema = node.get("schema")
        if not isinstance(schema, dict):
            continue
        shown = [named["value"] for named in node.get("examples", {}).values()]
        shown += [node["example"]] if "example" in node else []
        shown += schema.get("examples", [])
        for value in shown:
            service.document.check_value(schema, value)
            checked += 1
    for schema in document["components"]["schemas"].values():
        for described in schema.get("properties", {}).values():
            for value in described.get("examples", []):
                service.document.check_value(described, value)
                checked += 1

    assert checked > 100


def test_every_operation_has_an_example_of_the_bundled_catalogue(document: dict[str, Any]) -> None:
    for operation in (methods["get"] for methods in document["paths"].values()):
        content = operation["responses"]["200"]["content"]["application/json"]
        if operation["operationId"] not in {"getOpenApi", "getLimit"}:
            (shown,) = content["examples"].values()
            assert "knee-osteoarthritis" in str(shown["value"]["data"])
