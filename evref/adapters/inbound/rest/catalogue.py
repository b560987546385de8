"""The views of the catalogue: parse the request, query the catalogue, render the result."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from typing import Any, TypeAlias

from apiflask import APIBlueprint
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
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.access.key import Permission
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.question import Question
from evref.domain.catalogue.record_code import Classification
from evref.domain.catalogue.served import Served
from evref.domain.catalogue.snomed import NO_MAP
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

Answer: TypeAlias = tuple[Any, dict[str, Any]]
"""The result of a view: `data`, and the members of `meta` beside those that every response has."""


def blueprint(  # noqa: C901, PLR0915 - each view is simple
    endpoints: CatalogueEndpoints, base_url: str, licence: str | None, browse: BrowseCatalogue
) -> APIBlueprint:
    """Return the views, each of which needs a key with the permission to read."""
    api = APIBlueprint("api", __name__, url_prefix="/api/v1")

    def with_meta(view: Callable[..., Answer]) -> Callable[..., dict[str, Any]]:
        @wraps(view)
        def answer(served: Served, **arguments: Any) -> dict[str, Any]:
            data, more = view(served, **arguments)
            return {"data": data, "meta": {**more, **meta(served, licence)}}

        return answer

    reads = endpoints(Permission.READ, JSON)
    describes = partial(api.doc, tags=["Catalogue"])
    takes = partial(api.input, location="query", arg_name="query", unknown=RAISE)

    @api.get("/diagnoses")
    @describes(operation_id="listDiagnoses")
    @reads
    @takes(DiagnosesQuery)
    @api.output(
        DiagnosisListSchema, description=f"The diagnoses; {_NONE_FOUND}", links=_LINKS_OF_LIST
    )
    @with_meta
    def list_diagnoses(served: Served, query: dict[str, Any]) -> Answer:
        """List diagnoses

        Returns the diagnoses that any of the codes finds and that match the other parameters.
        Without parameters, returns all diagnoses. They are ordered by name, then id; with `q`, the
        best match comes first.
        """
        codes = query["codes"]
        snomed = Classification.SNOMED_CT
        if served.snomed is None and any(code.classification is snomed for code in codes):
            raise InvalidParametersError(ParameterFault(snomed, NO_MAP, ("icd10", "icd11")))
        found = served.find(Question(codes=codes, words=query.get("q"), module=query.get("module")))
        entries = found.entries
        more: dict[str, Any] = {"count": len(entries)}
        if "q" in query:
            more["found"], more["suggestions"] = found.hits, found.suggestions
            more |= {"umbrella": found.umbrella, "read": found.read, "ignored": found.ignored}
        if codes:
            more["matches"] = found.matches
        if "include" not in query:
            return entries, more
        if len(entries) > MOST_INCLUDED:
            allowed = (f"at most {MOST_INCLUDED} diagnoses with their interventions",)
            fault = ParameterFault("include", f"is given for {len(entries)} diagnoses", allowed)
            raise InvalidParametersError(fault)
        return list(map(WithInterventions, entries)), more

    @api.get("/diagnoses/<id>")
    @describes(operation_id="getDiagnosis")
    @reads
    @takes(DiagnosisQuery)
    @api.output(DiagnosisAnswerSchema, description="The diagnosis.", links=_LINKS_OF_ONE)
    @with_meta
    def get_diagnosis(served: Served, id: str, query: dict[str, Any]) -> Answer:  # noqa: A002 - public
        """Get a diagnosis

        Returns one diagnosis by its id. Ids never change.
        """
        entry = served.entry(id)
        return WithInterventions(entry) if "include" in query else entry, {}

    @api.get("/diagnoses/<id>/interventions")
    @describes(operation_id="listInterventions")
    @reads
    @takes(InterventionsQuery)
    @api.output(InterventionListSchema, description=f"The interventions; {_NONE_FOUND}")
    @with_meta
    def list_interventions(served: Served, id: str, query: dict[str, Any]) -> Answer:  # noqa: A002
        """List the interventions of a diagnosis

        Returns the interventions of the enabled modules of the diagnosis, optionally of one module
        or phase, ordered by module and phase (each in its fixed order), title, then id.
        """
        entry = served.entry(id)
        filters = {"module": query.get("module"), "phase": query.get("phase")}
        interventions = entry.visible_interventions(**filters)
        return interventions, {"count": len(interventions), "diagnosis": entry, "filters": filters}

    @api.get("/interventions")
    @describes(operation_id="searchInterventions")
    @reads
    @takes(InterventionSearchQuery)
    @api.output(FoundInterventionListSchema, description=f"The interventions; {_NONE_FOUND}")
    @with_meta
    def search_interventions(served: Served, query: dict[str, Any]) -> Answer:
        """Search the interventions of all diagnoses

        Takes a question as people type it: an intervention, often with a diagnosis. Words that
        name a diagnosis narrow the search to it. The other words must be in the title, the summary
        or the cautions, also as a synonym or a kind: ibuprofen finds interventions with NSAIDs.
        Whole titles come first, then titles with all words, titles with synonyms or kinds, and
        summaries; within each group, graded recommendations come first. If the request names only
        a diagnosis, its interventions are in the order of its page.
        """
        question = Question(
            words=query["q"],
            diagnosis_ids=(query["diagnosis"],) if "diagnosis" in query else (),
            module=query.get("module"),
            phase=query.get("phase"),
            direction=query.get("direction"),
        )
        answers = served.answers(question)
        part, more = _part(answers.interventions, query)
        hits = [
            {
                "hit": answers.hit(intervention),
                "diagnosis": served.entry(intervention.diagnosis_id).diagnosis,
            }
            for intervention in part
        ]
        read = {"umbrella": answers.wider, "read": answers.read, "ignored": answers.ignored}
        return hits, more | read

    @api.get("/changes")
    @describes(operation_id="listChanges")
    @reads
    @takes(ChangesQuery)
    @api.output(ChangeListSchema, description="The changes; an empty list if nothing changed.")
    @with_meta
    def list_changes(served: Served, query: dict[str, Any]) -> Answer:
        """List the changes in publications

        Returns the publications of the catalogue, newest first, each with the diagnoses that it
        added, removed and changed. Changes of direction come first. With `since`, returns the
        changes between two versions. A publication is listed for at least 400 days, and while it is
        one of the newest 100.
        """
        if "since" not in query:
            return _part(
                [publication for publication in served.publications if publication.comparison],
                query,
            )
        try:
            publication = browse.changes_since(served, query["since"])
        except UnknownVersionError:
            message = "is not stored: read the whole catalogue with getCatalogue"
            fault = ParameterFault("since", message, SINCE_ALLOWED)
            raise InvalidParametersError(fault) from None
        return _part([] if publication is None else [publication], query)

    @api.get("/catalogue")
    @describes(operation_id="getCatalogue")
    @endpoints(Permission.READ, JSON, LINES)
    @takes(NoQuery)
    @api.output(CatalogueSchema, description="The catalogue, as JSON or as lines of JSON.")
    def get_catalogue(
        served: Served,
        media_type: str,
        query: dict[str, Any],  # noqa: ARG001 - without parameters, to refuse any
    ) -> Response:
        """Get the whole catalogue

        All diagnoses in the order of `listDiagnoses`, each with its interventions in the order of
        `listInterventions`, for clients that keep a copy. It counts as one request. With
        `Accept: application/x-ndjson`, the entries of `data` are sent as lines of JSON, one for
        each diagnosis, for tools that read line by line; the header fields
        `Evref-Catalogue-Version` and `Link` (to the licence and the terms of use) then replace
        `meta`.
        """
        if media_type == LINES:
            address = served.licence(licence)
            links = [f'<{address}>; rel="license"'] if address else []
            links.append(f'<{base_url}/evidence>; rel="terms-of-service"')
            fields = {"Evref-Catalogue-Version": served.catalogue.version, "Link": ", ".join(links)}
            return Response(_lines(served.catalogue), content_type=LINES, headers=fields)
        whole_meta = {"count": len(served.catalogue.entries), **meta(served, licence)}
        return Response(_document(served.catalogue, whole_meta), content_type=JSON)

    return api


def _part(items: Sequence[Any], query: dict[str, Any]) -> Answer:
    limit, offset = query["limit"], query["offset"]
    part = items[offset : offset + limit]
    return part, {"count": len(items), "limit": limit, "offset": offset}


# Records are rendered one at a time, because the whole document would take too much memory.
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
