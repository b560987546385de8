"""The endpoint with the whole catalogue in one response, as JSON or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, BinaryIO

from apiflask import APIBlueprint
from flask import Response, request
from marshmallow import RAISE

from evref.adapters.inbound.rest.meta import LicenceOf, meta
from evref.adapters.inbound.rest.parameters import NoQuery
from evref.adapters.inbound.rest.schemas import CatalogueEntrySchema, CatalogueSchema
from evref.adapters.inbound.rest.spool import Spool, Spooled
from evref.adapters.inbound.web import headers
from evref.adapters.inbound.web.admission import CACHE_CONTROL, bearer_token
from evref.adapters.inbound.web.negotiation import accepts_gzip, preferred_media_type
from evref.adapters.inbound.web.problems import NotAcceptableError, NotReadyError
from evref.adapters.inbound.web.representations import SMALLEST_TO_COMPRESS, Finished, matches
from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.application.consult_catalogue import ConsultCatalogue
from evref.domain.access.permission import Permission
from evref.domain.access.token import KeyToken
from evref.domain.catalogue.catalogue import Catalogue

JSON = "application/json"
LINES = "application/x-ndjson"

_CHUNK_BYTES = 256 * 1024
_ENTRY = CatalogueEntrySchema()


def blueprint(
    consult: ConsultCatalogue, browse: BrowseCatalogue, licence_of: LicenceOf
) -> APIBlueprint:
    """Return the endpoint, which has a separate folder for its files."""
    api = APIBlueprint("whole_catalogue", __name__, url_prefix="/api/v1")
    spool = Spool((JSON, LINES), lambda catalogue: _render(catalogue, licence_of))

    def served(view: Callable[..., Response]) -> Callable[[], Response]:
        @wraps(view)
        def serve() -> Response:
            token = bearer_token(request.environ.get("HTTP_AUTHORIZATION"))
            KeyToken(token)  # raises where it is malformed
            files = spool.files(browse.current())
            # Before admission, because a request without a response is not counted.
            if files is None:
                raise NotReadyError
            _, request.environ[headers.QUOTA] = consult(token, Permission.READ)
            return view(files=files)

        return serve

    @api.get("/catalogue")
    @served
    @api.input(NoQuery, location="query", arg_name="query", unknown=RAISE)
    @api.output(CatalogueSchema, description="The catalogue, as JSON or as lines of JSON.")
    @api.doc(operation_id="getCatalogue", tags=["Catalogue"])
    def get_catalogue(
        files: dict[str, Spooled],
        query: dict[str, Any],  # noqa: ARG001 - without parameters, to refuse any
    ) -> Response:
        """Get the whole catalogue

        All diagnoses in the order of `listDiagnoses`, each with its interventions in the order of
        `listInterventions`, for those who keep a copy. It counts as one request. With
        `Accept: application/x-ndjson`, the records of `data` come as lines of JSON, one for each
        diagnosis, for tools that read line by line. Shortly after a large catalogue was
        published, the response may be 503 while it is being prepared; that is not counted.
        """
        media_type = preferred_media_type(request.headers.get("Accept", ""), (JSON, LINES))
        if not media_type:
            raise NotAcceptableError((JSON, LINES))
        return _respond(files[media_type], media_type)

    return api


def _respond(spooled: Spooled, media_type: str) -> Response:
    compressed = spooled.size > SMALLEST_TO_COMPRESS and accepts_gzip(
        request.headers.get("Accept-Encoding", "")
    )
    etag = f'"{spooled.digest}-gzip"' if compressed else f'"{spooled.digest}"'
    fields = [("ETag", etag), ("Cache-Control", CACHE_CONTROL), ("Vary", "Accept, Accept-Encoding")]
    if matches(request.headers.get("If-None-Match"), etag):
        return Finished(None, 304, fields)
    size = spooled.gzip_size if compressed else spooled.size
    fields += [("Content-Type", media_type), ("Content-Length", str(size))]
    if compressed:
        fields.append(("Content-Encoding", "gzip"))
    if request.method == "HEAD":
        return Finished(None, 200, fields)
    try:
        file = Path(spooled.gzip_path if compressed else spooled.path).open("rb")  # noqa: SIM115
    except FileNotFoundError:
        # Two newer versions have been prepared since.
        raise NotReadyError from None
    return Finished(_Chunks(file), 200, fields, direct_passthrough=True)


class _Chunks:
    """The content of a file, which is closed at its end or when the client disconnects."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __iter__(self) -> Iterator[bytes]:
        with self._file:
            while chunk := self._file.read(_CHUNK_BYTES):
                yield chunk

    def close(self) -> None:
        self._file.close()


def _render(catalogue: Catalogue, licence_of: LicenceOf) -> Iterator[tuple[bytes, bytes]]:
    """Yield the chunks of the JSON document and of the JSON lines, which have the same records."""
    before = b'{"data":['
    for entry in catalogue.entries:
        record = _text(
            _ENTRY.dump({"diagnosis": entry, "interventions": entry.visible_interventions()})
        )
        yield before + record, record + b"\n"
        before = b","
    whole_meta = {"count": len(catalogue.entries), **meta(catalogue, licence_of)}
    yield (b"" if catalogue.entries else before) + b'],"meta":' + _text(whole_meta) + b"}", b""


def _text(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
