"""Every kind of page in Firefox, at both widths and in both colour schemes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from evref.domain.principal import Readers
from tests.browser.live import served_site
from tests.clients.conftest import HERE, run_in
from tests.pages.site import bundled, publish
from tests.settings_pages.site import EMAIL, PASSWORD, Site


@pytest.fixture(scope="module")
def public() -> Iterator[Site]:
    """Yield a public site with the bundled catalogue."""
    with served_site(Readers.PUBLIC) as site:
        publish(site, bundled())
        yield site


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_pages_work_in_firefox(public: Site, tmp_path: Path, width: int, scheme: str) -> None:
    """The assertions are in the program."""
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    assert firefox is not None, "Firefox is not on this machine; .ci/run installs it"

    run_in(
        tmp_path,
        *("node", HERE / "programs" / "firefox.mjs", firefox, str(width), scheme),
        EVREF_URL=public.settings.base_url,
        EVREF_EMAIL=EMAIL,
        EVREF_PASSWORD=PASSWORD,
    )
