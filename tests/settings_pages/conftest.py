"""A site on SQLite, the default storage, and a member who is signed in there."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.settings_pages.site import Site, settings_for
from tests.settings_pages.visitor import Visitor, a_member


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(settings_for("sqlite", tmp_path))
    yield site
    site.container.connections().close()


@pytest.fixture
def member(site: Site) -> Visitor:
    return a_member(site)
