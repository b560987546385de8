"""`make search-report`: measures the search on all lists, and prints what it gets wrong."""

from __future__ import annotations

import sys

from tests.search.bundled import search
from tests.search.cases import measured


def report() -> str:
    """Return a line for each measure, and what is wrong in it."""
    lines = []
    for measure, (number, wrong) in measured(search()).items():
        right = number - len(wrong)
        lines.append(f"{measure:24} {right:4} of {number:4} {100 * right / number:6.1f} %")
        lines += (f"    {query}" for query in wrong)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(report())
