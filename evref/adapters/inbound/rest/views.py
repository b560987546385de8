"""The views: each queries the catalogue or the gate, and returns what its answer shows."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import wraps
from typing import Any, TypeAlias
from urllib.parse import quote

from flask import Response, request

from evref.adapters.inbound.rest.answers import CatalogueEntry
from evref.adapters.inbound.rest.operations import JSON, LINES, View
from evref.adapters.inbound.rest.parameters import MOST_INCLUDED, Include
from evref.adapters.inbound.rest.records import renderer, with_interventions
from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.admission import bearer_token
from evref.adapters.inbound.web.host import Host
from evref.adapters.inbound.web.problems import InvalidParametersError, ParameterFault
from evref.adapters.inbound.web.representations import PRIVATE, Representation, as_json, respond
from evref.domain.access.key import ApiKey
from evref.domain.access.quota import DayUsage, Quota
from evref.domain.catalogue.diagnosis import Module
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.intervention import Phase
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.record_code import Classification, RecordCode, read_part
from evref.domain.catalogue.served import Question, Served
from evref.domain.catalogue.snomed import NO_MAP
from evref.domain.catalogue.vocabulary import DISCLAIMER
from evref.domain.errors import RemovedDiagnosisError, UnknownDiagnosisError, UnknownVersionError

Answer: TypeAlias = dict[str, Any]


class Views:
    """The views, which get the parsed parameters of the request by name."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def _answer(self, served: Served, data: Any, **meta: Any) -> Answer:
        return {"data": data, "meta": meta | self._meta(served)}

    def _meta(self, served: Served) -> dict[str, Any]:
        """Return the metadata of every response with data."""
        return {
            "catalogue_version": served.catalogue.version,
            "licence": served.licence(self._host.settings.licence),
            "disclaimer": DISCLAIMER,
        }

    def list_diagnoses(self, served: Served, **query: Any) -> Answer:
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

    def get_diagnosis(self, served: Served, id: str, include: Include | None = None) -> Answer:
        """Get a diagnosis

        Returns one diagnosis by its id. Ids never change.
        """
        entry = _entry(served, id)
        return self._answer(served, entry if include is None else with_interventions(entry))

    def list_interventions(
        self, served: Served, id: str, module: Module | None = None, phase: Phase | None = None
    ) -> Answer:
        """List the interventions of a diagnosis

        Returns the interventions of the enabled modules of the diagnosis, optionally of one module
        or phase, ordered by module and phase (each in its fixed order), title, then id.
        """
        entry = _entry(served, id)
        interventions = entry.visible_interventions(module, phase)
        filters = {"module": module, "phase": phase}
        return self._answer(
            served, interventions, count=len(interventions), diagnosis=entry, filters=filters
        )

    def get_intervention(self, served: Served, id: str) -> Answer:
        """Get an intervention

        Returns one intervention by its id, with its diagnosis. Ids never change. An intervention
        whose module is not enabled for its diagnosis is not found.
        """
        entry, intervention = served.intervention(id)
        data = {"intervention": intervention, "diagnosis": entry.diagnosis}
        return self._answer(served, data)

    def search_interventions(self, served: Served, **query: Any) -> Answer:
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

    def list_changes(self, served: Served, **query: Any) -> Answer:
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
            publication = self._host.browse.changes_since(served, version)
        except UnknownVersionError as error:
            message = "is not stored: read the whole catalogue with getCatalogue"
            fault = ParameterFault("since", message, error.kept)
            raise InvalidParametersError(fault) from None
        return [] if publication is None else [publication]

    def get_catalogue(self, served: Served, media_type: str) -> Response:
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
            address = served.licence(self._host.settings.licence)
            links = [f'<{address}>; rel="license"'] if address else []
            links.append(f'<{self._host.settings.base_url}/evidence>; rel="terms-of-service"')
            fields = {"Evref-Catalogue-Version": served.catalogue.version, "Link": ", ".join(links)}
            lines = (record + b"\n" for record in records)
            return Response(lines, content_type=LINES, headers=fields)
        whole_meta = {"count": len(served.catalogue.entries), **self._meta(served)}
        return Response(_document(records, whole_meta), content_type=JSON)

    def get_limit(self, served: Served, key: ApiKey, usage: DayUsage, quota: Quota) -> Answer:
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
        return self._answer(served, status)

    def with_limit(self, view: View) -> View:
        """Return the endpoint of a view that any active key may ask, and that counts no request."""

        @wraps(view)
        def serve() -> Response:
            token = bearer_token(request.environ.get("HTTP_AUTHORIZATION"))
            served = self._host.browse.current()
            key, usage, quota = self._host.gate.status(token)
            request.environ[headers.QUOTA] = quota
            body = view(served=served, key=key, usage=usage, quota=quota).get_data()
            return respond(Representation([body], JSON), PRIVATE)

        return serve


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
        raise InvalidParametersError(ParameterFault(snomed, NO_MAP, ()))
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
