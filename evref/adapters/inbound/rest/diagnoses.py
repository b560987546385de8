"""The three data endpoints: parse the request, query the catalogue, render the result."""

from __future__ import annotations

from typing import Any

from apiflask import APIBlueprint
from marshmallow import RAISE

from evref.adapters.inbound.rest.meta import LicenceOf, meta
from evref.adapters.inbound.rest.parameters import (
    MOST_INCLUDED,
    DiagnosesQuery,
    DiagnosisQuery,
    InterventionsQuery,
)
from evref.adapters.inbound.rest.schemas import (
    DiagnosisAnswerSchema,
    DiagnosisListSchema,
    InterventionListSchema,
    WithInterventions,
)
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue, DiagnosisFilter


def blueprint(endpoints: CatalogueEndpoints, licence_of: LicenceOf) -> APIBlueprint:
    """Return the endpoints. Each needs a key with the permission to read."""
    api = APIBlueprint("diagnoses", __name__, url_prefix="/api/v1")
    endpoint = endpoints(Permission.READ, "application/json")

    @api.get("/diagnoses")
    @endpoint
    @api.input(DiagnosesQuery, location="query", arg_name="query", unknown=RAISE)
    @api.output(
        DiagnosisListSchema,
        description="The diagnoses; an empty list if none matches the request.",
        links={
            "Diagnosis": {
                "operationId": "getDiagnosis",
                "parameters": {"id": "$response.body#/data/0/id"},
                "description": "Get one of the listed diagnoses by its id.",
            },
            "Interventions": {
                "operationId": "listInterventions",
                "parameters": {"id": "$response.body#/data/0/id"},
                "description": "List the interventions of one of the listed diagnoses.",
            },
        },
    )
    @api.doc(operation_id="listDiagnoses", tags=["Catalogue"])
    def list_diagnoses(catalogue: Catalogue, query: dict[str, Any]) -> dict[str, Any]:
        """List diagnoses

        Returns the diagnoses that match all given parameters, or all diagnoses without parameters,
        ordered by name, then id; with `q`, the best match first.
        """
        wanted = DiagnosisFilter(query["codes"], query.get("module"))
        found, found_meta = catalogue.find(wanted), meta(catalogue, licence_of)
        if "q" in query:
            findings = catalogue.named(query["q"], wanted)
            found = tuple(catalogue.entry(hit.diagnosis_id) for hit in findings.hits)
            found_meta |= {"found": findings.hits, "suggestions": findings.suggestions}
        found_meta["count"] = len(found)
        if wanted.codes:
            found_meta["matches"] = catalogue.matches(wanted.codes, found)
        if "include" not in query:
            return {"data": found, "meta": found_meta}
        if len(found) > MOST_INCLUDED:
            allowed = (f"at most {MOST_INCLUDED} diagnoses with their interventions",)
            fault = ParameterFault("include", f"is given for {len(found)} diagnoses", allowed)
            raise InvalidParametersError((fault,))
        return {"data": list(map(WithInterventions, found)), "meta": found_meta}

    @api.get("/diagnoses/<id>")
    @endpoint
    @api.input(DiagnosisQuery, location="query", arg_name="query", unknown=RAISE)
    @api.output(
        DiagnosisAnswerSchema,
        description="The diagnosis.",
        links={
            "Interventions": {
                "operationId": "listInterventions",
                "parameters": {"id": "$response.body#/data/id"},
                "description": "The interventions for this diagnosis.",
            }
        },
    )
    @api.doc(operation_id="getDiagnosis", tags=["Catalogue"])
    def get_diagnosis(
        catalogue: Catalogue,
        id: str,  # noqa: A002 - the public name in the path
        query: dict[str, Any],
    ) -> dict[str, Any]:
        """Get a diagnosis

        Returns one diagnosis by its id. Ids never change.
        """
        entry = catalogue.entry(id)
        return {
            "data": WithInterventions(entry) if "include" in query else entry,
            "meta": meta(catalogue, licence_of),
        }

    @api.get("/diagnoses/<id>/interventions")
    @endpoint
    @api.input(InterventionsQuery, location="query", arg_name="query", unknown=RAISE)
    @api.output(
        InterventionListSchema,
        description="The interventions; an empty list if none matches the request.",
    )
    @api.doc(operation_id="listInterventions", tags=["Catalogue"])
    def list_interventions(
        catalogue: Catalogue,
        id: str,  # noqa: A002
        query: dict[str, Any],
    ) -> dict[str, Any]:
        """List the interventions of a diagnosis

        Returns the interventions of the enabled modules of the diagnosis, optionally of one module
        or phase, ordered by module and phase (each in its fixed order), title, then id.
        """
        entry = catalogue.entry(id)
        module, phase = query.get("module"), query.get("phase")
        found = entry.visible_interventions(module, phase)
        return {
            "data": found,
            "meta": {
                "count": len(found),
                "diagnosis": entry,
                "filters": {"module": module, "phase": phase},
                **meta(catalogue, licence_of),
            },
        }

    return api
