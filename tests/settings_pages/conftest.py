"""A site in memory, and a member who is signed in there."""

import pytest

from tests.settings_pages.site import Site, in_memory
from tests.settings_pages.visitor import Visitor, a_member


@pytest.fixture
def site() -> Site:
    # The contracts of storages prove that all are alike: one is enough here.
    return Site(in_memory())


@pytest.fixture
def member(site: Site) -> Visitor:
    return a_member(site)
