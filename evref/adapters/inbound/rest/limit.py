"""The operation with the limit and usage of a key; its requests are not counted."""

from datetime import UTC, datetime
from functools import wraps
from typing import Any

from flask import Response, request

from evref.adapters.inbound.rest.answers import meta
from evref.adapters.inbound.rest.operations import JSON, View
from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.admission import bearer_token
from evref.adapters.inbound.web.representations import PRIVATE, Representation, respond
from evref.application.access.gate import Gate
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.access.key import ApiKey
from evref.domain.access.quota import DayUsage, Quota
from evref.domain.catalogue.served import Served


class LimitView:
    """The view, and its endpoint, which admits any active key and counts no request."""

    def __init__(self, licence: str | None, gate: Gate, browse: BrowseCatalogue) -> None:
        self._licence = licence
        self._gate = gate
        self._browse = browse

    def endpoint(self, view: View) -> View:
        @wraps(view)
        def serve() -> Response:
            token = bearer_token(request.environ.get("HTTP_AUTHORIZATION"))
            served = self._browse.current()
            key, usage, quota = self._gate.status(token)
            request.environ[headers.QUOTA] = quota
            body = view(served=served, key=key, usage=usage, quota=quota).get_data()
            return respond(Representation([body], JSON), PRIVATE)

        return serve

    def get_limit(
        self,
        served: Served,
        key: ApiKey,
        usage: DayUsage,
        quota: Quota,
        query: dict[str, Any],  # noqa: ARG002 - without parameters, to refuse any
    ) -> dict[str, Any]:
        """Get the daily limit

        Returns the permission of the key, how many requests it has used today, and how many remain.
        This request is never counted. It is answered even if no requests remain, or the key has no
        permission.
        """
        status = {
            "limit": quota.limit,
            "remaining": quota.remaining,
            "used": usage.admitted,
            "refused": usage.refused,
            "resets_at": datetime.fromtimestamp(quota.resets_at, UTC),
            "permission": key.permission,
            "expires_on": key.expires_on,
        }
        return {"data": status, "meta": meta(served, self._licence)}
