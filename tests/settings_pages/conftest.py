"""Fixtures: a site in memory, and a member who is signed in."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.settings_pages.site import NewSite, Site, in_memory, on_sqlite
from tests.settings_pages.visitor import Visitor, a_member


@pytest.fixture
def site() -> Site:
    # The contracts prove that all storages behave in the same way.
    return Site(in_memory())


@pytest.fixture
def site_on_sqlite(tmp_path: Path) -> Iterator[NewSite]:
    with ExitStack() as sites:
        yield lambda **more: sites.enter_context(closing(Site(on_sqlite(tmp_path, **more))))


@pytest.fixture
def member(site: Site) -> Visitor:
    return a_member(site)
