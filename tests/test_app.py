"""The application that a WSGI server loads."""

from __future__ import annotations

from pathlib import Path

import pytest

from evref.bootstrap.app import create_app


def test_the_application_is_made_from_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Creating it does not access storage, which may not exist yet."""
    monkeypatch.setenv("EVREF_BASE_URL", "https://evref.example.org")

    app = create_app()

    assert isinstance(app.spec, dict)
    assert [server["url"] for server in app.spec["servers"]] == ["https://evref.example.org"]
    assert list(folder.iterdir()) == []
