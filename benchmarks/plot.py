"""Plots a run: each server's requests per second, relative to the bound."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

_PAGES = Path(__file__).parent.parent / "docs" / "explanation"
_CASES = ("list", "interventions", "304")
_COLOURS = ("#1b6ca8", "#4fa3d1", "#a9d0e8")
_BAR = 0.26


def main() -> None:
    """Draw the figures of the last run as SVG; the same figures give the same bytes."""
    throughput = json.loads((_PAGES / "performance.json").read_text())["throughput"]
    servers = throughput["servers"]
    # Keep text as text, and ids the same from run to run.
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "evref", "font.family": "sans-serif"}
    names = [*throughput["of_same_response"], *throughput["peers"]]
    figure = Figure(figsize=(8, 0.55 * len(names) + 1), layout="constrained")
    axes = figure.subplots()
    for place, (case, colour) in enumerate(zip(_CASES, _COLOURS, strict=True)):
        takers = [name for name in names if case in servers[name]["cases"]]
        spreads = [servers[name]["cases"][case]["of_bound"] for name in takers]
        medians = [spread["median"] for spread in spreads]
        axes.barh(
            [names.index(name) + (place - 1) * _BAR for name in takers],
            medians,
            height=_BAR,
            color=colour,
            label=case,
            xerr=[
                [spread["median"] - spread["low"] for spread in spreads],
                [spread["high"] - spread["median"] for spread in spreads],
            ],
            error_kw={"linewidth": 0.8, "ecolor": "#333333"},
        )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("requests per second, relative to the same server with a trivial application")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(_PAGES / "performance.svg", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
