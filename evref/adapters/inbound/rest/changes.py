"""The endpoint with what each publication of the catalogue changed."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from marshmallow import RAISE

from evref.adapters.inbound.rest.meta import LicenceOf, meta
from evref.adapters.inbound.rest.parameters import SINCE_ALLOWED, ChangesQuery
from evref.adapters.inbound.rest.schemas import ChangeListSchema
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.application.catalogue.read_changes import ReadChanges
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import UnknownVersionError


def blueprint(
    endpoints: CatalogueEndpoints, read_changes: ReadChanges, licence_of: LicenceOf
) -> APIBlueprint:
    """Return the endpoint, which needs a key with the permission to read."""
    api = APIBlueprint("changes", __name__, url_prefix="/api/v1")

    @api.get("/changes")
    @endpoints(Permission.READ, "application/json")
    @api.input(ChangesQuery, location="query", arg_name="query", unknown=RAISE)
    @api.output(ChangeListSchema, description="What changed; an empty list if nothing did.")
    @api.doc(operation_id="listChanges", tags=["Catalogue"])
    def list_changes(catalogue: Catalogue, query: dict[str, Any]) -> dict[str, Any]:
        """List what publications changed

        Returns the publications of the catalogue, newest first, each with the diagnoses that it
        added, removed and changed. What turned an intervention from for to against, or back, comes
        first. With `since`, returns what changed between two versions. A publication is listed for
        at least 400 days, and while it is one of the newest 100.
        """
        limit, offset = query["limit"], query["offset"]
        if "since" in query:
            try:
                publication = read_changes.since(catalogue, query["since"])
            except UnknownVersionError:
                message = "is not stored: read the whole catalogue with getCatalogue"
                fault = ParameterFault("since", message, SINCE_ALLOWED)
                raise InvalidParametersError((fault,)) from None
            found = [] if publication is None else [publication]
        else:
            found = [each for each in catalogue.publications if each.comparison is not None]
        return {
            "data": found[offset : offset + limit],
            "meta": {
                "count": len(found),
                "limit": limit,
                "offset": offset,
                **meta(catalogue, licence_of),
            },
        }

    return api
