"""What stands between the socket and a view that serves data: the path of every such request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Any

from flask import Response, make_response, request

from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.errors import Problems
from evref.adapters.inbound.web.problems import MissingCredentialsError
from evref.adapters.inbound.web.representations import (
    Kept,
    KeptRepresentations,
    Representation,
    Target,
    answer,
    respond,
)
from evref.application.browse_catalogue import BrowseCatalogue
from evref.domain.access.key import KeyToken, Permission
from evref.domain.access.quota import QuotaStatus
from evref.domain.catalogue.catalogue import Catalogue

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# RFC 6750, section 2.1, with the scheme's name in any case (RFC 9110, section 11.1).
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)

# Each use is authorised and counted, so a client may keep an answer but must always ask.
_CACHE_CONTROL = "private, no-cache"

_NEEDED = Permission.READ
_METHODS = ("GET", "HEAD")

# The catalogue to answer from, where the request was let in before Flask saw it.
_LET_IN = "evref.let_in"


Admit = Callable[[KeyToken, Permission], QuotaStatus]
"""Lets a request in and counts it, as `AdmitRequest` does."""


class Served:
    """Everything that goes before and after a view of the catalogue.

    An answer depends on nothing but the catalogue's version, the path and the query. So a view,
    decorated with this, is called as `view(catalogue=…, **path)` only when its answer is not
    kept; and what is kept is sent by `before_flask`, at a fraction of the cost. Either way a
    request is let in by the same few lines, once.
    """

    def __init__(
        self,
        admit: Admit,
        browse: BrowseCatalogue,
        most_bytes: int,
        problems: Problems,
    ) -> None:
        self._admit = admit
        self._browse = browse
        self._problems = problems
        self._kept = KeptRepresentations(most_bytes)

    def __call__(self, view: Callable[..., Any]) -> Callable[..., Response]:
        @wraps(view)
        def serve(**path: str) -> Response:
            catalogue = request.environ.get(_LET_IN) or self._let_in(request.environ)
            target = _target(request.environ)
            kept = self._kept.get(target)
            if kept is None or kept.version != catalogue.version:
                body = make_response(view(catalogue=catalogue, **path)).get_data()
                kept = Kept(
                    catalogue.version,
                    request.environ[headers.ROUTE],
                    Representation(body, "application/json"),
                )
                self._kept.keep(target, kept)
            return respond(kept.representation, _CACHE_CONTROL)

        return serve

    def before_flask(self, flask: WSGIApplication) -> WSGIApplication:
        """Answer what is kept, or refuse it; hand on everything else."""

        def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
            kept = self._kept.get(_target(environ))
            method = environ["REQUEST_METHOD"]
            # With an origin, fields may have to be added that let its scripts read the answer.
            if kept is None or method not in _METHODS or "HTTP_ORIGIN" in environ:
                return flask(environ, start_response)
            try:
                catalogue = self._let_in(environ)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is told as all are
                made = self._problems.answer(error, environ)
            else:
                if catalogue.version != kept.version:
                    environ[_LET_IN] = catalogue
                    return flask(environ, start_response)
                made = answer(kept.representation, _CACHE_CONTROL, environ)
            environ[headers.ROUTE] = kept.route
            start_response(made.status, made.headers + headers.of_api(environ))
            return [made.body] if method == "GET" else []

        return serve

    def _let_in(self, environ: WSGIEnvironment) -> Catalogue:
        """The catalogue to answer from, now that the request is admitted and counted."""
        token = KeyToken(bearer_token(environ.get("HTTP_AUTHORIZATION")))
        # Before admission: a request that cannot be answered is not counted.
        catalogue = self._browse.current()
        environ[headers.QUOTA] = self._admit(token, _NEEDED)
        return catalogue


def _target(environ: WSGIEnvironment) -> Target:
    return environ["PATH_INFO"], environ["QUERY_STRING"]


def bearer_token(authorization: str | None) -> str:
    """The token in an Authorization header.

    Raises:
        MissingCredentialsError: when there is no header, or it is not of the Bearer form.

    """
    match = _BEARER.fullmatch(authorization or "")
    if match is None:
        raise MissingCredentialsError
    return match[1]
