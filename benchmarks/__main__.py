"""`make bench`: compares the service with the bound of its server, and with its peers.

Writes docs/explanation/performance.json, and from it the tables of both pages and the plot.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import report
from benchmarks.parts import Run
from benchmarks.processes import LOAD_CORE
from benchmarks.storages import settings_by_storage

_PARTS = ("throughput", "workers", "storages", "large", "instructions", "worst", "snomed")


def main() -> None:
    """Measure the requested parts, and replace their figures in the documentation."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="number of measurements of each case")
    parser.add_argument("--seconds", type=int, default=1, help="duration of each measurement")
    parser.add_argument("--only", choices=_PARTS, action="append", help="measure only this part")
    parser.add_argument("--print", action="store_true", help="print the figures, write nothing")
    options = parser.parse_args()
    measured = {
        "on": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "processor": re.findall("model name\t: (.+)", Path("/proc/cpuinfo").read_text())[0],
        "rounds": options.rounds,
        "seconds": options.seconds,
        "disk": f"{_file_system()}, PostgreSQL with fsync=on",
    }
    # This process, and the storage servers that it starts, stay off the measured servers' core.
    os.sched_setaffinity(0, {LOAD_CORE})
    with tempfile.TemporaryDirectory() as name, settings_by_storage(Path(name)) as storages:
        run = Run(Path(name), storages, options.rounds, options.seconds)
        figures = {
            part: {"measured": measured, "figures": getattr(run, part)()}
            for part in options.only or _PARTS
        }
    if options.print:
        sys.stdout.write(json.dumps(figures, indent=1, ensure_ascii=False))
    else:
        report.write(figures)


def _file_system() -> str:
    """Return the type of the file system that has the databases."""
    told = ["findmnt", "--noheadings", "--output", "FSTYPE", "--target", tempfile.gettempdir()]
    return subprocess.run(told, capture_output=True, check=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
