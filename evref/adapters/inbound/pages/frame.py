"""The frame of every page: the signed-in member, access to the catalogue, and the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, g, render_template, request

from evref.adapters.inbound.pages import query
from evref.adapters.inbound.pages.catalogue import words
from evref.adapters.inbound.pages.identity import Identity
from evref.adapters.inbound.pages.settings import cookies
from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.caching import CachedResponse, ResponseCache
from evref.adapters.inbound.web.plain_text import without_direction_controls
from evref.adapters.inbound.web.representations import (
    PRIVATE,
    PUBLIC,
    Representation,
    raw_response,
    respond,
)
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.accounts.readers import Readers
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.domain.errors import NoCatalogueError, StorageUnavailableError
from evref.domain.principal import Role

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# The cookie determines whether a page says "Signed in" and whether the visitor may see it.
_VARY = "Accept-Encoding, Cookie"


class Frame:
    """Available as `frame` in the templates of all pages."""

    def __init__(
        self,
        *,
        readers: Readers,
        browse: BrowseCatalogue,
        identity: Identity,
        licence_of: Callable[[Catalogue], str | None],
        most_bytes: int,
    ) -> None:
        self.readers = readers
        self._browse = browse
        self._identity = identity
        self._licence_of = licence_of
        self._cache = ResponseCache(most_bytes)
        self._policies: dict[str, str] = {}

    def register(self, app: Flask) -> None:
        """Add the frame to the context of every template of the application."""
        app.jinja_options = {**app.jinja_options, "finalize": without_direction_controls}
        app.context_processor(
            lambda: {"frame": self, "disclaimer": DISCLAIMER, "checked_days": _checked_days}
        )

    @property
    def is_member(self) -> bool:
        """Return whether a member is signed in; False if storage is unavailable."""
        return self._role is not None

    @property
    def is_reader(self) -> bool:
        """Return whether the member is a reader, who has nothing to do with keys."""
        return self._role is Role.READER

    @property
    def _role(self) -> Role | None:
        if "role" not in g:
            # Cached for the request, so that a page waits only once for storage that hangs.
            try:
                found = self._identity.signed_in()
                g.role = None if found is None else found.member.role
            except StorageUnavailableError:
                g.role = None
        role: Role | None = g.role
        return role

    def is_member_for_certain(self) -> bool:
        """Return whether a member is signed in, for a page that only members may see.

        Raises:
            StorageUnavailableError: If storage is unavailable and the browser has a session.

        """
        return self._identity.signed_in() is not None

    @property
    def not_understood(self) -> tuple[str, ...]:
        """Return what of the query was not understood, for people."""
        return query.not_understood()

    @property
    def is_off(self) -> bool:
        """Return whether the pages of the catalogue are disabled."""
        return self.readers is Readers.OFF

    @property
    def catalogue(self) -> Catalogue | None:
        """Return the catalogue; None if the visitor may not read it, or there is none."""
        if "catalogue" not in g:
            try:
                admitted = self.readers.admits(member=self.is_member)
                g.catalogue = self._browse.current() if admitted else None
            except (NoCatalogueError, StorageUnavailableError):
                g.catalogue = None
        found: Catalogue | None = g.catalogue
        return found

    @property
    def licence(self) -> str | None:
        """Return the address of the catalogue's licence, for a visitor who may read it."""
        return None if self.catalogue is None else self._licence_of(self.catalogue)

    def require_catalogue(self) -> Catalogue:
        """Return the catalogue for a page that needs it, after the visitor's access was checked.

        Raises:
            NoCatalogueError, StorageUnavailableError: See `BrowseCatalogue.current`.

        """
        catalogue = self._browse.current()
        g.catalogue = catalogue
        return catalogue

    def page(
        self,
        template: str,
        context: Callable[[], Mapping[str, Any]],
        *,
        asked: Mapping[str, str] | None = None,
        policy: str = headers.PAGE_POLICY,
    ) -> Response:
        """Return the page for this path and query, rendered once for each catalogue version.

        Apart from these, a page depends only on whether a reader or another member is signed in.
        `asked` is what was understood of the query.
        """
        catalogue = self.catalogue
        version = "" if catalogue is None else catalogue.version
        # A line feed, which is in no query, keeps these apart from cached pages of visitors.
        faults = "".join(f"\n{fault}" for fault in self.not_understood)
        who = "reader" if self.is_reader else "member" if self.is_member else "visitor"
        target = request.path, f"{who}?{query.normalized(asked or {})}{faults}"
        with self._cache.rendering(target):
            cached = self._cache.get(target)
            if cached is None or cached.version != version:
                body = render_template(template, **context()).encode()
                representation = Representation([body], "text/html; charset=utf-8")
                route = request.environ[headers.ROUTE]
                self._policies[route] = policy
                cached = CachedResponse(version, route, representation)
                self._cache.put(target, cached)
        is_private = cookies.present_token() is not None or self._identity.has_header(
            request.environ
        )
        response = respond(cached.representation, PRIVATE if is_private else PUBLIC)
        response.headers["Vary"] = _VARY
        response.headers["Content-Security-Policy"] = policy
        return response

    def middleware(self, flask: WSGIApplication) -> WSGIApplication:
        """Send visitors the cached page; pass everything else to Flask.

        The response equals that of `page`, at a fraction of the cost.
        """

        def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            cached = self._cached_for_visitor(environ)
            if cached is None:
                return flask(environ, start_response)
            made = raw_response(cached.representation, PUBLIC, environ)
            environ[headers.ROUTE] = cached.route
            sent = [(name, _VARY if name == "Vary" else value) for name, value in made.headers]
            policy = ("Content-Security-Policy", self._policies[cached.route])
            start_response(made.status, [*sent, policy, *headers.of_every_response(environ)])
            return made.body if environ["REQUEST_METHOD"] == "GET" else []

        return serve

    def _cached_for_visitor(self, environ: WSGIEnvironment) -> CachedResponse | None:
        """Return the page for a request that names nobody, if it is cached and up to date."""
        if "HTTP_COOKIE" in environ or self._identity.has_header(environ):
            return None
        if environ["REQUEST_METHOD"] not in {"GET", "HEAD"}:
            return None
        cached = self._cache.get((environ["PATH_INFO"], f"visitor?{environ['QUERY_STRING']}"))
        if cached is None or not self.readers.admits(member=False):
            return cached
        try:
            return cached if cached.version == self._browse.current().version else None
        except (NoCatalogueError, StorageUnavailableError):
            return None


def _checked_days(catalogue: Catalogue) -> str:
    return words.days([entry.diagnosis.checked_on for entry in catalogue.entries])
