"""Published catalogues in SQL: a row per publication, with its whole catalogue as one document."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from evref.adapters.outbound.codec.document import from_document, to_document
from evref.adapters.outbound.codec.records import read_record
from evref.adapters.outbound.sql.engine import SqlPart, Transaction
from evref.adapters.outbound.sql.tables import (
    catalogue_history,
    catalogue_publication,
    code_map,
)
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.content import content_of
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.publication import Comparison, Publication
from evref.domain.catalogue.record_code import Edition
from evref.domain.catalogue.snomed import LoadedMap, SnomedMap
from evref.domain.errors import CatalogueReplacedError, StorageUnavailableError
from evref.ports.catalogue import (
    CATALOGUES_KEPT,
    KEPT_FOR,
    PUBLICATIONS_KEPT,
    CatalogueChanges,
    PublishedCatalogue,
)

_FIELDS = [field.name for field in fields(Publication) if field.name != "comparison"]

_SERVED = select(catalogue_publication.c.version)

_MAP_NUMBER = select(code_map.c.number)

_MAP = select(code_map.c.loaded_at, code_map.c.loaded_by, code_map.c.document)

_NEWEST = select(func.coalesce(func.max(catalogue_history.c.number), 0))

_HISTORY = select(
    *(catalogue_history.c[name] for name in _FIELDS), catalogue_history.c.comparison
).order_by(catalogue_history.c.number.desc())


class SqlPublishedCatalogue(SqlPart, PublishedCatalogue):
    def publication_id(self) -> str | None:
        numbers = (column.scalar_subquery() for column in (_NEWEST, _SERVED, _MAP_NUMBER))
        number, version, of_map = tuple(self._database.find_all(select(*numbers))[0])
        return None if version is None else f"{number}-{version}-{of_map}"

    def load(self, version: str | None = None) -> Catalogue | None:
        history = catalogue_history.c
        newest = select(history.version, history.catalogue).order_by(history.number.desc()).limit(1)
        if version is not None:
            newest = newest.where(history.version == version, history.catalogue.is_not(None))
        row = self._database.find(newest)
        return None if row is None else _catalogue(row.version, row.catalogue)

    def history(self) -> tuple[Publication, ...]:
        return tuple(
            Publication(**row._asdict() | {"comparison": _comparison(row.comparison)})
            for row in self._database.find_all(_HISTORY)
        )

    def loaded_map(self) -> LoadedMap | None:
        row = self._database.find_all(_MAP)[0]
        if row.document is None:
            return None
        return LoadedMap(_map(row.document), row.loaded_at, row.loaded_by)


class SqlCatalogueChanges(CatalogueChanges):
    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def publish(
        self, catalogue: Catalogue, publication: Publication, *, replacing: str | None
    ) -> None:
        # Compressed before the transaction begins, so that requests do not wait for it.
        values: dict[str, Any] = {name: getattr(publication, name) for name in _FIELDS}
        values["catalogue"] = _document(catalogue.entries)
        if publication.comparison is not None:
            values["comparison"] = _stored(content_of(publication.comparison))
        connection = self._transaction.connection
        # This blocks other publications until the transaction ends.
        switched = connection.execute(
            update(catalogue_publication)
            .where(catalogue_publication.c.version.is_not_distinct_from(replacing))
            .values(version=catalogue.version)
        )
        if switched.rowcount == 0:
            raise CatalogueReplacedError
        number = connection.execute(_NEWEST).scalar_one() + 1
        history = catalogue_history
        connection.execute(insert(history).values(number=number, **values))
        connection.execute(
            update(history)
            .where(history.c.number <= number - CATALOGUES_KEPT, history.c.catalogue.is_not(None))
            .values(catalogue=None)
        )
        connection.execute(
            delete(history).where(
                history.c.number <= number - PUBLICATIONS_KEPT,
                history.c.published_at < publication.published_at - KEPT_FOR,
            )
        )

    def replace_map(self, loaded: LoadedMap | None) -> None:
        values: dict[str, Any] = dict.fromkeys(("loaded_at", "loaded_by", "document"))
        if loaded is not None:
            values = {
                "loaded_at": loaded.loaded_at,
                "loaded_by": loaded.loaded_by,
                "document": _stored_map(loaded.map),
            }
        self._transaction.connection.execute(
            update(code_map).values(number=code_map.c.number + 1, **values)
        )


def _document(entries: Iterable[Entry]) -> bytes:
    """Return the entries as compressed lines of JSON, which are read one by one."""
    lines = (
        json.dumps(to_document(entry), ensure_ascii=False, separators=(",", ":"), default=str)
        for entry in entries
    )
    return zlib.compress("\n".join(lines).encode())


def _catalogue(version: str, document: bytes | None) -> Catalogue:
    if document is None:
        raise _damaged("it is not kept")
    try:
        lines = zlib.decompress(document).splitlines()
        # The version is checked below, and only catalogues with valid values were published.
        catalogue = Catalogue([from_document(json.loads(line), is_valid=True) for line in lines])
    except (zlib.error, ValueError, TypeError) as error:
        raise _damaged(str(error)) from error
    if catalogue.version != version:
        raise _damaged("it has another version")
    return catalogue


def _damaged(reason: str) -> StorageUnavailableError:
    return StorageUnavailableError(f"the stored catalogue is damaged: {reason}")


def _stored(document: object) -> bytes:
    return zlib.compress(json.dumps(document, separators=(",", ":")).encode())


def _comparison(stored: bytes | None) -> Comparison | None:
    if stored is None:
        return None
    try:
        return read_record(Comparison, json.loads(zlib.decompress(stored)), is_valid=True)
    except (zlib.error, ValueError):
        # A damaged one must not keep the catalogue from being served and replaced.
        return None


def _stored_map(snomed: SnomedMap) -> bytes:
    places = {groups: place for place, groups in enumerate(dict.fromkeys(snomed.groups.values()))}
    return _stored(
        {
            "edition": snomed.edition,
            "groups": [*places],
            "codes": [*snomed.groups],
            "places": [places[groups] for groups in snomed.groups.values()],
        }
    )


def _map(stored: bytes) -> SnomedMap:
    try:
        document = json.loads(zlib.decompress(stored))
        edition = document["edition"]
        groups = [tuple(map(tuple, groups)) for groups in document["groups"]]
        groups_by_code = zip(
            document["codes"], (groups[place] for place in document["places"]), strict=True
        )
        return SnomedMap(edition and Edition(edition), dict(groups_by_code))
    except (zlib.error, ValueError, LookupError, TypeError) as error:
        reason = f"the stored map of SNOMED CT is damaged, load it again: {error}"
        raise StorageUnavailableError(reason) from error
