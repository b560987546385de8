"""Writes the figures of a run as JSON, as the tables of a page, and as a plot."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.contenders import BOUND
from benchmarks.goals import goals
from benchmarks.processes import PEERS_PYTHON

_PAGES = Path(__file__).parent.parent / "docs" / "explanation"
_BEGIN, _END = "<!-- measured: begin -->", "<!-- measured: end -->"
_MEGABYTE = 1_000_000

Figures = dict[str, Any]


def write(result: Figures) -> None:
    """Write a full run to the documentation."""
    (_PAGES / "performance.json").write_text(as_text(result))
    page = _PAGES / "performance.md"
    page.write_text(with_tables(page.read_text(), result))
    subprocess.run([PEERS_PYTHON, "-m", "benchmarks.plot"], cwd=_PAGES.parent.parent, check=True)


def with_tables(page: str, result: Figures) -> str:
    """Return the page with its tables replaced by those of the run."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    tables = "\n".join(_tables(result))
    return f"{before}{_BEGIN}\n{tables}\n{_END}{after}"


def as_text(result: Figures) -> str:
    """Return JSON with one line for each set of figures, so that runs can be compared."""
    return "\n".join(_lines(result, "")) + "\n"


def _lines(value: Figures, indent: str) -> Iterator[str]:
    if not any(isinstance(inner, dict) for inner in value.values()):
        yield json.dumps(value, ensure_ascii=False)
        return
    yield "{"
    for number, (name, inner) in enumerate(value.items(), start=1):
        lines = list(_lines(inner, indent) if isinstance(inner, dict) else [json.dumps(inner)])
        lines[-1] += "," if number < len(value) else ""
        yield f' "{name}": {lines[0]}'
        yield from (f" {line}" for line in lines[1:])
    yield "}"


def _tables(result: Figures) -> Iterator[str]:
    measured, throughput = result["measured"], result["throughput"]
    servers = throughput["servers"]
    cases = list(servers[BOUND]["cases"])
    yield (
        f"Measured on {measured['on']} with Python {measured['python']} on one core of "
        f"{measured['processor']}, load from {measured['load']}; medians of "
        f"{measured['rounds']} rounds of {measured['seconds']} s, with the lowest and the highest."
    )
    yield "\n### Goals\n"
    yield from _table(
        ("figure", "goal", "measured", "met"),
        (
            (goal.name, f"{goal.how} {goal.wanted:g}", f"{goal.measured:.2f}", _yes(goal.is_met))
            for goal in goals(result)
        ),
    )
    yield "\nAll figures are in [performance.json](performance.json)."
    yield "\n### Requests per second, relative to the bound\n"
    yield "![Three kinds of request for each server](performance.svg)\n"
    yield from _table(
        ("server", *cases),
        (
            (name, *(_spread(of["cases"].get(case, {}).get("of_bound")) for case in cases))
            for name, of in servers.items()
            if name != BOUND
        ),
    )
    yield "\n### Requests per second, relative to the bound with the same response\n"
    yield from _table(
        ("server", *cases),
        (
            (name, *(_spread(ratios[case]) for case in cases))
            for name, ratios in throughput["of_same_response"].items()
        ),
    )
    yield "\n### Figures for a list of interventions\n"
    yield from _table(
        ("server", "requests/s", "p50, ms", "p99, ms", "CPU, µs", "memory, MB", "own, MB"),
        (_figures(name, of, throughput["memory"][name]) for name, of in servers.items()),
    )
    yield "\n### The service on SQLite, relative to each peer\n"
    yield from _table(
        ("peer", *cases),
        (
            (name, *(_spread(ratios["SQLite"].get(case)) for case in cases))
            for name, ratios in throughput["peers"].items()
        ),
    )
    yield "\n### Catalogues of other sizes, on SQLite\n"
    yield from _table(
        ("diagnoses", "JSON, MB", "memory, MB", "start, s", *_size_columns(result["sizes"])),
        (
            (
                f"{int(size):,}",
                _megabytes(figures["json_bytes"]),
                _megabytes(figures["memory"]["resident"]),
                _spread(figures["start"]),
                *(_spread(case["of_bound"]) for case in figures["cases"].values()),
            )
            for size, figures in result["sizes"].items()
        ),
    )
    yield "\n### One worker, while another catalogue is published\n"
    yield from _table(
        (
            "diagnoses, all new",
            "storage",
            "slowest response, ms",
            "slowest before, ms",
            "until it is served, s",
            "additional memory, MB",
        ),
        (
            (
                f"{int(size):,}",
                name,
                _spread(figures["slowest_ms"]),
                _spread(figures["before_ms"]),
                _spread(figures["seconds"]),
                _megabytes(figures["more_bytes"]),
            )
            for size, storages in result["swaps"].items()
            for name, figures in storages.items()
        ),
    )
    yield "\n### More workers or keys, for interventions, relative to one worker with one key\n"
    yield from _table(
        ("storage", "two workers on the same core", "1,000 keys in rotation"),
        (
            (name, _spread(ways["two workers"]), _spread(ways["many keys"]))
            for name, ways in result["sharing"].items()
        ),
    )
    if "pythons" in result:
        python = measured["python"]
        yield f"\n### Other versions of Python on SQLite, relative to {python}\n"
        first = next(iter(result["pythons"].values()))
        yield from _table(
            ("Python", *first["cases"], "memory, MB"),
            (
                (
                    name,
                    *map(_spread, figures["cases"].values()),
                    _megabytes(figures["memory"]["resident"]),
                )
                for name, figures in result["pythons"].items()
            ),
        )
    if result["instructions"]:
        yield "\n### Thousands of instructions per request, in the application\n"
        yield from _table(
            ("storage", *cases),
            (
                (name, *(f"{counted[case] / 1000:.0f}" for case in cases))
                for name, counted in result["instructions"].items()
            ),
        )


def _figures(name: str, of: Figures, memory: Figures) -> tuple[str, ...]:
    case = of["cases"]["interventions"]
    return (
        name,
        f"{case['rate']:,}",
        f"{case['p50_ms']:.1f}",
        f"{case['p99_ms']:.1f}",
        f"{case['cpu_us']:,}",
        _megabytes(memory["resident"]),
        _megabytes(memory["own"]),
    )


def _size_columns(sizes: Figures) -> Iterator[str]:
    for case in next(iter(sizes.values()))["cases"]:
        yield f"{case}, relative to the bound"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    heads = list(heads)
    yield _row(heads)
    yield _row("---" for _ in heads)
    for row in rows:
        yield _row(row)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _spread(spread: Figures | None) -> str:
    if spread is None:
        return "-"
    return f"{spread['median']:.2f} ({spread['low']:.2f} to {spread['high']:.2f})"


def _megabytes(size: float) -> str:
    return f"{size / _MEGABYTE:.1f}"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "**no**"
