"""`make bench`: compares the service with the upper bound of its server, and with its peers.

Writes docs/explanation/performance.json, and from it the tables and the plot of the page.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import report
from benchmarks.checks import WrongResponseError
from benchmarks.measuring import Pace
from benchmarks.parts import Run
from benchmarks.processes import pin_all_but_servers

PARTS = ("throughput", "sizes", "sharing", "swaps", "instructions")


def main() -> None:
    """Measure the requested parts; writes the page only after a full run."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="number of measurements of each case")
    parser.add_argument("--seconds", type=int, default=1, help="duration of each measurement")
    parser.add_argument(
        "--only",
        choices=PARTS,
        action="append",
        help="run only this part, and write nothing",
    )
    parser.add_argument(
        "--python",
        type=Path,
        action="append",
        default=[],
        help="compare this interpreter too, in whose environment evref is installed",
    )
    options = parser.parse_args()

    pin_all_but_servers()
    console = Console(stderr=True)
    began = time.monotonic()
    result: dict[str, Any] = {"measured": _measured(options.rounds, options.seconds)}
    with tempfile.TemporaryDirectory() as folder, console.status("preparing") as status:
        run = Run(Path(folder), Pace(options.rounds, options.seconds, status.update))
        for part in options.only or PARTS:
            try:
                result[part] = getattr(run, part)()
            except WrongResponseError as error:
                sys.exit(f"benchmarks: {error}")
        if options.python:
            result["pythons"] = run.pythons(options.python)
    console.print(f"It took {time.monotonic() - began:.0f} seconds.")
    if options.only:
        sys.stdout.write(report.as_text(result))
    else:
        report.write(result)


def _measured(rounds: int, seconds: int) -> dict[str, Any]:
    return {
        "on": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "processor": _processor(),
        "load": "wrk" if shutil.which("wrk") else "Python threads",
        "rounds": rounds,
        "seconds": seconds,
    }


def _processor() -> str:
    listed = subprocess.run(["lscpu", "--json"], capture_output=True, text=True, check=False)
    if listed.returncode:
        return platform.machine()
    fields = {field["field"]: field["data"] for field in json.loads(listed.stdout)["lscpu"]}
    return str(fields.get("Model name:", platform.machine()))


if __name__ == "__main__":
    main()
