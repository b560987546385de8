"""Tests that the core imports only listed modules, so that it does not depend on adapters.

A list of forbidden modules would let every new package through.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.checker import ROOT, imports_outside, impure_calls, sources

# Modules of the standard library that read and change nothing but their arguments. Another such
# module may be added, but not a module that uses a clock, a file or a socket.
PURE = {
    "__future__", "abc", "array", "bisect", "collections", "contextlib", "contextvars", "copy",
    "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions", "functools", "hashlib",
    "hmac", "ipaddress", "itertools", "json", "math", "operator", "re", "string", "types", "typing",
    "unicodedata", "urllib.parse", "zlib",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A package of the core, and what it may import."""

    folder: str
    allowed: set[str]


PARTS = [
    Part("evref/domain", PURE | {"evref.domain"}),
    Part("evref/ports", PURE | {"pathlib", "evref.domain", "evref.ports"}),
    Part(
        "evref/application",
        PURE
        | {"logging", "pathlib", "threading"}
        | {"evref.domain", "evref.ports", "evref.application"},
    ),
]
FILES = [
    pytest.param(part, path, id=str(path.relative_to(ROOT)))
    for part in PARTS
    for path in sources(part.folder)
]


@pytest.mark.parametrize(("part", "path"), FILES)
def test_a_module_of_the_core_imports_nothing_that_is_not_listed(part: Part, path: Path) -> None:
    assert imports_outside(path.read_text(), part.allowed) == []


@pytest.mark.parametrize(("part", "path"), FILES)
def test_a_module_of_the_core_reads_no_clock_and_no_file(part: Part, path: Path) -> None:
    assert impure_calls(path.read_text()) == []


def test_the_lists_contain_only_the_standard_library_and_the_core() -> None:
    listed = {name.partition(".")[0] for part in PARTS for name in part.allowed}

    assert listed - sys.stdlib_module_names == {"evref"}


@pytest.mark.parametrize(
    "source",
    [
        "import flask",
        "import os.path",
        "import time",
        "from random import random",
        "import urllib.request",
        "import urllib",
        "from urllib import request",
        "from evref import adapters",
        "from evref.adapters.outbound.sql import tables",
        "from evref.domain_like import x",
        "from evref import *",
        "from . import quota",
        "from ..ports import clock",
        "if TYPE_CHECKING:\n    from sqlalchemy import Engine",
        "def late():\n    import secrets",
        "try:\n    import orjson as json\nexcept ImportError:\n    import json",
    ],
)
def test_an_import_that_is_not_listed_is_found(source: str) -> None:
    assert len(imports_outside(source, PARTS[0].allowed)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "datetime.now(UTC)",
        "datetime.datetime.now()",
        "x = date.today()",
        "datetime.utcnow()",
        "open('a')",
        "path.open()",
        "path.read_text()",
        "print('a')",
        "__import__('os')",
    ],
)
def test_a_call_to_a_clock_a_file_or_the_terminal_is_found(source: str) -> None:
    assert len(impure_calls(source)) == 1
