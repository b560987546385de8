"""The pages of a service in one process, in memory, with the bundled catalogue."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.principal import Readers
from evref.testing.filling import keep_catalogue
from tests.settings_pages.site import Site, in_memory
from tests.settings_pages.visitor import Visitor

_NEVER_CLOSED = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"}


@cache
def bundled() -> Catalogue:
    return YamlCatalogueFiles().read([BUNDLED_CATALOGUE])


def a_site(readers: Readers, catalogue: Catalogue | None = None, **more: object) -> Site:
    """Return a site whose catalogue these readers may read, with these settings."""
    site = Site(in_memory(catalogue_pages=readers, **more))
    if catalogue is not None:
        publish(site, catalogue)
    return site


def publish(site: Site, catalogue: Catalogue) -> None:
    """Publish the catalogue, and advance the clock until it is served."""
    keep_catalogue(site.container.storage(), catalogue, at=site.clock.now())
    site.clock.advance(seconds=1)


@cache
def bundled_site() -> Site:
    """Return one public site of the bundled catalogue for all tests that only read it."""
    return a_site(Readers.PUBLIC, bundled())


def page(path: str) -> Seen:
    answer = Visitor(bundled_site()).get(path)
    assert answer.status_code == 200, answer.text
    return Seen(answer.text)


EVERY_PAGE = [
    *("/", "/catalogue", "/catalogue/low-back-pain", "/evidence", "/about", "/docs"),
    *("/problems", "/problems/not-found", "/problems/quota-exceeded", "/nothing"),
]


class Seen(HTMLParser):
    """What a page says: its text, that of each element with an id, its links and what is fetched.

    Raises:
        AssertionError: where an element is closed that is not open, as broken markup does.

    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.inline: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []  # tag, name and value
        self._open: list[tuple[str, str | None]] = []
        self._texts: dict[str | None, list[str]] = {}
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        assert len(given) == len(attrs), f"{tag} has an attribute twice"
        self.attributes += [(tag, name, value) for name, value in given.items()]
        if "href" in given and tag == "a":
            self.links.append(given["href"])
        if tag == "style" or (tag == "script" and "src" not in given):
            self.inline.append(tag)
        self.inline += [name for name in given if name.startswith("on") or name == "style"]
        if "id" in given:
            self.ids.append(given["id"])
        if tag not in _NEVER_CLOSED and not (self._in_svg and tag == "path"):
            self._open.append((tag, given.get("id")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        opened, _ = self._open.pop()
        assert opened == tag, f"{tag} closes {opened}"

    def handle_data(self, data: str) -> None:
        if any(tag == "title" for tag, _ in self._open):
            return
        for place in {None, *(place for _, place in self._open)}:
            self._texts.setdefault(place, []).append(data)

    @property
    def _in_svg(self) -> bool:
        return any(tag == "svg" for tag, _ in self._open)

    def text(self, place: str | None = None) -> str:
        """Return the text of the element with this id, or of the page, with single spaces."""
        return " ".join("".join(self._texts.get(place, ())).split())
