"""The published catalogue in SQL: a document an entry, and one row that says which are served."""

import json
from typing import Any

from sqlalchemy import ColumnElement, delete, insert, select, true, update

from evref.adapters.outbound.sql.engine import SqlDatabase
from evref.adapters.outbound.sql.tables import catalogue_entries, catalogue_publication
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.document import from_document, to_document
from evref.domain.errors import StorageUnavailableError
from evref.ports import catalogue

_VERSION = select(catalogue_publication.c.version)

# One statement sees one state of the database, so what it joins belongs together. The outer
# join is for a catalogue without entries.
_WHOLE = (
    select(
        catalogue_publication.c.version,
        catalogue_publication.c.published_at,
        catalogue_entries.c.document,
    )
    .select_from(catalogue_publication)
    .outerjoin(catalogue_entries, catalogue_entries.c.version == catalogue_publication.c.version)
    .where(catalogue_publication.c.version.is_not(None))
)


class SqlCatalogueStore(catalogue.CatalogueStore):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database

    def version(self) -> str | None:
        with self._database.connect() as connection:
            return connection.execute(_VERSION).scalar_one_or_none()

    def load(self) -> catalogue.Publication | None:
        row = None
        entries = []
        try:
            with self._database.connect() as connection:
                # One by one: all documents at once take more memory than the catalogue itself.
                for row in connection.execute(_WHOLE):
                    if row.document is not None:
                        entries.append(from_document(json.loads(row.document)))
            if row is None:
                return None
            return catalogue.Publication(Catalogue(entries, version=row.version), row.published_at)
        except ValueError as error:
            # Only a hand that changed the rows gets here; whoever holds a catalogue keeps it.
            raise StorageUnavailableError(f"the stored catalogue is damaged: {error}") from error

    def publish(self, publication: catalogue.Publication) -> None:
        self._publish(publication, true())

    def publish_first(self, publication: catalogue.Publication) -> bool:
        return self._publish(publication, catalogue_publication.c.version.is_(None))

    def _publish(self, publication: catalogue.Publication, condition: ColumnElement[bool]) -> bool:
        version = publication.catalogue.version
        rows = [
            {
                "version": version,
                "diagnosis_id": entry.diagnosis.id,
                "document": _text(to_document(entry)),
            }
            for entry in publication.catalogue.entries
        ]
        with self._database.transaction() as connection:
            # First the one row, locked until the end: several who publish go one after another.
            published = connection.execute(
                update(catalogue_publication)
                .where(condition)
                .values(version=version, published_at=publication.published_at)
            )
            if published.rowcount == 0:
                return False
            connection.execute(delete(catalogue_entries))
            if rows:
                connection.execute(insert(catalogue_entries), rows)
        return True


def _text(document: dict[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
