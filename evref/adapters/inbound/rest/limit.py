"""The operation with the limit and usage of a key; its requests are not counted."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from flask import Response, request

from evref.adapters.inbound.rest.answers import LimitAnswer, meta
from evref.adapters.inbound.rest.operations import JSON, Operation
from evref.adapters.inbound.rest.parameters import NoQuery
from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.admission import bearer_token
from evref.adapters.inbound.web.representations import PRIVATE, Representation, respond
from evref.application.access.gate import Gate
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.catalogue.served import Served


def endpoint(gate: Gate, browse: BrowseCatalogue) -> Callable[..., Callable[[], Response]]:
    """Return a decorator for a view that any active key may call, without being counted."""

    def decorate(view: Callable[..., Response]) -> Callable[[], Response]:
        @wraps(view)
        def serve() -> Response:
            token = bearer_token(request.environ.get("HTTP_AUTHORIZATION"))
            served = browse.current()
            key, usage, quota = gate.status(token)
            request.environ[headers.QUOTA] = quota
            status = {
                "limit": quota.limit,
                "remaining": quota.remaining,
                "used": usage.admitted,
                "refused": usage.refused,
                "resets_at": datetime.fromtimestamp(quota.resets_at, UTC),
                "permission": key.permission,
                "expires_on": key.expires_on,
            }
            body = view(served=served, status=status).get_data()
            return respond(Representation([body], JSON), PRIVATE)

        return serve

    return decorate


def operation(licence: str | None) -> Operation:
    def get_limit(
        served: Served,
        status: dict[str, Any],
        query: dict[str, Any],  # noqa: ARG001 - without parameters, to refuse any
    ) -> dict[str, Any]:
        """Get the daily limit

        Returns the permission of the key, how many requests it has used today, and how many remain.
        This request is never counted. It is answered even if no requests remain, or the key has no
        permission.
        """
        return {"data": status, "meta": meta(served, licence)}

    return Operation(
        id="getLimit",
        path="/limit",
        query=NoQuery,
        view=get_limit,
        answer=LimitAnswer,
        description="The permission, the limit and the use of the key.",
        failures=(),
        tag="Key",
    )
