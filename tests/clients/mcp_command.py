"""The command evref-mcp, without a service."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.clients.assistant import PATH, UNKNOWN_KEY
from tests.clients.conftest import TOOLS, run_in


@pytest.mark.parametrize(
    ("url", "key", "words"),
    [
        (None, UNKNOWN_KEY, "EVREF_URL is missing"),
        ("evref.example.org", UNKNOWN_KEY, "EVREF_URL is not the address"),
        ("https://user:secret@evref.example.org", UNKNOWN_KEY, "EVREF_URL is not the address"),
        ("https://evref.example.org", None, "EVREF_KEY is missing"),
        ("https://evref.example.org", UNKNOWN_KEY[:-1], "EVREF_KEY is not an API key"),
    ],
)
def test_a_wrong_setting_is_one_line(
    tmp_path: Path, url: str | None, key: str | None, words: str
) -> None:
    settings = {name: text for name, text in (("EVREF_URL", url), ("EVREF_KEY", key)) if text}

    ended = subprocess.run(
        [TOOLS / "evref-mcp"],
        cwd=tmp_path,
        env={"PATH": PATH, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ended.returncode, ended.stdout) == (2, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"evref-mcp: {words}")
    assert "xxx" not in line
    assert "secret" not in line


def test_it_ends_with_its_input(tmp_path: Path) -> None:
    """Standard output has only messages of the protocol."""
    printed = run_in(
        tmp_path, "evref-mcp", EVREF_URL="https://evref.example.org", EVREF_KEY=UNKNOWN_KEY
    )

    assert printed == ""
