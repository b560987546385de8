"""The output of commands: tables for people, and JSON for programs."""

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from io import TextIOWrapper
from typing import Any

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

_MOST_LINES = 100


def replace_what_cannot_be_shown() -> None:
    """Print a question mark for a character that the encoding of the output lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def print_rows(rows: Sequence[dict[str, Any]], *, as_json: bool, empty: str) -> None:
    """Print rows with the same fields, as a table or as a JSON list."""
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo(empty)
        return
    cells = [[name.replace("_", " ") for name in rows[0]]]
    cells += [[_cell(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row_cells in cells:
        padded = (cell.ljust(width) for cell, width in zip(row_cells, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def print_json(value: object) -> None:
    # An escape keeps a character that the encoding of the output lacks.
    is_unicode = sys.stdout.encoding.lower().replace("-", "") == "utf8"
    click.echo(json.dumps(value, ensure_ascii=not is_unicode, indent=2, default=_iso))


def say(text: str) -> None:
    """Print a message on standard error, so that standard output has only the result."""
    click.echo(text, err=True)


def say_lines(lines: Iterable[str]) -> None:
    """Print each line on standard error; after 100 lines, print only the number of the rest."""
    listed = list(lines)
    for line in listed[:_MOST_LINES]:
        say(line)
    if len(listed) > _MOST_LINES:
        say(f"and {len(listed) - _MOST_LINES} more")


def _cell(value: object) -> str:
    if value is None or value == ():
        return "-"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M UTC")
    return str(value)


def _iso(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"cannot be JSON: {type(value)}")
