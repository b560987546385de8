"""The recipe of *Add a field*, followed in a copy of the repository: `make docs`, as it is long."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from tests.deploy.shell import needs, output
from tests.docs.pages import DOCS, ROOT

PAGE = DOCS / "how-to" / "add-a-field.md"
MOST_FILES = 6


def test_the_recipe_adds_a_field(tmp_path: Path) -> None:
    """The patch changes at most six files; the rest is derived."""
    (patch,) = re.findall(r"(?ms)^```diff\n(.*?)^```$", PAGE.read_text(encoding="utf-8"))
    for name in ("evref", "tests", "docs", "integrations"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "README.md").touch()

    python = sys.executable, "-m"
    tests = "-q", "-k", "setting or each_field", "tests/docs/test_fields.py"

    output(needs("git"), "apply", "-", input=patch, cwd=tmp_path)
    output(*python, "tests.http.snapshots", cwd=tmp_path)
    output(*python, "pytest", *tests, cwd=tmp_path)

    assert 1 <= patch.count("\n+++ ") <= MOST_FILES
    schema = (tmp_path / "evref" / "data" / "catalogue-file.schema.json").read_text("utf-8")
    assert '"setting": {' in schema
    for page in ("api", "catalogue-format"):
        text = (tmp_path / "docs" / "reference" / f"{page}.md").read_text("utf-8")
        assert "Where it was studied" in text
