"""The settings pages on a port of this machine, and the browser that goes there."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from socket import AF_INET, SOCK_STREAM, socket

from playwright.sync_api import Browser, sync_playwright
from werkzeug.serving import make_server

from evref.settings import Settings, StorageKind
from tests.settings_pages.site import MORNING, Site

_NAMES = ("chromium", "chromium-browser", "google-chrome")

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
    """Where Chromium is on this machine; None where it is not."""
    found = (os.environ.get("EVREF_CHROMIUM"), *map(shutil.which, _NAMES))
    return next((path for path in found if path), None)


@contextmanager
def running_browser(path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_ARGUMENTS))
        yield browser
        browser.close()


@contextmanager
def served_site() -> Iterator[Site]:
    """A site that is served at its base URL, until the context is left."""
    # The socket is given on, so that nobody else can take its port meanwhile.
    with socket(AF_INET, SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        listening.listen()
        settings = replace(
            Settings(storage=StorageKind.MEMORY), base_url=f"http://127.0.0.1:{port}"
        )
        site = Site(settings, MORNING)
        server = make_server("127.0.0.1", port, site.app, threaded=True, fd=listening.fileno())
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
            server.server_close()
