"""Admission of every request for data, around the views of the catalogue."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from time import perf_counter
from typing import Any, TypeAlias
from wsgiref.types import WSGIEnvironment

from flask import Response, make_response, request

from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.problems import MissingCredentialsError, NotAcceptableError
from evref.adapters.inbound.web.representations import (
    PRIVATE,
    RawResponse,
    Representation,
    ResponseCache,
    Target,
    compressed_where_accepted,
    preferred_media_type,
    respond,
)
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.access.key import KeyToken
from evref.domain.access.quota import Quota
from evref.domain.catalogue.served import Served

# RFC 6750, section 2.1, with the scheme's name in any case (RFC 9110, section 11.1).
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)

_METHODS = ("GET", "HEAD")

# The catalogue to serve, if the request was admitted before Flask.
_ADMITTED = "evref.admitted"

# Headers of a view's response that the representation sets itself.
_OF_THE_BODY = {"content-type", "content-length", "etag", "cache-control", "vary"}

Admit: TypeAlias = Callable[[KeyToken], Quota]
"""Admits and counts a request, as `Gate.admit` does."""
View: TypeAlias = Callable[..., Any]
Select: TypeAlias = Callable[[str, tuple[str, ...]], str]
"""Selects one of a view's media types for an Accept header."""


@dataclass(frozen=True, slots=True)
class CachedResponse:
    """A response with status 200, the publication that it is from, and the route of its view.

    `select` returns the media type for an Accept header. `representations` are the cached ones by
    media type.
    """

    publication_id: str
    route: str
    select: Callable[[str], str]
    representations: Mapping[str, Representation]

    def representation_for(self, environ: WSGIEnvironment) -> Representation | None:
        return self.representations.get(self.select(environ.get("HTTP_ACCEPT", "")))

    def size(self) -> int:
        return sum(representation.size() for representation in self.representations.values())


class CatalogueEndpoints:
    """Makes endpoints of views of the catalogue: they admit, count and cache.

    A response depends on nothing but the publication, the path, the query and, if a view offers
    several media types, the Accept header. So it is rendered once, and `Service` sends it at a
    fraction of the cost of a view. Each request is admitted once, before Flask or within it.
    """

    def __init__(
        self,
        browse: BrowseCatalogue,
        admit: Admit,
        most_bytes: int,
        refused: Callable[[Exception, WSGIEnvironment], RawResponse],
    ) -> None:
        """`refused` returns the response to a request that was not admitted."""
        self._browse = browse
        self._admit_key = admit
        self._refused = refused
        self._cache: ResponseCache[CachedResponse] = ResponseCache(most_bytes)

    def __call__(
        self, *offers: str, select: Select = preferred_media_type
    ) -> Callable[[View], View]:
        """Return a decorator for views that offer these media types.

        A view is called as `view(served=…, **path)`. If it offers several media types, it also gets
        the one that `select` returns for the Accept header, as `media_type=…`; the response is 406
        if there is none. Only responses with status 200 are cached; others are sent unchanged.
        """
        is_negotiated = len(offers) > 1

        def choose(accept: str) -> str:
            return select(accept, offers)

        def decorate(view: View) -> View:
            def rendered(served: Served, path: dict[str, str]) -> tuple[Response, str]:
                media_type = choose(request.environ.get("HTTP_ACCEPT", ""))
                if not media_type:
                    raise NotAcceptableError(offers)
                negotiated = {"media_type": media_type} if is_negotiated else {}
                return make_response(view(served=served, **path, **negotiated)), media_type

            @wraps(view)
            def serve(**path: str) -> Response:
                environ = request.environ
                served = environ.get(_ADMITTED) or self._admit(environ)
                if environ["REQUEST_METHOD"] not in _METHODS:
                    # The response also depends on the body of the request.
                    return compressed_where_accepted(rendered(served, path)[0])
                with self._cache.rendering(_target(environ)):
                    cached = self._cached(environ, served)
                    representation = cached.representation_for(environ) if cached else None
                    if representation is None:
                        response, media_type = rendered(served, path)
                        if response.status_code != HTTPStatus.OK:
                            response.headers.setdefault("Cache-Control", PRIVATE)
                            return compressed_where_accepted(response)
                        representation = _representation(response, is_negotiated=is_negotiated)
                        # With Vary, it depends on more than the target and the Accept header.
                        if not response.vary:
                            kept = {**cached.representations} if cached else {}
                            kept[media_type] = representation
                            route = environ[headers.ROUTE]
                            whole = CachedResponse(served.id, route, choose, kept)
                            self._cache.put(_target(environ), whole)
                return respond(representation, PRIVATE)

            return serve

        return decorate

    def cached_response(self, environ: WSGIEnvironment) -> RawResponse | None:
        """Return the cached response to a request, or the response that refuses the request.

        None if no response is cached, or only one of an earlier publication.
        """
        cached = self._cache.get(_target(environ))
        # With an Origin header, the response may need CORS headers, which Flask adds.
        if cached is None or environ["REQUEST_METHOD"] not in _METHODS or "HTTP_ORIGIN" in environ:
            return None
        try:
            served = self._admit(environ)
            # Checked after the key, because parsing the Accept header takes time.
            representation = cached.representation_for(environ)
            if representation is None or served.id != cached.publication_id:
                environ[_ADMITTED] = served
                return None
            response = representation.response(PRIVATE, environ)
        except Exception as error:  # noqa: BLE001 - every error becomes a response
            response = self._refused(error, environ)
        environ[headers.ROUTE] = cached.route
        return response

    def _cached(self, environ: WSGIEnvironment, served: Served) -> CachedResponse | None:
        cached = self._cache.get(_target(environ))
        return cached if cached is not None and cached.publication_id == served.id else None

    def _admit(self, environ: WSGIEnvironment) -> Served:
        """Admit and count the request; return the catalogue to serve.

        A malformed token is rejected without storage. If there is no catalogue, nothing is counted.
        """
        token = bearer_token(environ.get("HTTP_AUTHORIZATION"))
        served = self._browse.current()
        began_at = perf_counter()
        try:
            environ[headers.QUOTA] = self._admit_key(token)
        finally:
            environ[headers.ADMISSION_SECONDS] = perf_counter() - began_at
        return served


def _target(environ: WSGIEnvironment) -> Target:
    return environ["PATH_INFO"], environ["QUERY_STRING"]


def _representation(response: Response, *, is_negotiated: bool) -> Representation:
    more = tuple(
        (name, value) for name, value in response.headers if name.lower() not in _OF_THE_BODY
    )
    vary = [*["Accept"] * is_negotiated, "Accept-Encoding", *response.vary]
    return Representation(
        response.iter_encoded(), response.content_type or "", more, ", ".join(vary)
    )


def bearer_token(authorization: str | None) -> KeyToken:
    match = _BEARER.fullmatch(authorization or "")
    if match is None:
        raise MissingCredentialsError
    return KeyToken(match[1])
