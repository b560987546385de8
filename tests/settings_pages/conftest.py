"""A site on SQLite, the default storage, and a member who is signed in there."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.settings_pages.site import Site, settings_for
from tests.settings_pages.visitor import Visitor, a_member


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with closing(Site(settings_for("sqlite", tmp_path))) as site:
        yield site


@pytest.fixture
def member(site: Site) -> Visitor:
    return a_member(site)
