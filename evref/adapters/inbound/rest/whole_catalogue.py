"""The endpoint with the whole catalogue in one response, as JSON or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from apiflask import APIBlueprint
from flask import Response
from marshmallow import RAISE

from evref.adapters.inbound.rest.meta import LicenceOf, meta
from evref.adapters.inbound.rest.parameters import NoQuery
from evref.adapters.inbound.rest.schemas import CatalogueEntrySchema, CatalogueSchema
from evref.adapters.inbound.web.admission import CatalogueEndpoints
from evref.domain.access.permission import Permission
from evref.domain.catalogue.catalogue import Catalogue, Entry

JSON = "application/json"
LINES = "application/x-ndjson"

_ENTRY = CatalogueEntrySchema()


def blueprint(endpoints: CatalogueEndpoints, base_url: str, licence_of: LicenceOf) -> APIBlueprint:
    """Return the endpoint, which needs a key with the permission to read."""
    api = APIBlueprint("whole_catalogue", __name__, url_prefix="/api/v1")

    @api.get("/catalogue")
    @endpoints(Permission.READ, JSON, LINES)
    @api.input(NoQuery, location="query", arg_name="query", unknown=RAISE)
    @api.output(CatalogueSchema, description="The catalogue, as JSON or as lines of JSON.")
    @api.doc(operation_id="getCatalogue", tags=["Catalogue"])
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

    return api


# One record at a time, because the whole document would take too much memory.
def _document(catalogue: Catalogue, whole_meta: dict[str, Any]) -> Iterator[bytes]:
    yield b'{"data":['
    for place, entry in enumerate(catalogue.entries):
        yield b"," * (place > 0) + _record(entry)
    yield b'],"meta":' + _text(whole_meta) + b"}"


def _lines(catalogue: Catalogue) -> Iterator[bytes]:
    return (_record(entry) + b"\n" for entry in catalogue.entries)


def _record(entry: Entry) -> bytes:
    return _text(_ENTRY.dump({"diagnosis": entry, "interventions": entry.visible_interventions()}))


def _text(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
