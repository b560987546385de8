"""Finds imports and calls in source text, also below TYPE_CHECKING, and runs nothing."""

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Code can reach a clock, a file or the terminal by these calls without another import.
IMPURE_BUILTINS = {"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__"}
CLOCK_READS = {"now", "today", "utcnow"}
FILE_ACCESS = {
    "read_text", "read_bytes", "write_text", "write_bytes", "mkdir", "rmdir", "touch", "unlink",
    "iterdir", "glob", "rglob", "exists", "is_file", "is_dir", "stat", "resolve", "cwd", "home",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Import:
    """A dotted name: `a.b.c` for `from a.b import c`; a relative name begins with a dot."""

    line: int
    name: str

    def within(self, packages: Collection[str]) -> bool:
        """Return whether the name is one of these modules or packages, or in one of them."""
        return any(self.name == name or self.name.startswith(f"{name}.") for name in packages)


def sources(*places: str) -> list[Path]:
    """Return all Python files in these files and folders; each must contain at least one."""
    files = []
    for place in places:
        path = ROOT / place
        here = [path] if path.is_file() else sorted(path.rglob("*.py"))
        assert here, f"there is nothing to check in {place}"
        files += here
    return files


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
    """Return the imports from outside these modules and packages, as `line: name`."""
    return [f"{item.line}: {item.name}" for item in imports(source) if not item.within(allowed)]


def impure_calls(source: str) -> list[str]:
    """Return calls that reach a clock, a file or the terminal or run text, as `line: name`."""
    calls = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name) if name in IMPURE_BUILTINS:
                    calls.append(f"{node.lineno}: {name}")
                case ast.Attribute(value=value, attr=name) if name in FILE_ACCESS | {"open"} or (
                    name in CLOCK_READS and _last_name(value) in {"datetime", "date"}
                ):
                    calls.append(f"{node.lineno}: {name}")
                case _:
                    pass
    return calls


def _last_name(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return None
