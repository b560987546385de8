"""`make bench`: the service beside what the same server can do at most, and beside its peers.

Writes docs/explanation/performance.json, and from it the tables and the plot of that page.
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
from benchmarks.checks import WrongAnswerError
from benchmarks.measuring import Pace
from benchmarks.parts import Run
from benchmarks.processes import pin_all_but_servers

PARTS = ("throughput", "sizes", "sharing", "swaps", "instructions")


def main() -> None:
    """Measure what is asked for; writes the page only after a run of everything."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured")
    parser.add_argument("--seconds", type=int, default=1, help="how long, each time")
    parser.add_argument(
        "--only", choices=PARTS, action="append", help="this part; prints, and writes nothing"
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
            except WrongAnswerError as error:
                sys.exit(f"benchmarks: {error}")
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
        "load": "wrk" if shutil.which("wrk") else "threads of Python",
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
