"""What stands between the socket and a view that serves data: the path of every such request."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, g, make_response, request

from evref.adapters.inbound.http.problems import MissingCredentialsError
from evref.adapters.inbound.http.representations import (
    KeptRepresentations,
    Representation,
    respond,
)
from evref.application.admit_request import AdmitRequest
from evref.application.browse_catalogue import BrowseCatalogue
from evref.domain.access import KeyToken, Permission

# RFC 6750, section 2.1, with the scheme's name in any case (RFC 9110, section 11.1).
_BEARER = re.compile(r"bearer +(\S+) *", re.IGNORECASE)

# Each use is authorised and counted, so a client may keep an answer but must always ask.
_CACHE_CONTROL = "private, no-cache"


class Served:
    """Decorates a view of the catalogue with everything that goes before and after it.

    The view is called as `view(catalogue=…, **path)` and only when its answer is not kept: an
    answer depends on nothing but the catalogue's version, the path and the query.
    """

    def __init__(self, admit: AdmitRequest, browse: BrowseCatalogue, most_bytes: int) -> None:
        self._admit = admit
        self._browse = browse
        self._kept = KeptRepresentations(most_bytes)

    def __call__(
        self, needed: Permission
    ) -> Callable[[Callable[..., Any]], Callable[..., Response]]:
        def decorate(view: Callable[..., Any]) -> Callable[..., Response]:
            @wraps(view)
            def serve(**path: str) -> Response:
                token = KeyToken(bearer_token(request.headers.get("Authorization")))
                # Before admission: a request that cannot be answered is not counted.
                catalogue = self._browse.current()
                g.quota = self._admit(token, needed)

                def make() -> Representation:
                    answer = make_response(view(catalogue=catalogue, **path))
                    return Representation(answer.get_data(), "application/json")

                name = (catalogue.version, request.path, request.environ["QUERY_STRING"])
                return respond(self._kept.get(name, make), _CACHE_CONTROL)

            return serve

        return decorate


def bearer_token(authorization: str | None) -> str:
    """The token in an Authorization header.

    Raises:
        MissingCredentialsError: when there is no header, or it is not of the Bearer form.

    """
    match = _BEARER.fullmatch(authorization or "")
    if match is None:
        raise MissingCredentialsError
    return match[1]
