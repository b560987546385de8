"""What commands print: tables for people, JSON for programs, progress for the patient.

Rich is loaded by what draws with it: a server is started by a command too, and draws nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")

_WIDTH_WHERE_PIPED = 1000
_MOST_LINES = 100


def print_records(records: Sequence[dict[str, Any]], *, as_json: bool, empty: str) -> None:
    """Print records that share their fields, as a table or as a JSON list."""
    if as_json:
        print_json(records)
        return
    if not records:
        click.echo(empty)
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in records[0]:
        table.add_column(name.replace("_", " "), overflow="fold")
    for record in records:
        table.add_row(*(_cell(value) for value in record.values()))
    # Text that is piped must not be cut at the width of a terminal that is not there.
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = _WIDTH_WHERE_PIPED
    console.print(table)


def print_json(value: object) -> None:
    """Print a value as JSON; dates in ISO 8601."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_iso))


def say(text: str) -> None:
    """Tell a person something on standard error, where it is in no program's way."""
    click.echo(text, err=True)


def say_lines(lines: Iterable[str]) -> None:
    """Say each line, and of more than a hundred only how many more there are."""
    said = list(lines)
    for line in said[:_MOST_LINES]:
        say(line)
    if len(said) > _MOST_LINES:
        say(f"and {len(said) - _MOST_LINES} more")


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error while many files are read; nothing where it is no terminal."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _done, _total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M UTC")
    return str(value)


def _iso(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"not for JSON: {type(value)}")
