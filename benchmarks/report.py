"""Writes the figures of a run as JSON, as the tables of a page, and as a plot."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import scaling
from benchmarks.cases import READ
from benchmarks.contenders import SERVERS

PAGES = Path(__file__).parent.parent / "docs" / "explanation"
_PLOTTED = READ[1].name
_SHARE = f"{_PLOTTED}_of_bound"
_TAIL = ("p50, ms", "p99, ms", "p99.9, ms")
_LABELS, _SCALE, _ROW = 230, 220, 22  # the widths of labels and bound, the height of a bar

Figures = dict[str, Any]


def write(measured: Figures) -> None:
    """Replace the parts that were measured, and what is made from all parts."""
    result = json.loads((PAGES / "performance.json").read_text()) | measured
    for name, text in made(result).items():
        (PAGES / name).write_text(text)


def made(result: Figures) -> dict[str, str]:
    """Return the files with the figures, by name: both pages, the plot, and the figures as JSON."""
    figures = {name: part["figures"] for name, part in result.items()}
    how = (
        "Measured on {on} on {processor}, Python {python}: {rounds} rounds of {seconds} s; {disk}."
    )
    of_servers = {
        name: [*lines, "", how.format(**result[name]["measured"])]
        for name, lines in tables(figures).items()
    }
    of_loads = {name: _table(*rows) for name, rows in scaling.rows(result).items()}
    return {
        "performance.json": as_text(result) + "\n",
        "performance.md": _with_tables("performance.md", of_servers),
        "performance.svg": plot(figures["throughput"]),
        "scaling.md": _with_tables("scaling.md", of_loads),
    }


def _with_tables(name: str, by_name: dict[str, list[str]]) -> str:
    text = (PAGES / name).read_text()
    for table, lines in by_name.items():
        begin, end = f"<!-- {table}: begin -->", f"<!-- {table}: end -->"
        text = re.sub(f"(?s){begin}.*{end}", "\n".join([begin, *lines, end]), text)
    return text


def as_text(value: Any, indent: str = "") -> str:  # noqa: ANN401 - JSON is
    """Return JSON with one line for each set of figures, so that runs can be compared."""
    if not isinstance(value, dict) or not any(isinstance(item, dict) for item in value.values()):
        return json.dumps(value, ensure_ascii=False)
    inner = (f'{indent} "{name}": {as_text(item, indent + " ")}' for name, item in value.items())
    return "{\n" + ",\n".join(inner) + f"\n{indent}}}"


def tables(figures: Figures) -> dict[str, list[str]]:
    """Return the tables of the page on performance, by name."""
    spreads = {
        name: _table(
            (head, "median (lowest to highest)"),
            *((row, _spread(of)) for row, of in figures[name].items()),
        )
        for name, head in (
            ("large", "figure"),
            ("snomed", "figure"),
            ("storages", "figure"),
            ("worst", "request, ms of a core"),
        )
    }
    return spreads | {
        "throughput": _table(
            ("server", "requests/s", "of the bound", *_TAIL, "MB"),
            *(
                (name, *_figures(of[_PLOTTED], _spread(of[_SHARE])), of["memory_mb"])
                for name, of in figures["throughput"].items()
            ),
        ),
        "workers": _table(
            ("storage", "workers x threads", "connections", "requests/s", *_TAIL),
            *((*name.split(", "), *_figures(of)) for name, of in figures["workers"].items()),
        ),
        "instructions": _table(
            ("storage", *next(iter(figures["instructions"].values()))),
            *(
                (name, *(f"{count / 1000:.0f}" for count in counts.values()))
                for name, counts in figures["instructions"].items()
            ),
        ),
    }


def plot(servers: Figures) -> str:
    """Return an SVG with the requests per second of each server, relative to the bound."""
    most = max(of[_SHARE]["high"] for of in servers.values())
    width, height = _LABELS + round(_SCALE * most) + 60, _ROW * len(servers) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<style>text { font: 13px sans-serif }</style>",
        "<title>Requests per second, relative to the bound on gunicorn</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, (name, of) in enumerate(servers.items()):
        share = of[_SHARE]
        top, end = number * _ROW + 8, _LABELS + _SCALE * share["median"]
        fill = f'fill="{"#d08c2f" if name.endswith(SERVERS[1]) else "#1b6ca8"}"'
        lines += [
            f'<text x="{_LABELS - 8}" y="{top + 12}" text-anchor="end">{name}</text>',
            f'<rect x="{_LABELS}" y="{top}" width="{end - _LABELS:.0f}" height="16" {fill}/>',
            f'<text x="{end + 6:.0f}" y="{top + 12}">{share["median"]:.2f}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _figures(of: Figures, *after_the_rate: str) -> Iterator[str]:
    yield f"{of['rate']:,.0f}"
    yield from after_the_rate
    for name in ("p50_ms", "p99_ms", "p999_ms"):
        yield f"{of[name]:.1f}"


def _table(heads: Sequence[object], *rows: Iterable[object]) -> list[str]:
    lines: list[Iterable[object]] = [heads, ["---"] * len(heads), *rows]
    return [f"| {' | '.join(map(str, cells))} |" for cells in lines]


def _spread(of: Figures) -> str:
    return f"{of['median']:g} ({of['low']:g} to {of['high']:g})"
