"""The endpoint with the limit and usage of a key; its requests are not counted."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import Any

from apiflask import APIBlueprint
from flask import Response, make_response, request
from marshmallow import RAISE

from evref.adapters.inbound.rest.answers import MetaSchema, meta
from evref.adapters.inbound.rest.parameters import NoQuery
from evref.adapters.inbound.rest.schema_fields import Record, day, instant, nested, number, one_of
from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.admission import bearer_token
from evref.adapters.inbound.web.representations import PRIVATE, Representation, respond
from evref.application.access.gate import Gate
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.access.key import Permission
from evref.domain.catalogue.served import Served


class LimitSchema(Record):
    """What a key may do, and its requests on the current UTC day."""

    limit = number("The daily request limit.", minimum=0)
    remaining = number("The number of requests that remain today.", minimum=0)
    used = number("The number of requests that were admitted today.", minimum=0)
    refused = number("The number of requests that were refused with 429 today.", minimum=0)
    resets_at = instant(
        "When the counts start again from zero: the next 00:00 UTC.",
        examples=["2026-11-22T00:00:00+00:00"],
    )
    permission = one_of(
        Permission,
        "The key's permission: read or none. With none, all other operations return 403.",
    )
    expires_on = day(
        "The last day, in UTC, on which the key works; null if it does not expire.", nullable=True
    )


class LimitAnswerSchema(Record):
    """A key's permission and its use today."""

    data = nested(LimitSchema)
    meta = nested(MetaSchema)


def blueprint(gate: Gate, browse: BrowseCatalogue, licence: str | None) -> APIBlueprint:
    """Return the endpoint, which needs an active key of any level."""
    api = APIBlueprint("limit", __name__, url_prefix="/api/v1")

    def with_status(view: Callable[..., Any]) -> Callable[[], Response]:
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
            body = make_response(view(served=served, status=status)).get_data()
            return respond(Representation([body], "application/json"), PRIVATE)

        return serve

    @api.get("/limit")
    @with_status
    @api.input(NoQuery, location="query", arg_name="query", unknown=RAISE)
    @api.output(LimitAnswerSchema, description="The permission, the limit and the use of the key.")
    @api.doc(operation_id="getLimit", tags=["Key"])
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

    return api
