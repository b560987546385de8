"""The reference pages agree with the code."""

from __future__ import annotations

import inspect
import json
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from enum import StrEnum
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import get_type_hints

import click
import pytest

import evref.ports
from evref.adapters.inbound.web.problems import DOCUMENTED
from evref.bootstrap.settings import ALWAYS_ON, INTERFACES, PREFIX, Settings
from evref.cli.main import cli
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.evidence import Certainty, Direction, Recommendation, ReferenceKind
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.vocabulary import MEANINGS
from evref.ports.storage import Storage
from tests.docs import api_page, catalogue_format
from tests.docs.pages import DOCS, ROOT, Block, blocks
from tests.http.snapshots import DOCUMENT, HOW_TO_RENEW
from tests.pages.site import bundled

HOW_TO = DOCS / "how-to" / "write-a-storage-adapter.md"
ATTACKS = ROOT / "tests" / "hostile" / "README.md"
EVIDENCE = DOCS / "explanation" / "evidence.md"


def rows(page: Path) -> list[list[str]]:
    """Return the cells of each row of each table, without headings."""
    text = page.read_text(encoding="utf-8")
    cells = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    separators = {number for number, row in enumerate(cells) if set("".join(row)) <= set("-:")}
    return [
        row
        for number, row in enumerate(cells)
        if number not in separators and number + 1 not in separators
    ]


def reference(name: str) -> Path:
    return DOCS / "reference" / f"{name}.md"


def test_the_page_of_the_interface_is_that_of_the_openapi_document() -> None:
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))

    assert api_page.PAGE.read_text(encoding="utf-8") == api_page.page(document), HOW_TO_RENEW


def test_the_figures_of_the_documents_are_those_of_the_bundled_catalogue() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    decision = (DOCS / "explanation" / "for-decision-makers.md").read_text(encoding="utf-8")
    entries = bundled().entries
    interventions = [intervention for entry in entries for intervention in entry.interventions]
    cautions = [intervention for intervention in interventions if intervention.cautions]
    effects = [effect for intervention in interventions for effect in intervention.effects]

    (figures,) = re.findall(
        r"([\d,]+) diagnoses, ([\d,]+) interventions, ([\d,]+) cautions and ([\d,]+) effect sizes",
        text,
    )
    assert figures == tuple(
        f"{len(items):,}" for items in (entries, interventions, cautions, effects)
    )
    assert f"| content | {len(entries)} diagnoses," in decision


@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        ATTACKS,
        *(ROOT / "examples").rglob("*.md"),
        *(ROOT / "integrations").rglob("*.md"),
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_links_of_pages_outside_the_site_lead_somewhere(page: Path) -> None:
    """`make docs` checks the links within the site."""
    links = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))

    assert links
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_every_attack_has_a_test() -> None:
    """The last column names files or folders, by path or stem."""
    files = {path.stem for path in (ROOT / "tests").rglob("*.py")}
    named = [name for row in rows(ATTACKS) for name in re.findall(r"`([^`]+)`", row[-1])]

    assert named
    assert [n for n in named if n not in files and not (ROOT / n).exists()] == []


def test_every_setting_has_a_row_with_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """A default that is not a value is described in words."""
    shown = {row[0].strip("`"): row[1] for row in rows(reference("settings"))}
    values = {
        name: default.strip("`") for name, default in shown.items() if default.startswith("`")
    }

    switches = {one.name for one in entry_points(group=INTERFACES)} - ALWAYS_ON
    names = {*Settings.model_fields, *switches} - {"interfaces"}
    assert shown.keys() == {f"{PREFIX}{name.upper()}" for name in names}
    for name, text in values.items():
        monkeypatch.setenv(name, text)
    switched_on = dict.fromkeys(switches, "on")
    assert Settings.read(Path("/nowhere/.env")) == Settings(interfaces=switched_on)


def test_every_problem_has_a_row_with_its_status() -> None:
    shown = {row[0]: row[1] for row in rows(reference("errors")) if row[1].isdigit()}

    assert shown == {f"`{slug}`": str(int(kind.status)) for slug, kind in DOCUMENTED.items()}


def leaves(command: click.Command, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield each command without subcommands, as it is typed."""
    if isinstance(command, click.Group):
        for name, below in command.commands.items():
            yield from leaves(below, *path, name)
    else:
        yield " ".join(path), command


COMMANDS = dict(leaves(cli, "evref"))


def test_every_command_has_a_row() -> None:
    typed = [
        re.match(r"`([a-z-]+(?: [a-z][a-z-]*)*)", row[0]) for row in rows(reference("command-line"))
    ]

    assert sorted(match[1] for match in typed if match) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_row_of_a_command_has_its_options(name: str) -> None:
    """It leaves out --help, and --json, which every listing has."""
    (row,) = (
        row
        for row in rows(reference("command-line"))
        if re.match(rf"`{re.escape(name)}[ `]", row[0])
    )
    options = {
        option
        for parameter in COMMANDS[name].params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
    }

    assert set(re.findall(r"--[a-z-]+", row[0])) == options - {"--help", "--json"}


def test_every_dependency_has_its_reason() -> None:
    """This covers the service, its extras, and what the tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *(
            requirement
            for extra in project["project"]["optional-dependencies"].values()
            for requirement in extra
        ),
        *(
            requirement
            for group in project["dependency-groups"].values()
            for requirement in group
            if isinstance(requirement, str)
        ),
    ]
    named = reference("dependencies").read_text(encoding="utf-8").lower()
    names = {re.split(r"[\[><=]", requirement)[0] for requirement in wanted}

    assert {name for name in names if name not in named and not name.startswith("types-")} == set()


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        *((EVIDENCE, kind) for kind in (Certainty, Recommendation, Direction, ReferenceKind)),
        *((reference("catalogue-format"), kind) for kind in (Module, Phase)),
    ],
)
def test_a_value_means_the_same_wherever_it_is_explained(page: Path, kind: type[StrEnum]) -> None:
    """The page, the OpenAPI document and the schema of catalogue files agree."""
    explained = [row for row in rows(page) if row[0] in {f"`{value}`" for value in kind}]

    assert [row[1] for row in explained] == [MEANINGS[value] for value in kind]


def test_the_schema_and_the_tables_of_catalogue_files_are_those_of_the_records() -> None:
    """`make snapshots` generates them."""
    page = catalogue_format.PAGE.read_text(encoding="utf-8")

    assert catalogue_format.SCHEMA.read_text(encoding="utf-8") == catalogue_format.schema_text()
    assert catalogue_format.page(page) == page
    assert page.count("<!-- fields of ") == len(catalogue_format.TABLES)


def test_the_code_map_has_every_part_of_the_package() -> None:
    """It names nothing that does not exist, and neither does the rest of the page."""
    text = (DOCS / "explanation" / "architecture.md").read_text(encoding="utf-8")
    named = {path.rstrip("/") for path in re.findall(r"`(evref/[\w/.]+)`", text)}
    parts = {
        f"evref/{path.name}"
        for path in (ROOT / "evref").iterdir()
        if path.name not in {"__init__.py", "__pycache__", "adapters", "py.typed"}
    }

    assert {path for path in named if not (ROOT / path).exists()} == set()
    assert parts - named == set()


def test_the_how_to_has_every_part_of_a_storage() -> None:
    parts = {name: port.__name__ for name, port in get_type_hints(Storage).items()}
    named = {row[0].strip("`"): row[1].strip("`") for row in rows(HOW_TO) if len(row) == 3}

    assert named == parts


def test_every_port_has_a_row_with_its_methods() -> None:
    ports = {
        f"`{name}`": (
            f"`{module.name.removeprefix('evref.ports.')}`",
            [f"`{method}`" for method in vars(port) if not method.startswith("_")],
        )
        for module in pkgutil.walk_packages(evref.ports.__path__, "evref.ports.")
        if not module.ispkg
        for name, port in vars(import_module(module.name)).items()
        if inspect.isabstract(port) and port.__module__ == module.name
    }

    shown = {row[0]: (row[1], re.findall("`\\w+`", row[3])) for row in rows(reference("ports"))}
    assert shown == ports


@pytest.mark.parametrize(
    "block",
    [
        block
        for page in (HOW_TO, DOCS / "how-to" / "write-an-interface.md")
        for block in blocks(page)
        if block.language in {"python", "toml"}
    ],
    ids=str,
)
def test_a_how_to_shows_the_files_of_its_example(block: Block) -> None:
    files = [
        path.read_text(encoding="utf-8")
        for path in (ROOT / "examples").rglob("*")
        if path.suffix in {".py", ".toml"}
    ]

    # Of the metadata, the page shows a part.
    assert block.text in (files if block.language == "python" else "\n".join(files))
