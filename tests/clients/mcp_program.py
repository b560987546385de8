"""evref-mcp as a process, used by the SDK's client and by the inspector of the protocol.

The service has two workers and the bundled catalogue.
"""

from __future__ import annotations

import json
import re
import shlex
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from evref.domain.access.key import Permission
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.vocabulary import DISCLAIMER, NAMES, TIMES
from tests.clients.assistant import UNKNOWN_KEY, Assistant, assistant
from tests.clients.conftest import TOOLS, run_in
from tests.docs.conftest import SHOWN_ADDRESS
from tests.docs.pages import DOCS, assert_printed, blocks, commands
from tests.server.conftest import Server, Start, Store
from tests.servers import wait_until

HOW_TO = DOCS / "how-to" / "give-it-to-an-assistant.md"
TOOL_NAMES = ["find_diagnoses", "find_interventions", "list_interventions"]
CHARACTERS_PER_TOKEN = 4
"""About what the tokenizers of common models make of English."""


@pytest.fixture(scope="module")
def server(start: Start, store: Store) -> Server:
    """Start a service with two workers that logs each request."""
    started = start(store.folder, "serve", "--workers", "2", access_log="on")
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def key(store: Store) -> str:
    return store.key().token.text


@pytest.fixture(scope="module")
def client(
    server: Server, key: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Assistant]:
    with assistant(tmp_path_factory.mktemp("assistant"), server.url, key) as client:
        yield client


def data(server: Server, key: str, path: str) -> Any:
    request = Request(f"{server.url}/api/v1{path}", headers={"Authorization": f"Bearer {key}"})
    with urlopen(request, timeout=60) as answer:
        return json.load(answer)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_assistant_learns_what_the_data_is_and_is_not(
    server: Server, key: str, tmp_path: Path, mode: str
) -> None:
    """This holds for the current revision of the protocol and for earlier ones."""
    with assistant(tmp_path, server.url, key, mode) as client:
        about = client.about

    assert about["server"]["name"] == "evref"
    assert about["capabilities"].keys() == {"tools"}
    for words in ("no clinical decision", "not complete", "always makes the final"):
        assert words in about["instructions"]
    assert [tool["name"] for tool in about["tools"]] == TOOL_NAMES
    for tool in about["tools"]:
        assert "no clinical decision" in tool["description"]
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["inputSchema"]["additionalProperties"] is False
    arguments = about["tools"][2]["inputSchema"]["properties"]
    for module in Module:
        assert f"{module}: {NAMES[module]}" in arguments["module"]["description"]
    for phase, time in TIMES.items():
        assert f"{phase}: {time}" in arguments["phase"]["description"]


def tokens(*sent: object) -> float:
    texts = (json.dumps(content, ensure_ascii=False) for content in sent)
    return sum(map(len, texts)) / CHARACTERS_PER_TOKEN


def test_a_question_costs_little(client: Assistant) -> None:
    """What does the evidence say on exercise for knee osteoarthritis? Text and structure together;
    and the list of tools, which every conversation begins with.
    """
    found = client.call("find_interventions", q="exercise for knee osteoarthritis")
    listed = client.call(
        "list_interventions", diagnosis_id="knee-osteoarthritis", module="fitt_vip"
    )

    first = found.content["interventions"][0]
    assert first["id"] == "knee-osteoarthritis-land-based-exercise"
    assert len(first["effects"]) == 3
    assert tokens(found.text, found.content) < 1_500
    # With the scope, what is not covered, sources, summaries and doses besides.
    assert tokens(listed.text, listed.content) < 2_100
    assert tokens(client.about["tools"]) < 1_500


def test_empty_arguments_count_as_absent_and_codes_may_be_a_list(client: Assistant) -> None:
    """Some assistants fill in every argument."""
    found = client.call(
        "find_diagnoses", q="", icd10=["M17.11", "S83.5"], edition=" ", icd11=[], module=""
    )
    listed = client.call("list_interventions", diagnosis_id="gout", module="", phase="")
    wrong = client.call("list_interventions", diagnosis_id="")

    assert [match["given"] for match in found.content["matches"]] == ["M17.11", "S83.5"]
    assert not listed.failed
    assert wrong.failed


def test_codes_of_a_record_find_diagnoses(client: Assistant, server: Server, key: str) -> None:
    """Each code, of any national edition, says what it found."""
    found = client.call("find_diagnoses", icd10="M17.11,S72001A,S83.5,B05,hello")

    served = data(server, key, "/diagnoses?icd10=M17.11,S72001A,S83.5,B05,hello")
    ids = [diagnosis["id"] for diagnosis in served["data"]]
    assert [diagnosis["id"] for diagnosis in found.content["diagnoses"]] == ids
    assert [match.get("relations", {}) for match in found.content["matches"]] == [
        {fit["id"]: fit["relation"] for fit in match["diagnoses"]}
        for match in served["meta"]["matches"]
    ]
    assert found.content["catalogue_version"] == served["meta"]["catalogue_version"]
    assert found.content["disclaimer"] == DISCLAIMER
    assert "Hip fracture (id hip-fracture)" in found.text
    assert "icd10 S72001A, read as S72.001A: hip-fracture" in found.text
    assert "injury (this code also means other conditions)" in found.text
    assert "icd10 B05, read as B05: nothing in the catalogue" in found.text
    assert "icd10 hello was not read" in found.text
    assert DISCLAIMER in found.text


def test_interventions_are_found_by_words(client: Assistant, server: Server, key: str) -> None:
    found = client.call("find_interventions", q="arthroscopic surgery", direction="against")

    served = data(server, key, "/interventions?q=arthroscopic+surgery&direction=against&limit=5")
    assert found.content["count"] == served["meta"]["count"] > 0
    for record, given in zip(served["data"], found.content["interventions"], strict=True):
        assert given["id"] == record["id"]
        assert given["diagnosis"]["id"] == record["diagnosis"]["id"]
        assert given["direction"] == "against"
        assert given.get("cautions") == record["cautions"]
        assert given["references"] == [work["url"] for work in record["references"]]
        assert len(given.get("effects", [])) == len(record["effects"])
        assert f"AGAINST: {record['title']} (" in found.text
    assert DISCLAIMER in found.text


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("find_diagnoses", {"icd10": "M15-M19"}, "icd10 has no code that can be read; allowed"),
        ("find_diagnoses", {"module": "physio"}, "allowed: fitt_vip, pharmaconeutral, home"),
        ("find_diagnoses", {"modul": "home"}, "modul: Extra inputs are not permitted"),
        ("find_diagnoses", {"icd10": 17}, "icd10"),
        ("list_interventions", {"diagnosis_id": "measles"}, "Diagnosis not found"),
        ("list_interventions", {"diagnosis_id": "../limit"}, "diagnosis_id: String should match"),
        ("list_interventions", {}, "diagnosis_id: Field required"),
        ("find_interventions", {"q": "a" * 100_000}, "The arguments are too long."),
        ("list_interventions", {"diagnosis_id": "a" * 100_000}, "The arguments are too long."),
        ("find_diagnoses", {"icd10": "M17," * 25_000}, "The arguments are too long."),
        ("find_diagnoses", {"a" * 100_000: "M17"}, "aaa: Extra inputs are not permitted"),
        ("find_diagnoses", dict.fromkeys(map(str, range(9_999)), ""), "0: Extra inputs are not"),
        ("find_interventions", {"q": "knee", "diagnosis": "knee"}, "Diagnosis not found"),
    ],
)
def test_an_invalid_argument_says_what_is_allowed(
    client: Assistant, tool: str, arguments: dict[str, Any], words: str
) -> None:
    """The words are the service's, unless the service does not have the argument."""
    refused = client.call(tool, **arguments)

    assert refused.failed
    assert words in refused.text
    assert len(refused.text) < 1_000
    assert refused.content is None


def test_a_refused_key_is_reported(server: Server, store: Store, tmp_path: Path) -> None:
    created = store.new_key("No access", permission=Permission.NONE)
    with assistant(tmp_path, server.url, UNKNOWN_KEY) as client:
        unknown = client.call("find_diagnoses", q="knee")
    with assistant(tmp_path, server.url, created.token.text) as client:
        may_not_read = client.call("find_diagnoses", q="knee")

    assert unknown.failed
    assert "refused the API key of this program (EVREF_KEY)" in unknown.text
    assert may_not_read.failed
    assert "permission does not allow reading" in may_not_read.text
    assert "evref_" not in unknown.text + may_not_read.text


def test_a_used_up_limit_is_reported(server: Server, store: Store, tmp_path: Path) -> None:
    with assistant(tmp_path, server.url, store.key(limit=1).token.text) as client:
        assert not client.call("find_diagnoses", q="knee").failed
        refused = client.call("find_diagnoses", q="hip")

    assert refused.failed
    assert "daily request limit of this program's API key is used up" in refused.text
    assert re.search(r"starts again at 00:00 UTC \(in (a minute|\d+ h \d+ min)\)", refused.text)


def test_a_service_that_is_down_is_reported(
    store: Store, start: Start, key: str, tmp_path: Path
) -> None:
    stopped = start(store.folder, "serve", "--workers", "2")
    stopped.wait_until_ready()
    with assistant(tmp_path, stopped.url, key) as client:
        assert not client.call("find_diagnoses", q="knee").failed
        with closing(sqlite3.connect(store.folder / "evref.sqlite")) as database:
            database.execute("BEGIN EXCLUSIVE")
            without_storage = client.call("find_diagnoses", q="knee")
        wait_until(lambda: not client.call("find_diagnoses", q="knee").failed, lambda: stopped.log)
        stopped.kill()
        down = client.call("find_diagnoses", q="knee")

    assert without_storage.failed
    assert "is unavailable at the moment" in without_storage.text
    assert down.failed
    assert f"at {stopped.url} cannot be reached" in down.text


def test_what_is_not_the_service_is_reported(server: Server, key: str, tmp_path: Path) -> None:
    with assistant(tmp_path, f"{server.url}/elsewhere", key) as client:
        elsewhere = client.call("find_diagnoses")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with assistant(tmp_path, url, key) as client:
            no_answer = client.call("find_diagnoses")

    assert elsewhere.failed
    assert "does not respond like an evidence reference service" in elsewhere.text
    assert no_answer.failed
    assert "did not respond in time" in no_answer.text


@pytest.fixture
def configured(server: Server, key: str, tmp_path: Path) -> Path:
    """Return a folder with the configuration that the how-to shows."""
    (shown,) = (block.text for block in blocks(HOW_TO) if block.language == "json")
    configuration = json.loads(shown.replace(SHOWN_ADDRESS, server.url))
    entry = configuration["mcpServers"]["evref"]
    assert Path(entry["command"]).name == "evref-mcp"
    entry["command"] = str(TOOLS / "evref-mcp")
    assert entry["env"]["EVREF_KEY"] == "evref_…"
    entry["env"]["EVREF_KEY"] = key
    (tmp_path / "mcp.json").write_text(json.dumps(configuration))
    return tmp_path


def test_the_inspector_calls_a_tool_as_the_how_to_shows(configured: Path) -> None:
    (example,) = (command for command in commands(HOW_TO) if command.code.startswith("npx "))
    program, *arguments = shlex.split(example.code.removeprefix("npx @modelcontextprotocol/"))

    printed = run_in(configured, f"mcp-{program}", *arguments, HOME=str(configured))

    assert_printed(example.shown or "", printed)
    result = json.loads(printed)
    (diagnosis,) = result["structuredContent"]["diagnoses"]
    assert diagnosis["id"] == "hip-fracture"
    assert DISCLAIMER in result["content"][0]["text"]
