"""Changes of the catalogue: the page “What is new”, its Atom feed, and a diagnosis's history."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from http import HTTPStatus
from itertools import groupby
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, url_for

from evref.adapters.inbound.web import atom, query
from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.representations import Representation
from evref.domain.catalogue.news import News, NewsKind, headline, news
from evref.domain.catalogue.publication import Comparison, Publication, changes_of
from evref.domain.catalogue.served import Served
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.domain.principal import Readers

FEED = "catalogue.changes_feed"
PAGE = "catalogue.whats_new"
PARAMETERS: dict[str, query.Parse] = {"page": query.whole_number}


def register(pages: Blueprint, frame: Frame, base_url: str, operator: str | None) -> None:
    is_public = frame.readers is Readers.PUBLIC

    @pages.get("/catalogue/changes")
    def whats_new() -> Response:
        asked = query.parse(PARAMETERS)
        served = frame.require_served()
        shown, page, pages = query.page_of(_compared(served), asked.get("page", 1))
        return frame.page(
            "catalogue/changes.html",
            lambda: {
                "publications": _with_news(shown, served),
                "page": page,
                "pages": pages,
                "anchor": anchor,
                "feed": url_for(FEED) if is_public else None,
            },
            asked={"page": str(page)},
        )

    @pages.get("/catalogue/changes.atom")
    def changes_feed() -> Response:
        if not is_public:
            abort(HTTPStatus.NOT_FOUND)
        body = feed(frame.require_served(), base_url, operator)
        return frame.respond(Representation([body], "application/atom+xml"))


@dataclass(frozen=True, slots=True)
class PublicationNews:
    """A publication in words."""

    publication: Publication
    news: tuple[News, ...]

    @property
    def headline(self) -> str:
        return headline(self.news)

    @property
    def by_kind(self) -> list[tuple[NewsKind, list[News]]]:
        """The news grouped by kind, in the order of `NewsKind`."""
        return [(kind, [*group]) for kind, group in groupby(self.news, lambda item: item.kind)]


def _compared(served: Served) -> list[tuple[Publication, Comparison]]:
    both = ((publication, publication.comparison) for publication in served.publications)
    return [(publication, comparison) for publication, comparison in both if comparison is not None]


def history(served: Served, diagnosis_id: str) -> list[PublicationNews]:
    """Return the publications that changed a diagnosis, newest first."""
    return _with_news(changes_of(diagnosis_id, served.publications), served)


def _with_news(
    compared: Iterable[tuple[Publication, Comparison]], served: Served
) -> list[PublicationNews]:
    return [
        PublicationNews(publication, tuple(news(comparison, served.catalogue)))
        for publication, comparison in compared
    ]


def feed(served: Served, base_url: str, operator: str | None) -> bytes:
    """Return the feed of a service at `base_url`. It omits the names of publishers."""
    page = f"{base_url}/catalogue/changes"
    publications = _with_news(_compared(served)[: query.ITEMS_A_PAGE], served)
    times = (published.publication.published_at for published in publications)
    updated = next(times, datetime.fromtimestamp(0, UTC))
    return atom.as_xml(
        {
            "lang": "en",
            "id": atom.content(_tag(base_url, "changes")),
            "title": atom.text("Evidence Reference Service: what is new in the catalogue"),
            "subtitle": atom.text(DISCLAIMER),
            "updated": atom.content(_time(updated)),
            "author": {"name": atom.content(operator or "Evidence Reference Service")},
            "link": [
                {"rel": "self", "type": "application/atom+xml", "href": f"{page}.atom"},
                {"rel": "alternate", "type": "text/html", "href": page},
            ],
            "entry": [_entry(published, base_url) for published in publications],
        }
    )


def _entry(published: PublicationNews, base_url: str) -> atom.Element:
    at = _time(published.publication.published_at)
    lines = "".join(f"<li>{escape(str(item))}</li>" for item in published.news)
    return {
        "id": atom.content(_tag(base_url, f"changes/{at}/{published.publication.version}")),
        "title": atom.text(f"Catalogue of {at[:10]}: {published.headline}"),
        "updated": atom.content(at),
        "link": [
            {
                "rel": "alternate",
                "type": "text/html",
                "href": f"{base_url}/catalogue/changes#{anchor(published.publication)}",
            }
        ],
        "content": atom.text(f"<ul>{lines}</ul>" if lines else "", "html"),
    }


def anchor(publication: Publication) -> str:
    return f"p{publication.published_at:%Y%m%d%H%M%S%f}"


def _tag(base_url: str, name: str) -> str:
    """Return a tag URI (RFC 4151)."""
    return f"tag:{urlsplit(base_url).hostname},2026:evref/{name}"


def _time(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")
