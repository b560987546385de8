"""Tests that the core imports only listed modules of the standard library.

The import contracts of pyproject.toml say which modules of evref it may import. A list of forbidden
modules would let every new package through.
"""

import ast
from pathlib import Path

import pytest

EVREF = Path(__file__).parents[2] / "evref"

# Modules of the standard library that read and change nothing but their arguments. Another such
# module may be added, but not a module that uses a clock, a file or a socket.
PURE = {
    "__future__", "abc", "array", "bisect", "collections", "contextlib", "contextvars", "copy",
    "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions", "functools", "hashlib",
    "hmac", "ipaddress", "itertools", "json", "math", "operator", "re", "string", "types", "typing",
    "unicodedata", "urllib.parse", "zlib",
}  # fmt: skip


def imported(source: str) -> set[str]:
    """Return the modules that a source text imports anywhere, also below TYPE_CHECKING."""
    modules = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add("." * node.level + (node.module or ""))
    return modules


def unlisted(source: str, listed: set[str]) -> list[str]:
    return [
        module
        for module in sorted(imported(source))
        if not any(f"{module}.".startswith(f"{name}.") for name in listed | {"evref"})
    ]


@pytest.mark.parametrize(
    ("folder", "more"),
    [
        ("domain", set()),
        ("ports", {"pathlib"}),
        ("application", {"logging", "pathlib", "threading"}),
    ],
)
def test_the_core_imports_nothing_that_is_not_listed(folder: str, more: set[str]) -> None:
    found = {
        path: unlisted(path.read_text(), PURE | more) for path in EVREF.glob(f"{folder}/**/*.py")
    }

    assert found
    assert {path: modules for path, modules in found.items() if modules} == {}
