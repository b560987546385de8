"""Reads source text for what it imports and calls; nothing is run, and TYPE_CHECKING counts too."""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Calls by which code that imports nothing else still reaches a clock, a file or the terminal.
IMPURE_BUILTINS = {"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__"}
CLOCK_READS = {"now", "today", "utcnow"}
FILE_ACCESS = {
    "read_text", "read_bytes", "write_text", "write_bytes", "mkdir", "rmdir", "touch", "unlink",
    "iterdir", "glob", "rglob", "exists", "is_file", "is_dir", "stat", "resolve", "cwd", "home",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Import:
    """A name with all its dots: `from a.b import c` imports `a.b.c`; `.b` where it is relative."""

    line: int
    name: str

    def within(self, packages: Collection[str]) -> bool:
        """Whether it is one of these modules or packages, or something in one."""
        return any(self.name == one or self.name.startswith(f"{one}.") for one in packages)


def sources(*places: str) -> list[Path]:
    """All Python files in these files and folders of the project; at least one in each."""
    found = []
    for place in places:
        path = ROOT / place
        here = [path] if path.is_file() else sorted(path.rglob("*.py"))
        assert here, f"there is nothing to check in {place}"
        found += here
    return found


def imports(source: str) -> Iterator[Import]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            for alias in node.names:
                yield Import(node.lineno, f"{origin}.{alias.name}")


def imports_outside(source: str, allowed: Collection[str]) -> list[str]:
    """Imports of anything but these modules and packages, as `line: name`."""
    return [f"{one.line}: {one.name}" for one in imports(source) if not one.within(allowed)]


def impure_calls(source: str) -> list[str]:
    """Calls that read a clock, a file or the terminal, or run text as code, as `line: name`."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name) if name in IMPURE_BUILTINS:
                    found.append(f"{node.lineno}: {name}")
                case ast.Attribute(value=value, attr=name) if name in FILE_ACCESS | {"open"} or (
                    name in CLOCK_READS and _last_name(value) in {"datetime", "date"}
                ):
                    found.append(f"{node.lineno}: {name}")
                case _:
                    pass
    return found


def _last_name(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None
