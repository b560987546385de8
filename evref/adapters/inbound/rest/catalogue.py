"""The views of the catalogue: each queries the catalogue, and returns what its answer shows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from flask import Response

from evref.adapters.inbound.rest.answers import (
    Catalogue,
    CatalogueEntry,
    ChangeList,
    DiagnosisAnswer,
    DiagnosisList,
    FoundInterventionList,
    InterventionAnswer,
    InterventionList,
    meta,
)
from evref.adapters.inbound.rest.operations import JSON, LINES, Operation
from evref.adapters.inbound.rest.parameters import (
    MOST_INCLUDED,
    ChangesQuery,
    DiagnosesQuery,
    DiagnosisQuery,
    Include,
    InterventionSearchQuery,
    InterventionsQuery,
    NoQuery,
)
from evref.adapters.inbound.rest.records import renderer, with_interventions
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.adapters.inbound.web.representations import as_json
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.record_code import Classification, RecordCode, read_part
from evref.domain.catalogue.served import Question, Served
from evref.domain.catalogue.snomed import NO_MAP
from evref.domain.errors import RemovedDiagnosisError, UnknownDiagnosisError, UnknownVersionError


class CatalogueViews:
    """The views of the catalogue."""

    def __init__(self, base_url: str, licence: str | None, browse: BrowseCatalogue) -> None:
        self._base_url = base_url
        self._licence = licence
        self._browse = browse

    def _answer(self, served: Served, data: Any, **meta_: Any) -> dict[str, Any]:
        return {"data": data, "meta": meta_ | meta(served, self._licence)}

    def list_diagnoses(self, served: Served, query: dict[str, Any]) -> dict[str, Any]:
        """List diagnoses

        Returns the diagnoses that any of the codes finds and that match the other parameters.
        Without parameters, returns all diagnoses. They are ordered by name, then id; with `q`, the
        best match comes first.

        Where `q` may mean another disease (septic arthritis, vascular dementia), a condition that
        the catalogue lacks, or one that is negated, it finds nothing: `meta.suggestions` has the
        near names. `meta.read` says how `q` was read, and `meta.ignored` what did not count.
        """
        codes = _codes(served, query)
        found = served.find(Question(codes=codes, words=query.get("q"), module=query.get("module")))
        entries = found.entries
        more: dict[str, Any] = {"matches": found.matches} if codes else {}
        if "q" in query:
            more["found"], more["suggestions"] = found.hits, found.suggestions
            more |= {"umbrella": found.umbrella, "read": found.read, "ignored": found.ignored}
        if "include" not in query:
            return self._answer(served, entries, count=len(entries), **more)
        if len(entries) > MOST_INCLUDED:
            message = f"is given for {len(entries)} diagnoses, more than {MOST_INCLUDED}"
            raise InvalidParametersError(ParameterFault("include", message, (*Include,)))
        shown = [*map(with_interventions, entries)]
        return self._answer(served, shown, count=len(entries), **more)

    def get_diagnosis(
        self,
        served: Served,
        id: str,  # noqa: A002 - public
        query: dict[str, Any],
    ) -> dict[str, Any]:
        """Get a diagnosis

        Returns one diagnosis by its id. Ids never change.
        """
        entry = _entry(served, id)
        return self._answer(served, with_interventions(entry) if "include" in query else entry)

    def list_interventions(
        self,
        served: Served,
        id: str,  # noqa: A002 - public
        query: dict[str, Any],
    ) -> dict[str, Any]:
        """List the interventions of a diagnosis

        Returns the interventions of the enabled modules of the diagnosis, optionally of one module
        or phase, ordered by module and phase (each in its fixed order), title, then id.
        """
        entry = _entry(served, id)
        filters = {"module": query.get("module"), "phase": query.get("phase")}
        interventions = entry.visible_interventions(**filters)
        return self._answer(
            served, interventions, count=len(interventions), diagnosis=entry, filters=filters
        )

    def get_intervention(
        self,
        served: Served,
        id: str,  # noqa: A002 - public
        query: dict[str, Any],  # noqa: ARG002 - without parameters, to refuse any
    ) -> dict[str, Any]:
        """Get an intervention

        Returns one intervention by its id, with its diagnosis. Ids never change. An intervention
        whose module is not enabled for its diagnosis is not found.
        """
        entry, intervention = served.intervention(id)
        data = {"intervention": intervention, "diagnosis": entry.diagnosis}
        return self._answer(served, data)

    def search_interventions(self, served: Served, query: dict[str, Any]) -> dict[str, Any]:
        """Search the interventions of all diagnoses

        Finds interventions by words, by codes, by diagnosis, or by any of these together: what is
        advised against for a list of codes is one request. Without `q`, they are in the order of
        `listDiagnoses`, and for each diagnosis in the order of its card.

        `q` is a question as people type it: an intervention, often with a diagnosis. If it names a
        diagnosis, only the interventions of this diagnosis are answers. If none of them has the
        other words, all of them are, in the order of its card; `meta.ignored` has the words that
        did not count. If it names no diagnosis, an intervention must have all words, in its own
        texts or in a name of its diagnosis. A medicine also finds its class (ibuprofen: NSAIDs),
        after interventions that name it. Facets, such as acute, exercise or how often, only change
        the order.

        They are ordered by the words that they lack, the place of the diagnosis in a wider word,
        titles before other texts, facets, nearness of meaning, then as on the card. A text that is
        the title of an intervention finds it first. `meta.read` says how `q` was read.
        """
        codes = _codes(served, query)
        question = Question(
            codes=codes,
            words=query.get("q"),
            diagnosis_ids=query.get("diagnosis", ()),
            module=query.get("module"),
            phase=query.get("phase"),
            direction=query.get("direction"),
            groups=query.get("group", ()),
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
        more |= {"matches": answers.matches} if codes else {}
        if "q" in query:
            more |= {"umbrella": answers.umbrella, "read": answers.read, "ignored": answers.ignored}
        return self._answer(served, hits, **more)

    def list_changes(self, served: Served, query: dict[str, Any]) -> dict[str, Any]:
        """List the changes in publications

        Returns the publications of the catalogue, newest first, each with the diagnoses that it
        added, removed and changed. Changes of direction come first. With `since`, returns the
        changes between two versions. A publication is listed for at least 400 days, and while it is
        one of the newest 100.
        """
        if "since" in query:
            changes = self._changes_since(served, query["since"])
        else:
            changes = [change for change in served.publications if change.comparison]
        part, more = _part(changes, query)
        return self._answer(served, part, **more)

    def _changes_since(self, served: Served, version: str) -> list[Publication]:
        try:
            publication = self._browse.changes_since(served, version)
        except UnknownVersionError as error:
            message = "is not stored: read the whole catalogue with getCatalogue"
            fault = ParameterFault("since", message, error.kept)
            raise InvalidParametersError(fault) from None
        return [] if publication is None else [publication]

    def get_catalogue(
        self,
        served: Served,
        media_type: str,
        query: dict[str, Any],  # noqa: ARG002 - without parameters, to refuse any
    ) -> Response:
        """Get the whole catalogue

        All diagnoses in the order of `listDiagnoses`, each with its interventions in the order of
        `listInterventions`, for clients that keep a copy. It counts as one request. With
        `Accept: application/x-ndjson`, the entries of `data` are sent as lines of JSON, one for
        each diagnosis, for tools that read line by line; the header fields
        `Evref-Catalogue-Version` and `Link` (to the licence and the terms of use) then replace
        `meta`.
        """
        # Records are rendered one at a time, because the whole document would take too much memory.
        records = map(_record, served.catalogue.entries)
        if media_type == LINES:
            address = served.licence(self._licence)
            links = [f'<{address}>; rel="license"'] if address else []
            links.append(f'<{self._base_url}/evidence>; rel="terms-of-service"')
            fields = {"Evref-Catalogue-Version": served.catalogue.version, "Link": ", ".join(links)}
            lines = (record + b"\n" for record in records)
            return Response(lines, content_type=LINES, headers=fields)
        whole_meta = {"count": len(served.catalogue.entries), **meta(served, self._licence)}
        return Response(_document(records, whole_meta), content_type=JSON)

    def operations(self) -> list[Operation]:
        diagnosis, intervention = "/diagnoses/<id>", "/interventions/<id>"
        of_diagnosis = f"{diagnosis}/interventions"
        return [
            Operation("/diagnoses", self.list_diagnoses, DiagnosesQuery, DiagnosisList),
            Operation(diagnosis, self.get_diagnosis, DiagnosisQuery, DiagnosisAnswer),
            Operation(of_diagnosis, self.list_interventions, InterventionsQuery, InterventionList),
            Operation(
                "/interventions",
                self.search_interventions,
                InterventionSearchQuery,
                FoundInterventionList,
            ),
            Operation(intervention, self.get_intervention, NoQuery, InterventionAnswer),
            Operation("/changes", self.list_changes, ChangesQuery, ChangeList),
            Operation("/catalogue", self.get_catalogue, NoQuery, Catalogue, (JSON, LINES)),
        ]


class _CodeAsIdError(UnknownDiagnosisError):
    """Indicates an unknown id that is a code of the classification whose parameter is named."""

    def __init__(self, diagnosis_id: str, parameter: Classification) -> None:
        super().__init__(diagnosis_id)
        self.query = f"?{parameter}={quote(diagnosis_id)}"

    def __str__(self) -> str:
        return f"{super().__str__()} To find diagnoses by a code, use listDiagnoses: {self.query}"


def _entry(served: Served, diagnosis_id: str) -> Entry:
    try:
        return served.entry(diagnosis_id)
    except RemovedDiagnosisError:
        raise
    except UnknownDiagnosisError:
        for parameter in (Classification.ICD_10, Classification.ICD_11):
            if read_part(parameter, diagnosis_id)[0].read_as is not None:
                raise _CodeAsIdError(diagnosis_id, parameter) from None
        raise


def _codes(served: Served, query: dict[str, Any]) -> tuple[RecordCode, ...]:
    codes: tuple[RecordCode, ...] = query["codes"]
    snomed = Classification.SNOMED_CT
    if served.snomed is None and any(code.classification is snomed for code in codes):
        raise InvalidParametersError(ParameterFault(snomed, NO_MAP))
    return codes


def _part(items: Sequence[Any], query: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    limit, offset = query["limit"], query["offset"]
    part = items[offset : offset + limit]
    return part, {"count": len(items), "limit": limit, "offset": offset}


def _document(records: Iterable[bytes], whole_meta: dict[str, Any]) -> Iterator[bytes]:
    yield b'{"data":['
    for place, record in enumerate(records):
        yield b"," * (place > 0) + record
    yield b'],"meta":' + as_json(whole_meta) + b"}"


def _record(entry: Entry) -> bytes:
    shown = {"diagnosis": entry, "interventions": entry.visible_interventions()}
    return as_json(renderer(CatalogueEntry)(shown))
