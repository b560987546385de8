"""Tests that a template uses only templates of its own interface and of `web`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

INBOUND = Path(__file__).parents[2] / "evref" / "adapters" / "inbound"
WEB = "web"


def interface(template: Path) -> str:
    return template.relative_to(INBOUND).parts[0]


def templates() -> Iterator[tuple[Path, str]]:
    """Yield each file with the name by which templates use it."""
    for folder in INBOUND.rglob("templates"):
        for path in folder.rglob("*"):
            if path.is_file():
                yield path, str(path.relative_to(folder))


def used_by(source: str) -> list[str | None]:
    """Return the names of the templates that a template uses; None for a computed name."""
    names: list[str | None] = []
    kinds = (nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)
    for node in Environment(autoescape=True).parse(source).find_all(kinds):
        named = node.template  # type: ignore[attr-defined]  # all of these kinds have one
        parts = named.items if isinstance(named, nodes.List | nodes.Tuple) else [named]
        names.extend(part.value if isinstance(part, nodes.Const) else None for part in parts)
    return names


TEMPLATES = list(templates())
OWNERS = {name: interface(path) for path, name in TEMPLATES}


def test_no_two_templates_have_the_same_name() -> None:
    """Flask would use the first of two such templates, even from another blueprint."""
    assert TEMPLATES
    assert len(OWNERS) == len(TEMPLATES)


@pytest.mark.parametrize(("path", "name"), TEMPLATES, ids=[name for _, name in TEMPLATES])
def test_a_template_uses_only_templates_of_its_own_interface_and_of_web(
    path: Path, name: str
) -> None:
    owners = {OWNERS.get(used or "", "unknown") for used in used_by(path.read_text("utf-8"))}

    assert owners <= {OWNERS[name], WEB}
