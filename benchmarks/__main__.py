"""`make bench`: the service against the bound, in turns, as medians of ratios.

Absolute figures of a shared machine say little; a ratio of two figures taken one right after the
other says more, and the median of several more still.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from rich.console import Console
from rich.table import Table

from benchmarks.load import Measured, drive
from benchmarks.servers import running

LIST = "/api/v1/diagnoses"
INTERVENTIONS = "/api/v1/diagnoses/knee-osteoarthritis/interventions"
MOST = "10000000"


@dataclass(frozen=True, slots=True)
class Case:
    """A request to measure; the bound serves the bytes of `as_bytes_of` for comparison."""

    name: str
    path: str
    headers: dict[str, str]
    status: int


def main() -> None:
    """Measure, and print the table."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured")
    parser.add_argument("--seconds", type=int, default=2, help="how long, each time")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        key, spent_key = _prepare(folder)
        service = stack.enter_context(
            running(["evref", "serve", "--workers", "1", "--threads", "4"], folder)
        )
        table = Table("request", "requests/s", "of the bound", "spread", "p99 of the bound's")
        for case in _cases(service, key, spent_key):
            table.add_row(*_measure(case, service, folder, options))
    Console().print(table)


def _prepare(folder: Path) -> tuple[str, str]:
    def evref(*arguments: str) -> str:
        command = [sys.executable, "-m", "evref", *arguments]
        environ = os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)}
        return subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, check=True
        ).stdout.strip()

    evref("init")
    evref("institution", "create", "Benchmark")
    make = ("key", "create", "--institution", "Benchmark", "--name", "load", "--limit")
    return evref(*make, MOST), evref(*make, "0")


def _cases(service: str, key: str, spent_key: str) -> list[Case]:
    bearer = {"Authorization": f"Bearer {key}"}
    etag = _ask(service + LIST, bearer)[1]
    return [
        Case("list", LIST, bearer, 200),
        Case("interventions", INTERVENTIONS, bearer, 200),
        Case("interventions, filtered", INTERVENTIONS + "?module=home", bearer, 200),
        Case("304", LIST, bearer | {"If-None-Match": etag}, 304),
        Case("401", LIST, {"Authorization": "Bearer evref_mistyped"}, 401),
        Case("429", LIST, {"Authorization": f"Bearer {spent_key}"}, 429),
    ]


def _measure(case: Case, service: str, folder: Path, options: Namespace) -> tuple[str, ...]:
    """One row of the table."""
    # A 304 is compared with the full bytes that it saves.
    given = {name: value for name, value in case.headers.items() if name != "If-None-Match"}
    body = folder / "body"
    body.write_bytes(_ask(service + case.path, given)[0])
    gunicorn = ["gunicorn", "benchmarks.bound:app", "--no-control-socket"]
    gunicorn += ["--workers", "1", "--worker-class", "gthread", "--threads", "4"]
    pairs: list[tuple[Measured, Measured]] = []
    with running(gunicorn, folder, BOUND_BODY=str(body)) as bound:
        for _ in range(options.rounds):
            most = drive(bound, {}, options.seconds)
            pairs.append((drive(service + case.path, case.headers, options.seconds), most))
    ratios = [ours.rate / most.rate for ours, most in pairs]
    return (
        case.name,
        f"{statistics.median(ours.rate for ours, _ in pairs):.0f}",
        f"{statistics.median(ratios):.2f}",
        f"{min(ratios):.2f} to {max(ratios):.2f}",
        f"{statistics.median(ours.p99 / most.p99 for ours, most in pairs):.1f}",
    )


def _ask(address: str, headers: dict[str, str]) -> tuple[bytes, str]:
    try:
        with urlopen(Request(address, headers=headers)) as response:
            return response.read(), response.headers.get("ETag", "")
    except HTTPError as error:
        with error:
            return error.read(), ""


if __name__ == "__main__":
    main()
