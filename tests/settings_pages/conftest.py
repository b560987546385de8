"""Fixtures: a site in memory, and a member who is signed in."""

import pytest

from tests.settings_pages.site import Site, in_memory
from tests.settings_pages.visitor import Visitor, a_member


@pytest.fixture
def site() -> Site:
    # The contracts prove that all storages behave in the same way.
    return Site(in_memory())


@pytest.fixture
def member(site: Site) -> Visitor:
    return a_member(site)
