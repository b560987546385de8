"""The text of a PDF by page and column, as pdftotext (poppler-utils) extracts it."""

from __future__ import annotations

import subprocess
from collections import defaultdict
from xml.etree import ElementTree as ET

from tests.deploy.shell import needs

_XHTML = "{http://www.w3.org/1999/xhtml}"

Column = list[str]
"""Its lines, from the top."""


def columns(document: bytes) -> list[tuple[Column, Column]]:
    """Return the left and the right column of each page."""
    read = subprocess.run(
        [needs("pdftotext"), "-bbox", "-", "-"],
        input=document,
        stdout=subprocess.PIPE,
        check=True,
    )
    pages = []
    for page in ET.fromstring(read.stdout).iter(f"{_XHTML}page"):
        middle = float(page.attrib["width"]) / 2
        lines: tuple[dict[float, list[tuple[float, str]]], ...] = (
            defaultdict(list),
            defaultdict(list),
        )
        for word in page.iter(f"{_XHTML}word"):
            left, bottom = float(word.attrib["xMin"]), float(word.attrib["yMax"])
            near = lines[left >= middle]
            line = next((place for place in near if abs(place - bottom) < 4), bottom)
            near[line].append((left, word.text or ""))
        left_lines, right_lines = (
            [" ".join(text for _, text in sorted(side[place])) for place in sorted(side)]
            for side in lines
        )
        pages.append((left_lines, right_lines))
    return pages
