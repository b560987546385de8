"""`make crash`: kills processes hundreds of times during writes, and checks the data."""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import time
from contextlib import ExitStack, closing
from dataclasses import asdict
from pathlib import Path
from tempfile import mkdtemp

from tests.crash.rounds import TASKS, Figures, PostgresqlDatabases, SqliteFiles, play
from tests.servers import postgresql_server


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(prog="make crash ARGS=…", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=60, help="rounds of each task on each database"
    )
    parser.add_argument("--seconds", type=int, default=180, help="start no round after this time")
    parser.add_argument("--seed", default=f"{random.randrange(10**9)}", help="to repeat a run")
    parser.add_argument("--figures", type=Path, help="a file for the seed and the figures, as JSON")
    options = parser.parse_args()
    say(f"seed {options.seed}")

    end = time.monotonic() + options.seconds
    folder = Path(mkdtemp(prefix="evref-crash-"))
    all_figures: dict[str, Figures] = {}
    with ExitStack() as stack:
        server = stack.enter_context(postgresql_server())
        tasks = [
            (databases, stack.enter_context(closing(task(databases))))
            for databases in (SqliteFiles(folder), PostgresqlDatabases(server))
            for task in TASKS
        ]
        for number in range(options.rounds):
            for databases, task in tasks:
                if time.monotonic() > end:
                    break
                name = f"{task.name} on {databases.kind}"
                figures = all_figures.setdefault(name, Figures())
                try:
                    play(task, number, options.seed, databases, figures)
                except BaseException:
                    say(f"{name}, round {number}, seed {options.seed}; {folder}")
                    raise
    # Only a failed round leaves the folder behind.
    shutil.rmtree(folder)
    for name, figures in all_figures.items():
        say(
            f"{name}: {figures.rounds} rounds, {figures.kills} killed, "
            f"{figures.interrupted} during a change, {figures.changes} changes done; "
            + ", ".join(f"{word} {count}" for word, count in sorted(figures.outcomes.items()))
        )
    if options.figures is not None:
        record = {"seed": options.seed} | {
            name: asdict(figures) for name, figures in all_figures.items()
        }
        options.figures.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
