"""The output of commands: tables for people, JSON for programs, and progress bars.

Rich is imported where it is used, because `evref serve` does not need it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any

import click

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

_WIDTH_WHERE_PIPED = 1000
_MOST_LINES = 100


def print_rows(rows: Sequence[dict[str, Any]], *, as_json: bool, empty: str) -> None:
    """Print rows with the same fields, as a table or as a JSON list."""
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo(empty)
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in rows[0]:
        table.add_column(name.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row.values()))
    # Without a terminal, Rich would cut lines at 80 characters.
    console = Console(highlight=False, markup=False)
    if not console.is_terminal:
        console.width = _WIDTH_WHERE_PIPED
    console.print(table)


def print_json(value: object) -> None:
    """Print a value as JSON; dates in ISO 8601."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=_iso))


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


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error, if it is a terminal."""
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
