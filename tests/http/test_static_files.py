"""Style sheets, scripts and images: their addresses change with their content."""

from __future__ import annotations

import gzip
import re
from hashlib import sha256

import pytest

from tests.http.service import Service

pytestmark = pytest.mark.shared_service

PAGES = ("/", "/docs", "/catalogue/nothing", "/settings/sign-in", "/problems/not-found")
TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}


@pytest.fixture
def files(service: Service) -> dict[str, str]:
    """Return the address of each file that a page refers to, by the name of the file."""
    pages = "".join(service.get(path, headers={"Accept": "text/html"}).text for path in PAGES)
    referred = set(re.findall(r'(?:<link rel="(?:stylesheet|icon)" href|src)="([^"]+)"', pages))
    found = {re.sub(r"\.[0-9a-f]{8}\.", ".", address): address for address in referred}
    assert {"/static/evref.css", "/static/settings.js", "/static/swagger-ui-bundle.js"} <= {*found}
    return found


def test_every_page_refers_to_addresses_that_change_with_the_content(
    service: Service, files: dict[str, str]
) -> None:
    """Browsers keep a file for a year, under a strong ETag of its content."""
    for name, address in files.items():
        response = service.get(address)

        digest = sha256(response.get_data()).hexdigest()
        assert address == name.replace(".", f".{digest[:8]}.")
        assert response.content_type == TYPES[name.rpartition(".")[2]]
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response.headers["ETag"] == f'"{digest[:32]}"'
        again = service.get(address, headers={"If-None-Match": response.headers["ETag"]})
        assert again.status_code == 304


def test_a_file_is_compressed(service: Service, files: dict[str, str]) -> None:
    address = files["/static/evref.css"]
    plain = service.get(address)

    compressed = service.get(address, headers={"Accept-Encoding": "x-gzip"})

    assert compressed.headers["Content-Encoding"] == "gzip"
    assert compressed.headers["ETag"] != plain.headers["ETag"]
    assert gzip.decompress(compressed.get_data()) == plain.get_data()
    assert "Accept-Encoding" in compressed.headers["Vary"]


def test_a_page_of_another_version_gets_the_present_file(
    service: Service, files: dict[str, str]
) -> None:
    present = service.get(files["/static/evref.css"])

    other = service.get("/static/evref.0a1b2c3d.css")

    assert other.get_data() == present.get_data()
    assert other.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        *("/static/nothing", "/static/evref.css", "/static/evref.0A1B2C3D.css", "/static/"),
        *("/static/../app.py", "/static/%2e%2e/app.py", "/static/./evref.0a1b2c3d.css"),
        *("/static/index.0a1b2c3d.html", "/static/swagger-initializer.0a1b2c3d.js"),
        *("/docs/swagger-ui.css", "/settings/static/settings.css", "/static/evref.0a1b2c3d.js"),
    ],
)
def test_no_other_address_and_no_other_file_is_served(service: Service, path: str) -> None:
    """The page of Swagger UI itself would load an example from another host."""
    assert service.get(path).status_code in {303, 404}


def test_a_file_has_no_parameters(service: Service, files: dict[str, str]) -> None:
    assert service.get(files["/static/evref.css"] + "?v=2").status_code == 422


def test_style_sheets_and_scripts_refer_to_no_other_host(
    service: Service, files: dict[str, str]
) -> None:
    for name in files.keys() - {"/static/swagger-ui.css", "/static/swagger-ui-bundle.js"}:
        text = service.get(files[name]).text.replace("http://www.w3.org/", "")

        without_comments = re.sub(
            r"/\*.*?\*/|^ *// [^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE
        )
        assert "//" not in without_comments
        assert "@import" not in text
        assert "url(" not in text
