"""A mock server answers from the document, for programs that are tested without the service.

It is Prism, which also checks requests and its own answers against the document.
"""

import json
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import NODE_TOOLS, TOOLS
from tests.servers import free_port, running

KEY = {"Authorization": "Bearer key"}


@pytest.fixture
def prism(document: Path, tmp_path: Path) -> Iterator[int]:
    port = free_port()
    prism = (TOOLS / "node", NODE_TOOLS / "prism", "mock", "--errors", "-p", str(port), document)
    with running(tmp_path / "prism.log", port, *prism):
        yield port


def ask(port: int, address: str, headers: dict[str, str]) -> tuple[int, Any]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("GET", address, headers=headers)
        response = connection.getresponse()
        return response.status, json.loads(response.read())


def test_prism_answers_each_operation_with_its_example(prism: int, document: Path) -> None:
    """The summary of an example is its request."""
    checked = 0
    for path, item in json.loads(document.read_bytes())["paths"].items():
        content = item["get"]["responses"]["200"]["content"]["application/json"]
        for example in content.get("examples", {}).values():
            address = example["summary"].removeprefix("GET ")
            assert ask(prism, address, KEY) == (200, example["value"]), path
            checked += 1

    assert checked == 8
    assert ask(prism, "/api/v1/diagnoses", {})[0] == 401
    assert ask(prism, "/api/v1/diagnoses?module=physio", KEY)[0] == 422
