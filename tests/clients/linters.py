"""The linters that integrators use find no error in the OpenAPI document, and no warning."""

import json
from pathlib import Path

from tests.clients.conftest import Run


def test_spectral_has_nothing_to_say(run: Run, document: Path, tmp_path: Path) -> None:
    """Its own rules for OpenAPI are on, including hints."""
    rules = tmp_path / "spectral.json"
    rules.write_text('{"extends": ["spectral:oas"]}')

    said = run("spectral", "lint", "--ruleset", rules, "--fail-severity", "hint", document)

    assert "No results with a severity of 'hint' or higher found!" in said


def test_redocly_has_nothing_to_say(run: Run, document: Path) -> None:
    """Its recommended rules are on, each as strict as possible."""
    said = run("redocly", "lint", "--extends", "recommended-strict", "--format", "json", document)

    assert json.loads(said)["totals"] == {"errors": 0, "warnings": 0, "ignored": 0}
