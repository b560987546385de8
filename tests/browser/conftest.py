"""One Chromium for all tests; a site and a browser profile for each test."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from evref.domain.principal import Readers
from tests.browser.live import MILLISECONDS, chromium, opened_page, running_browser, served_site
from tests.deploy.shell import needs
from tests.pages.site import bundled, publish
from tests.settings_pages.site import Site

# Playwright's own five seconds are too few.
expect.set_options(timeout=MILLISECONDS)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser(chromium() or needs("chromium")) as browser:
        yield browser


@pytest.fixture
def site() -> Iterator[Site]:
    with served_site() as site:
        yield site


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    with opened_page(browser, site) as page:
        yield page


@pytest.fixture(scope="module")
def public() -> Iterator[Site]:
    """Yield a public site with the bundled catalogue."""
    with served_site(Readers.PUBLIC) as site:
        publish(site, bundled())
        yield site
