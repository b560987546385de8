"""The views of the catalogue: parse the request, query the catalogue, render the result."""

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, TypeAlias

from apiflask import APIBlueprint, Schema
from flask import Response
from marshmallow import RAISE

from evref.adapters.inbound.rest.answers import (
    CatalogueEntrySchema,
    CatalogueSchema,
    ChangeListSchema,
    DiagnosisAnswerSchema,
    DiagnosisListSchema,
    FoundInterventionListSchema,
    InterventionListSchema,
    LicenceOf,
    meta,
)
from evref.adapters.inbound.rest.parameters import (
    MOST_INCLUDED,
    SINCE_ALLOWED,
    ChangesQuery,
    DiagnosesQuery,
    DiagnosisQuery,
    InterventionSearchQuery,
    InterventionsQuery,
    NoQuery,
)
from evref.adapters.inbound.rest.records import WithInterventions
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.adapters.inbound.web.representations import as_json
from evref.application.catalogue.read_changes import ReadChanges
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue, DiagnosisFilter, Entry
from evref.domain.errors import UnknownVersionError

JSON, LINES = "application/json", "application/x-ndjson"

_NONE_FOUND = "an empty list if none matches the request."
_ENTRY = CatalogueEntrySchema()


def _link(operation_id: str, record: str, description: str) -> dict[str, Any]:
    parameters = {"id": f"$response.body#{record}/id"}
    return {"operationId": operation_id, "parameters": parameters, "description": description}


_LINKS_OF_LIST = {
    "Diagnosis": _link("getDiagnosis", "/data/0", "Get one of the listed diagnoses by its id."),
    "Interventions": _link(
        "listInterventions", "/data/0", "List the interventions of one of the listed diagnoses."
    ),
}
_LINKS_OF_ONE = {
    "Interventions": _link("listInterventions", "/data", "The interventions for this diagnosis.")
}

_Operation: TypeAlias = tuple[
    str, str, Callable[..., Any], type[Schema], type[Schema], dict[str, Any]
]
"""Its path, id, view, parameters and response, and how the OpenAPI document describes this."""

Answer: TypeAlias = tuple[Any, dict[str, Any]]
"""What a view returns: `data`, and the members of `meta` in addition to those of all responses."""


def blueprint(
    endpoints: CatalogueEndpoints, base_url: str, licence_of: LicenceOf, read_changes: ReadChanges
) -> APIBlueprint:
    """Return the views, each of which needs a key with the permission to read."""
    api = APIBlueprint("api", __name__, url_prefix="/api/v1")

    def with_meta(view: Callable[..., Answer]) -> Callable[..., dict[str, Any]]:
        @wraps(view)
        def answer(catalogue: Catalogue, **arguments: Any) -> dict[str, Any]:
            data, more = view(catalogue, **arguments)
            return {"data": data, "meta": {**more, **meta(catalogue, licence_of)}}

        return answer

    def list_changes(catalogue: Catalogue, query: dict[str, Any]) -> Answer:
        """List what publications changed

        Returns the publications of the catalogue, newest first, each with the diagnoses that it
        added, removed and changed. What turned an intervention from for to against, or back, comes
        first. With `since`, returns what changed between two versions. A publication is listed for
        at least 400 days, and while it is one of the newest 100.
        """
        if "since" not in query:
            return _part([each for each in catalogue.publications if each.comparison], query)
        try:
            publication = read_changes.since(catalogue, query["since"])
        except UnknownVersionError:
            message = "is not stored: read the whole catalogue with getCatalogue"
            fault = ParameterFault("since", message, SINCE_ALLOWED)
            raise InvalidParametersError(fault) from None
        return _part([] if publication is None else [publication], query)

    def get_catalogue(
        catalogue: Catalogue,
        media_type: str,
        query: dict[str, Any],  # noqa: ARG001 - without parameters, to refuse any
    ) -> Response:
        """Get the whole catalogue

        All diagnoses in the order of `listDiagnoses`, each with its interventions in the order of
        `listInterventions`, for those who keep a copy. It counts as one request. With
        `Accept: application/x-ndjson`, the records of `data` come as lines of JSON, one for each
        diagnosis, for tools that read line by line; the header fields `Evref-Catalogue-Version`
        and `Link` (to the licence and the terms of use) then stand for `meta`.
        """
        if media_type == LINES:
            licence = licence_of(catalogue)
            links = [f'<{licence}>; rel="license"'] if licence else []
            links.append(f'<{base_url}/evidence>; rel="terms-of-service"')
            fields = {"Evref-Catalogue-Version": catalogue.version, "Link": ", ".join(links)}
            return Response(_lines(catalogue), content_type=LINES, headers=fields)
        whole_meta = {"count": len(catalogue.entries), **meta(catalogue, licence_of)}
        return Response(_document(catalogue, whole_meta), content_type=JSON)

    operations: tuple[_Operation, ...] = (
        (
            "/diagnoses",
            "listDiagnoses",
            with_meta(list_diagnoses),
            DiagnosesQuery,
            DiagnosisListSchema,
            {"description": f"The diagnoses; {_NONE_FOUND}", "links": _LINKS_OF_LIST},
        ),
        (
            "/diagnoses/<id>",
            "getDiagnosis",
            with_meta(get_diagnosis),
            DiagnosisQuery,
            DiagnosisAnswerSchema,
            {"description": "The diagnosis.", "links": _LINKS_OF_ONE},
        ),
        (
            "/diagnoses/<id>/interventions",
            "listInterventions",
            with_meta(list_interventions),
            InterventionsQuery,
            InterventionListSchema,
            {"description": f"The interventions; {_NONE_FOUND}"},
        ),
        (
            "/interventions",
            "searchInterventions",
            with_meta(search_interventions),
            InterventionSearchQuery,
            FoundInterventionListSchema,
            {"description": f"The interventions; {_NONE_FOUND}"},
        ),
        (
            "/changes",
            "listChanges",
            with_meta(list_changes),
            ChangesQuery,
            ChangeListSchema,
            {"description": "What changed; an empty list if nothing did."},
        ),
        (
            "/catalogue",
            "getCatalogue",
            get_catalogue,
            NoQuery,
            CatalogueSchema,
            {"description": "The catalogue, as JSON or as lines of JSON."},
        ),
    )
    for path, operation_id, view, query, answer, described in operations:
        offers = (JSON, LINES) if view is get_catalogue else (JSON,)
        endpoint = api.output(answer, **described)(view)
        endpoint = api.input(query, location="query", arg_name="query", unknown=RAISE)(endpoint)
        endpoint = endpoints(Permission.READ, *offers)(endpoint)
        api.get(path)(api.doc(operation_id=operation_id, tags=["Catalogue"])(endpoint))
    return api


def list_diagnoses(catalogue: Catalogue, query: dict[str, Any]) -> Answer:
    """List diagnoses

    Returns the diagnoses that match all given parameters, or all diagnoses without parameters,
    ordered by name, then id; with `q`, the best match first.
    """
    wanted = DiagnosisFilter(query["codes"], query.get("module"))
    found = catalogue.find(wanted)
    more: dict[str, Any] = {}
    if "q" in query:
        findings = catalogue.named(query["q"], wanted)
        found = tuple(catalogue.entry(hit.diagnosis_id) for hit in findings.hits)
        more = {"found": findings.hits, "suggestions": findings.suggestions}
    more["count"] = len(found)
    if wanted.codes:
        more["matches"] = catalogue.matches(wanted.codes, found)
    if "include" not in query:
        return found, more
    if len(found) > MOST_INCLUDED:
        allowed = (f"at most {MOST_INCLUDED} diagnoses with their interventions",)
        fault = ParameterFault("include", f"is given for {len(found)} diagnoses", allowed)
        raise InvalidParametersError(fault)
    return list(map(WithInterventions, found)), more


def get_diagnosis(catalogue: Catalogue, id: str, query: dict[str, Any]) -> Answer:  # noqa: A002 - public
    """Get a diagnosis

    Returns one diagnosis by its id. Ids never change.
    """
    entry = catalogue.entry(id)
    return WithInterventions(entry) if "include" in query else entry, {}


def list_interventions(catalogue: Catalogue, id: str, query: dict[str, Any]) -> Answer:  # noqa: A002
    """List the interventions of a diagnosis

    Returns the interventions of the enabled modules of the diagnosis, optionally of one module
    or phase, ordered by module and phase (each in its fixed order), title, then id.
    """
    entry = catalogue.entry(id)
    filters = {"module": query.get("module"), "phase": query.get("phase")}
    found = entry.visible_interventions(**filters)
    return found, {"count": len(found), "diagnosis": entry, "filters": filters}


def search_interventions(catalogue: Catalogue, query: dict[str, Any]) -> Answer:
    """Search the interventions of all diagnoses

    Returns the interventions with these words in the title, then those with them in the
    summary: the best match first, then by the name of the diagnosis, and in the order of
    `listInterventions`.
    """
    hits, more = _part(
        catalogue.search.interventions.find(
            query["q"], query.get("module"), query.get("phase"), query.get("direction")
        ),
        query,
    )
    names = (catalogue.entry(hit.intervention.diagnosis_id).diagnosis for hit in hits)
    found = zip(hits, names, strict=True)
    return [{"hit": hit, "diagnosis": diagnosis} for hit, diagnosis in found], more


def _part(found: Sequence[Any], query: dict[str, Any]) -> Answer:
    limit, offset = query["limit"], query["offset"]
    part = found[offset : offset + limit]
    return part, {"count": len(found), "limit": limit, "offset": offset}


# One record at a time, because the whole document would take too much memory.
def _document(catalogue: Catalogue, whole_meta: dict[str, Any]) -> Iterator[bytes]:
    yield b'{"data":['
    for place, entry in enumerate(catalogue.entries):
        yield b"," * (place > 0) + _record(entry)
    yield b'],"meta":' + as_json(whole_meta) + b"}"


def _lines(catalogue: Catalogue) -> Iterator[bytes]:
    return (_record(entry) + b"\n" for entry in catalogue.entries)


def _record(entry: Entry) -> bytes:
    record = {"diagnosis": entry, "interventions": entry.visible_interventions()}
    return as_json(_ENTRY.dump(record))
