"""The search of interventions, across all diagnoses."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from marshmallow import RAISE

from evref.adapters.inbound.rest.meta import LicenceOf, meta
from evref.adapters.inbound.rest.parameters import InterventionSearchQuery
from evref.adapters.inbound.rest.schemas import FoundInterventionListSchema
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue


def blueprint(endpoints: CatalogueEndpoints, licence_of: LicenceOf) -> APIBlueprint:
    """Return the endpoint. It needs a key with the permission to read."""
    api = APIBlueprint("interventions", __name__, url_prefix="/api/v1")

    @api.get("/interventions")
    @endpoints(Permission.READ, "application/json")
    @api.input(InterventionSearchQuery, location="query", arg_name="query", unknown=RAISE)
    @api.output(
        FoundInterventionListSchema,
        description="The interventions; an empty list if none matches the request.",
    )
    @api.doc(operation_id="searchInterventions", tags=["Catalogue"])
    def search_interventions(catalogue: Catalogue, query: dict[str, Any]) -> dict[str, Any]:
        """Search the interventions of all diagnoses

        Returns the interventions with these words in the title, then those with them in the
        summary: the best match first, then by the name of the diagnosis, and in the order of
        `listInterventions`.
        """
        found = catalogue.search.interventions.find(
            query["q"], query.get("module"), query.get("phase"), query.get("direction")
        )
        limit, offset = query["limit"], query["offset"]
        return {
            "data": [
                {"hit": hit, "diagnosis": catalogue.entry(hit.intervention.diagnosis_id).diagnosis}
                for hit in found[offset : offset + limit]
            ],
            "meta": {
                "count": len(found),
                "limit": limit,
                "offset": offset,
                **meta(catalogue, licence_of),
            },
        }

    return api
