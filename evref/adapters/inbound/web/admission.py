"""Admission, caching and the views of the catalogue: the path of every request for data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias

from flask import Response, make_response, request

from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.caching import CachedResponse, ResponseCache, Select
from evref.adapters.inbound.web.errors import ErrorResponses
from evref.adapters.inbound.web.negotiation import preferred_media_type
from evref.adapters.inbound.web.problems import MissingCredentialsError, NotAcceptableError
from evref.adapters.inbound.web.representations import (
    NEVER,
    PRIVATE,
    Representation,
    compressed_where_accepted,
    raw_response,
    respond,
)
from evref.application.consult_catalogue import ConsultCatalogue
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# RFC 6750, section 2.1, with the scheme's name in any case (RFC 9110, section 11.1).
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)

_METHODS = ("GET", "HEAD")

# The catalogue for the response, if the request was admitted before Flask.
_ADMITTED = "evref.admitted_catalogue"

# Headers of a view's response that the representation sets itself.
_OF_THE_BODY = {"content-type", "content-length", "etag", "cache-control", "vary"}

View: TypeAlias = Callable[..., Any]


class CatalogueEndpoints:
    """Makes endpoints of views of the catalogue: they admit, count and cache.

    A response depends only on the publication, the path, the query and, if a view offers
    several media types, the Accept header. So a view is called only if its response is not
    cached; the middleware sends cached responses at a fraction of the cost. In both cases the
    same code admits a request, once.
    """

    def __init__(
        self, consult: ConsultCatalogue, most_bytes: int, error_responses: ErrorResponses
    ) -> None:
        self._consult = consult
        self._error_responses = error_responses
        self._cache = ResponseCache(most_bytes)

    def __call__(
        self, needed: Permission, *offers: str, select: Select = preferred_media_type
    ) -> Callable[[View], View]:
        """Return a decorator for views that need this permission and offer these media types.

        A view is called as `view(catalogue=…, **path)`. If it offers several media types, it also
        gets the one that `select` returns for the Accept header, as `media_type=…`; the answer is
        406 if that is empty. Only responses with status 200 are cached; others are sent unchanged.
        """

        def decorate(view: View) -> View:
            def rendered(catalogue: Catalogue, path: dict[str, str]) -> tuple[Response, str]:
                media_type = select(request.headers.get("Accept", ""), offers)
                if not media_type:
                    raise NotAcceptableError(offers)
                negotiated = {"media_type": media_type} if len(offers) > 1 else {}
                return make_response(view(catalogue=catalogue, **path, **negotiated)), media_type

            @wraps(view)
            def serve(**path: str) -> Response:
                environ = request.environ
                catalogue = environ.get(_ADMITTED) or self._admit(environ, needed)
                target, accept = _target(environ), environ.get("HTTP_ACCEPT", "")
                if environ["REQUEST_METHOD"] not in _METHODS:
                    # The response depends on the body of the request too.
                    response, _ = rendered(catalogue, path)
                    response.headers["Cache-Control"] = NEVER
                    return compressed_where_accepted(response)
                with self._cache.rendering(target):
                    cached = self._cache.get(target, accept)
                    if cached is None or cached.publication_id != catalogue.publication_id:
                        response, media_type = rendered(catalogue, path)
                        if response.status_code != HTTPStatus.OK:
                            response.headers.setdefault("Cache-Control", PRIVATE)
                            return compressed_where_accepted(response)
                        cached = CachedResponse(
                            catalogue.publication_id,
                            environ[headers.ROUTE],
                            _representation(response, negotiated=len(offers) > 1),
                            needed,
                            offers,
                            media_type,
                            select,
                        )
                        self._cache.put(target, cached)
                return respond(cached.representation, PRIVATE)

            return serve

        return decorate

    def middleware(self, flask: WSGIApplication) -> WSGIApplication:
        """Send or refuse cached responses; pass everything else to Flask."""

        def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            cached = self._cache.get(_target(environ), environ.get("HTTP_ACCEPT", ""))
            method = environ["REQUEST_METHOD"]
            # With an Origin header, the response may need CORS headers, which Flask adds.
            if cached is None or method not in _METHODS or "HTTP_ORIGIN" in environ:
                return flask(environ, start_response)
            try:
                catalogue = self._admit(environ, cached.needed)
            except Exception as error:  # noqa: BLE001 - every error becomes a response
                made = self._error_responses.raw_response(error, environ)
            else:
                if catalogue.publication_id != cached.publication_id:
                    environ[_ADMITTED] = catalogue
                    return flask(environ, start_response)
                made = raw_response(cached.representation, PRIVATE, environ)
            environ[headers.ROUTE] = cached.route
            start_response(made.status, made.headers + headers.of_api(environ))
            return made.body if method == "GET" else []

        return serve

    def _admit(self, environ: WSGIEnvironment, needed: Permission) -> Catalogue:
        """Admit and count the request; return the catalogue for the response."""
        token = bearer_token(environ.get("HTTP_AUTHORIZATION"))
        catalogue, environ[headers.QUOTA] = self._consult(token, needed)
        return catalogue


def _target(environ: WSGIEnvironment) -> tuple[str, str]:
    return environ["PATH_INFO"], environ["QUERY_STRING"]


def _representation(response: Response, *, negotiated: bool) -> Representation:
    more = tuple(
        (name, value) for name, value in response.headers if name.lower() not in _OF_THE_BODY
    )
    vary = "Accept, Accept-Encoding" if negotiated else "Accept-Encoding"
    return Representation(response.iter_encoded(), response.content_type or "", more, vary)


def bearer_token(authorization: str | None) -> str:
    """Return the token in an Authorization header.

    Raises:
        MissingCredentialsError: If the header is missing or does not have the Bearer form.

    """
    match = _BEARER.fullmatch(authorization or "")
    if match is None:
        raise MissingCredentialsError
    return match[1]
