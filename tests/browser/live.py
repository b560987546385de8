"""Sites that are served on a port of this machine, and the browser that opens them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from socket import AF_INET, SOCK_STREAM, socket
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.principal import Readers
from tests.servers import PATIENCE, serving
from tests.settings_pages.site import EMAIL, MORNING, PASSWORD, Site

_NAMES = ("chromium", "chromium-browser", "google-chrome")

MILLISECONDS = PATIENCE * 1000
"""How long is waited for the browser; a busy machine draws a page late."""

_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """Return the path of Chromium on this machine, or None."""
    paths = (os.environ.get("EVREF_CHROMIUM"), *map(shutil.which, _NAMES))
    return next(filter(None, paths), None)


@contextmanager
def running_browser(path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=list(_ARGUMENTS), timeout=MILLISECONDS
        )
        yield browser
        browser.close()


@contextmanager
def served_site(readers: Readers = Readers.MEMBERS, path: str = "") -> Iterator[Site]:
    """Serve a site at its base URL, which ends with the path, until the context ends.

    `readers` may read the pages of its catalogue.
    """
    # The socket is given on, so that nobody else can take its port meanwhile.
    with socket(AF_INET, SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        listening.listen()
        settings = Settings(
            storage=StorageKind.MEMORY,
            base_url=f"http://127.0.0.1:{port}{path}",
            catalogue_pages=readers,
        )
        site = Site(settings, MORNING)
        with serving(site.app, listening):
            yield site


@contextmanager
def opened_page(
    browser: Browser,
    site: Site,
    *,
    width: int = 1280,
    scheme: Literal["light", "dark"] = "light",
    javascript: bool = True,
    locale: str = "en-GB",
) -> Iterator[Page]:
    """A page of a browser profile of its own, that lets the site use the clipboard.

    Raises:
        AssertionError: at the end, when the browser complained of anything on the way.

    """
    context = browser.new_context(
        base_url=site.settings.base_url,
        viewport={"width": width, "height": 800},
        color_scheme=scheme,
        java_script_enabled=javascript,
        locale=locale,
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(MILLISECONDS)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    # Chromium logs every status from 400 on, which some tests expect.
    complaints = [text for text in complaints if "the server responded with a status" not in text]
    assert not complaints, complaints


def sign_in(page: Page) -> None:
    """Sign in with the form; this ends on the list of keys."""
    page.goto("/settings")
    fill_in(page)
    page.wait_for_url("**/settings/api-keys")


def fill_in(page: Page) -> None:
    """Fill in and send the form to sign in."""
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def is_too_wide(page: Page) -> bool:
    """Return whether the page, once its style sheets have loaded, is wider than the window."""
    page.wait_for_load_state()
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))
