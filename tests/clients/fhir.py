"""Third-party software reads and validates every resource and every kind of FHIR response."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.clients.conftest import HERE, Run, Running

RESOURCE_TYPES = ("PlanDefinition", "ActivityDefinition", "CodeSystem", "StructureDefinition")
PROGRAMS = HERE / "programs"


class Reader:
    """Reads the service with or without a key."""

    def __init__(self, service: Running, key: str | None) -> None:
        self._url = service.url
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}

    def read(self, path: str) -> Any:
        """Return the content of a path, of a linked page, or of an error."""
        url = path if path.startswith("http") else f"{self._url}/fhir/{path}"
        try:
            with urlopen(Request(url, headers=self._headers), timeout=60) as answer:
                return json.load(answer)
        except HTTPError as error:
            with error:
                return json.load(error)

    def pages(self, path: str) -> Iterator[Any]:
        following: str | None = path
        while following is not None:
            bundle = self.read(following)
            yield bundle
            links = {each["relation"]: each["url"] for each in bundle["link"]}
            following = links.get("next")


@pytest.fixture(scope="session")
def resources(service: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write each resource of the catalogue and each other kind of response to a folder."""
    folder = tmp_path_factory.mktemp("resources")
    reader = Reader(service, service.key())
    refused = Reader(service, service.key(limit=0))
    answers = [
        reader.read("metadata"),
        Reader(service, None).read("PlanDefinition"),
        Reader(service, "evref_mistyped").read("PlanDefinition"),
        refused.read("PlanDefinition"),
        reader.read("PlanDefinition/nobody"),
        reader.read("PlanDefinition?modul=home&_count=x"),
        reader.read("PlanDefinition?_format=xml"),
        reader.read("PlanDefinition?_count=0"),
        reader.read("PlanDefinition?context=B05"),
        reader.read("PlanDefinition?context=M17,E11&_count=1"),
    ]
    # A StructureDefinition without its differential is not valid, and R4 does not summarise that.
    for resource_type in RESOURCE_TYPES[:-1]:
        summaries = reader.read(f"{resource_type}?_summary=true&_count=5")["entry"]
        answers += [entry["resource"] for entry in summaries]
    for resource_type in RESOURCE_TYPES:
        read = [
            entry["resource"]
            for page in reader.pages(f"{resource_type}?_count=100")
            for entry in page["entry"]
        ]
        assert len(read) == reader.read(f"{resource_type}?_count=0")["total"]
        answers += read
    for number, answer in enumerate(answers):
        file = folder / f"{number:05}-{answer['resourceType']}.json"
        file.write_text(json.dumps(answer, ensure_ascii=False), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("interpreter", "program"),
    [
        ("python", "fhir_resources.py"),
        ("node", "fhir-validate.mjs"),
        ("node", "medplum-validate.mjs"),
        ("node", "extension-contexts.mjs"),
    ],
)
def test_every_resource_is_valid(run: Run, resources: Path, interpreter: str, program: str) -> None:
    """The validators were written by others, from the definitions of FHIR."""
    judged = run(interpreter, PROGRAMS / program, resources)

    assert int(judged) == len(list(resources.iterdir())) > 1000


@pytest.mark.parametrize(
    ("interpreter", "program"),
    [
        ("python", "smart_on_fhir.py"),
        ("python", "fhirpy_client.py"),
        ("node", "fhir-kit-client.mjs"),
    ],
)
def test_a_client_reads_searches_and_is_refused(run: Run, interpreter: str, program: str) -> None:
    """The assertions are in the programs, in the terms of each client."""
    run(interpreter, PROGRAMS / program)
