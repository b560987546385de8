"""Changes of the catalogue: the page “What is new”, its Atom feed, and a diagnosis's history."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from http import HTTPStatus
from urllib.parse import urlsplit

from flask import Blueprint, Response, abort, url_for

from evref.adapters.inbound.web import atom, query
from evref.adapters.inbound.web.frame import Frame
from evref.adapters.inbound.web.representations import Representation
from evref.domain.catalogue.publication import Comparison, DiagnosisChange, Publication
from evref.domain.catalogue.served import Served
from evref.domain.catalogue.vocabulary import DISCLAIMER

FEED = "catalogue.changes_feed"
PAGE = "catalogue.whats_new"
PARAMETERS: dict[str, query.Parse] = {"page": query.whole_number}


def register(pages: Blueprint, frame: Frame, base_url: str, operator: str | None) -> None:
    @pages.get("/catalogue/changes")
    def whats_new() -> Response:
        parameters = query.parse(PARAMETERS)
        served = frame.require_served()
        shown, page, pages = query.page_of(_compared(served), parameters.get("page", 1))
        return frame.page(
            "catalogue/changes.html",
            lambda: {
                "publications": _with_news(shown, served),
                "page": page,
                "pages": pages,
                "anchor": anchor,
                "feed": url_for(FEED) if frame.is_public else None,
            },
            parameters={"page": str(page)},
        )

    @pages.get("/catalogue/changes.atom")
    def changes_feed() -> Response:
        if not frame.is_public:
            abort(HTTPStatus.NOT_FOUND)
        body = feed(frame.require_served(), base_url, operator)
        return frame.respond(Representation([body], "application/atom+xml"))


@dataclass(frozen=True, slots=True)
class News:
    """A change of a diagnosis.

    `name` is None if the catalogue no longer contains it. `text` says what changed in it; it is
    empty if the whole diagnosis was added or removed.
    """

    diagnosis_id: str
    name: str | None
    text: str = ""

    def __str__(self) -> str:
        name = self.name or self.diagnosis_id
        return f"{name}: {self.text}" if self.text else name


@dataclass(frozen=True, slots=True)
class PublicationNews:
    """A publication in words: its changes by their kind, such as “added”, in display order."""

    publication: Publication
    by_kind: Mapping[str, list[News]]

    @property
    def headline(self) -> str:
        """The number of changes of each kind, such as “1 turned, 2 added”."""
        named = [f"{len(news)} {kind}" for kind, news in self.by_kind.items()]
        return ", ".join(named) or "nothing that readers see"


def _compared(served: Served) -> list[Publication]:
    return [publication for publication in served.publications if publication.comparison]


def history(served: Served, diagnosis_id: str) -> list[tuple[Publication, str, str]]:
    """Return the changes of a diagnosis, newest first: publication, kind, what changed in it."""
    return [
        (published.publication, kind, item.text)
        for published in _with_news(_compared(served), served)
        for kind, news in published.by_kind.items()
        for item in news
        if item.diagnosis_id == diagnosis_id
    ]


def _with_news(publications: Iterable[Publication], served: Served) -> list[PublicationNews]:
    entries = served.catalogue.entries
    names = {entry.diagnosis.id: entry.diagnosis.name for entry in entries}
    titles = {
        intervention.id: intervention.title
        for entry in entries
        for intervention in entry.visible_interventions()
    }
    return [
        PublicationNews(publication, _by_kind(publication.comparison, names, titles))
        for publication in publications
        if publication.comparison
    ]


def _by_kind(
    comparison: Comparison, names: Mapping[str, str], titles: Mapping[str, str]
) -> dict[str, list[News]]:
    """Return the changes by kind, with the present names and titles.

    A change of direction must not be missed, so these come first.
    """

    def about(name: str, text: str = "") -> News:
        return News(name, names.get(name), text)

    def quoted(name: str) -> str:
        return f"“{titles.get(name, name)}”"

    by_kind = {
        "turned": [
            about(
                changed.diagnosis_id,
                f"{quoted(change.id)} turned from {turn.before} to {turn.after}",
            )
            for changed in comparison.changed
            for change in changed.interventions_changed
            if (turn := change.direction) is not None
        ],
        "added": [about(name) for name in comparison.added],
        "removed": [about(name) for name in comparison.removed],
        "changed": [
            about(changed.diagnosis_id, text)
            for changed in comparison.changed
            if (text := "; ".join(_parts(changed, quoted)))
        ],
    }
    return {kind: news for kind, news in by_kind.items() if news}


def _parts(changed: DiagnosisChange, quoted: Callable[[str], str]) -> Iterator[str]:
    """Yield the changes in a diagnosis other than changes of direction."""
    if changed.record:
        yield "the diagnosis itself"
    for verb, ids in (
        ("added", changed.interventions_added),
        ("removed", changed.interventions_removed),
    ):
        if ids:
            yield f"{verb} " + ", ".join(map(quoted, ids))
    for change in changed.interventions_changed:
        if change.direction is None:
            yield f"{quoted(change.id)} ({', '.join(change.fields)})"


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
    lines = "".join(
        f"<li>{kind.capitalize()}: {escape(str(item))}</li>"
        for kind, news in published.by_kind.items()
        for item in news
    )
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
