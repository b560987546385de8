"""The code blocks of a page of the documentation, and the output that the page shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

# What remains of a limit, and the seconds until it starts anew, are others each time.
_COUNTED = re.compile(r"\b([rt])=[0-9]+")


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` counts from 1."""

    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Example:
    """Code to run, and the output that the page shows for it, if any."""

    block: Block
    code: str
    shown: str | None

    def __str__(self) -> str:
        return str(self.block)


def blocks(page: Path) -> list[Block]:
    return [
        Block(page, token.map[0] + 1, token.info.strip(), token.content)
        for token in MarkdownIt().parse(page.read_text(encoding="utf-8"))
        if token.type == "fence" and token.map
    ]


def commands(page: Path) -> list[Example]:
    """Return what is typed at each prompt, with the lines up to the next prompt."""
    examples = []
    for block in blocks(page):
        if block.language == "console":
            for typed in re.split(r"(?m)^\$ ", block.text)[1:]:
                match = re.match(r"((?:.*\\\n)*.*)\n?", typed)
                assert match
                examples.append(Example(block, match[0].rstrip("\n"), typed[match.end() :]))
    return examples


def programs(page: Path, language: str) -> list[Example]:
    """Return the blocks of a language, each with the text block right behind it."""
    all_blocks = blocks(page)
    behind = [*all_blocks[1:], None]
    return [
        Example(block, block.text, after.text if after and after.language == "text" else None)
        for block, after in zip(all_blocks, behind, strict=True)
        if block.language == language
    ]


def assert_printed(shown: str, printed: str) -> None:
    """Assert the output. `…` stands for any text, and on its own line for any lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "…" else _pattern(line) + r"\n" for line in shown.splitlines()
    )
    assert re.fullmatch(pattern, printed.rstrip("\n") + "\n"), (
        f"The page shows\n{shown}\nbut this was printed:\n{printed}"
    )


def _pattern(line: str) -> str:
    return _COUNTED.sub(r"\1=[0-9]+", re.escape(line).replace("…", ".*"))
