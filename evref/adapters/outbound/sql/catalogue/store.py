"""Published catalogues in SQL: documents by digest, and the list of documents of each version.

The service writes to the same database with every request. So a catalogue is written in short
transactions, which add documents that nothing refers to yet; the unit of work makes it the served
catalogue. It is also read in short statements.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Row, delete, exists, func, insert, select, update

from evref.adapters.outbound.sql.catalogue import comparisons, documents
from evref.adapters.outbound.sql.engine import SqlDatabase, Transaction
from evref.adapters.outbound.sql.tables import (
    catalogue_contents,
    catalogue_documents,
    catalogue_history,
    catalogue_publication,
)
from evref.domain.catalogue.catalogue import Catalogue, Entry
from evref.domain.catalogue.comparison import Comparison
from evref.domain.catalogue.publication import Publication
from evref.domain.errors import CatalogueReplacedError, StorageUnavailableError
from evref.ports.catalogue.published import (
    CATALOGUES_KEPT,
    KEPT_FOR,
    PUBLICATIONS_KEPT,
    CatalogueChanges,
    PublishedCatalogue,
)

_AT_ONCE = 50
"""Documents that one statement reads or one transaction writes, in a few milliseconds."""

_PAUSE_SECONDS = 0.01

_SERVED = select(catalogue_publication.c.version)

_NEWEST = select(func.coalesce(func.max(catalogue_history.c.number), 0)).scalar_subquery()

# The newest publications are never dropped, so their numbers have no gaps.
_HAS_CATALOGUE = catalogue_history.c.number > _NEWEST - CATALOGUES_KEPT

_FIELDS = (
    "version",
    "published_at",
    "published_by",
    "is_bundled",
    "added",
    "changed",
    "removed",
)
_HISTORY = select(
    *(catalogue_history.c[name] for name in _FIELDS), catalogue_history.c.comparison
).order_by(catalogue_history.c.number.desc())

_UNUSED = ~exists().where(catalogue_contents.c.digest == catalogue_documents.c.digest)

_Item = TypeVar("_Item")


class SqlPublishedCatalogue(PublishedCatalogue):
    def __init__(self, database: SqlDatabase) -> None:
        self._database = database
        # Entries of the catalogues that this process still uses, by digest.
        self._held: WeakValueDictionary[str, Entry] = WeakValueDictionary()

    def version(self) -> str | None:
        with self._database.connect() as connection:
            return connection.execute(_SERVED).scalar_one_or_none()

    def publication_id(self) -> str | None:
        with self._database.connect() as connection:
            number, version = connection.execute(select(_NEWEST, _SERVED.scalar_subquery())).one()
        return None if version is None else f"{number}-{version}"

    def load(self) -> Catalogue | None:
        while (version := self.version()) is not None:
            loaded = self.load_version(version)
            if loaded is not None:
                return loaded
            # Newer publications have pushed it out of the history meanwhile.
            if version == self.version():
                raise _damaged("it is not kept")
        return None

    def load_version(self, version: str) -> Catalogue | None:
        digests = self._digests(version)
        while digests is not None:
            entries = self._entries(digests)
            if entries is not None:
                return _whole(entries)
            # Newer publications may have removed this version meanwhile.
            before, digests = digests, self._digests(version)
            if digests == before:
                raise _damaged("documents are missing")
        return None

    def history(self) -> tuple[Publication, ...]:
        with self._database.connect() as connection:
            rows = connection.execute(_HISTORY).mappings().all()
        return tuple(
            Publication(**{**row, "comparison": _comparison(row["comparison"])}) for row in rows
        )

    def _digests(self, version: str) -> list[str] | None:
        """Return the digests of the version's documents; None if the version is not stored."""
        is_it = catalogue_history.c.version == version
        kept = select(catalogue_history.c.version).where(is_it, _HAS_CATALOGUE)
        # An outer join, because a catalogue may have no entries.
        listed = (
            select(catalogue_contents.c.digest)
            .select_from(kept.distinct().subquery("kept"))
            .outerjoin(catalogue_contents, catalogue_contents.c.version == version)
            .order_by(catalogue_contents.c.digest)
        )
        with self._database.connect() as connection:
            found = connection.execute(listed).scalars().all()
        return [digest for digest in found if digest is not None] if found else None

    def _entries(self, digests: Sequence[str]) -> list[Entry] | None:
        """Return the entries in the documents with these digests; None if one is missing.

        Raises:
            StorageUnavailableError: If the database fails or a document is damaged.

        """
        entries = {digest: entry for digest in digests if (entry := self._held.get(digest))}
        for some in _batches([digest for digest in digests if digest not in entries]):
            wanted = select(catalogue_documents).where(catalogue_documents.c.digest.in_(some))
            with self._database.connect() as connection:
                rows = connection.execute(wanted).all()
            for row in rows:
                content = _content(row)
                # Happens only if rows were edited by hand; loaded catalogues stay in use.
                if _digest(content) != row.digest:
                    raise _damaged(f"document {row.digest} was changed")
                try:
                    entries[row.digest] = documents.read(content, row.format, row.published_on)
                except ValueError as error:
                    raise _damaged(str(error)) from error
        self._held.update(entries)
        return list(entries.values()) if len(entries) == len(digests) else None


class SqlCatalogueChanges(CatalogueChanges):
    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def publish(
        self, catalogue: Catalogue, publication: Publication, *, replacing: str | None
    ) -> None:
        written = _written(catalogue.entries)
        if not self._transaction.has_begun:
            self._write_ahead(written, publication)
        connection = self._transaction.connection
        _switch(connection, catalogue.version, replacing)
        _note(connection, publication)
        # Another publication may have removed documents that nothing referred to yet.
        for some in _batches(_unwritten(connection, [*written])):
            _write(connection, {digest: written[digest] for digest in some}, publication)
        _list_contents(connection, catalogue.version, [*written])

    def _write_ahead(self, written: Mapping[str, bytes], publication: Publication) -> None:
        """Remove unused documents and write new ones, so that the unit of work is short."""
        database = self._transaction.database
        with database.connect() as connection:
            unused = connection.execute(select(catalogue_documents.c.digest).where(_UNUSED))
            digests = unused.scalars().all()
        for some in _batches(digests):
            with _short_transaction(database) as connection:
                these = catalogue_documents.c.digest.in_(some)
                # Another publication may have started to use one meanwhile.
                connection.execute(delete(catalogue_documents).where(these, _UNUSED))
        for some in _batches([*written]):
            batch = {digest: written[digest] for digest in some}
            with database.connect() as connection:
                kept = _kept(connection, batch)
            if kept != {digest: (documents.FORMAT, batch[digest]) for digest in batch}:
                with _short_transaction(database) as connection:
                    _write(connection, batch, publication)


@contextmanager
def _short_transaction(database: SqlDatabase) -> Iterator[Connection]:
    with database.transaction() as connection:
        connection.execute(_SERVED.with_for_update())
        yield connection
    # If the database allows one writer at a time, waiting processes retry every few milliseconds.
    time.sleep(_PAUSE_SECONDS)


def _whole(entries: Iterable[Entry]) -> Catalogue:
    try:
        return Catalogue(entries)
    except ValueError as error:
        raise _damaged(str(error)) from error


def _damaged(reason: str) -> StorageUnavailableError:
    return StorageUnavailableError(f"the stored catalogue is damaged: {reason}")


def _switch(connection: Connection, version: str, replacing: str | None) -> None:
    """Make this version the served one; block other publications until the transaction ends."""
    switched = connection.execute(
        update(catalogue_publication)
        .where(catalogue_publication.c.version.is_not_distinct_from(replacing))
        .values(version=version)
    )
    if switched.rowcount == 0:
        raise CatalogueReplacedError


def _note(connection: Connection, publication: Publication) -> None:
    """Add the publication to the history, and drop those that are too old."""
    number = connection.execute(select(_NEWEST)).scalar_one() + 1
    values: dict[str, Any] = {name: getattr(publication, name) for name in _FIELDS}
    if publication.comparison is not None:
        values["comparison"] = comparisons.write(publication.comparison)
    connection.execute(insert(catalogue_history).values(number=number, **values))
    connection.execute(
        delete(catalogue_history).where(
            catalogue_history.c.number <= number - PUBLICATIONS_KEPT,
            catalogue_history.c.published_at < publication.published_at - KEPT_FOR,
        )
    )


def _comparison(stored: bytes | None) -> Comparison | None:
    try:
        return None if stored is None else comparisons.read(stored)
    except ValueError:
        # A damaged one must not keep the catalogue from being served and replaced.
        return None


def _list_contents(connection: Connection, version: str, digests: Sequence[str]) -> None:
    """Store the list of the version's documents; delete the lists of removed versions."""
    connection.execute(
        delete(catalogue_contents).where(
            catalogue_contents.c.version.not_in(
                select(catalogue_history.c.version).where(_HAS_CATALOGUE)
            )
        )
    )
    listed = select(catalogue_contents.c.digest).where(catalogue_contents.c.version == version)
    if set(connection.execute(listed).scalars()) == set(digests):
        return
    connection.execute(delete(catalogue_contents).where(catalogue_contents.c.version == version))
    if digests:
        connection.execute(
            insert(catalogue_contents),
            [{"version": version, "digest": digest} for digest in digests],
        )


def _unwritten(connection: Connection, digests: Sequence[str]) -> list[str]:
    """Return the digests that no stored document has."""
    there: set[str] = set()
    for some in _batches(digests, 500):
        found = select(catalogue_documents.c.digest).where(catalogue_documents.c.digest.in_(some))
        there.update(connection.execute(found).scalars())
    return [digest for digest in digests if digest not in there]


def _kept(connection: Connection, digests: Iterable[str]) -> dict[str, tuple[int, bytes]]:
    """Return the format and content of the stored documents with these digests."""
    wanted = select(catalogue_documents).where(catalogue_documents.c.digest.in_(digests))
    return {row.digest: (row.format, _content(row)) for row in connection.execute(wanted)}


def _write(connection: Connection, written: Mapping[str, bytes], publication: Publication) -> None:
    """Write the documents, by digest; this also repairs damaged ones."""
    kept = _kept(connection, written)
    new = []
    for digest, content in written.items():
        values = {"format": documents.FORMAT, "content": content}
        if digest not in kept:
            published_on = publication.published_at.date()
            new.append({"digest": digest, "published_on": published_on, **values})
        elif kept[digest] != (documents.FORMAT, content):
            connection.execute(
                update(catalogue_documents)
                .where(catalogue_documents.c.digest == digest)
                .values(values)
            )
    if new:
        connection.execute(insert(catalogue_documents), new)


def _content(row: Row[Any]) -> bytes:
    # SQLite also accepts text in a column of bytes, if a row is edited by hand.
    content: bytes = row.content.encode() if isinstance(row.content, str) else row.content
    return content


def _written(entries: Iterable[Entry]) -> dict[str, bytes]:
    """Return the documents of these entries, by digest."""
    return {_digest(content): content for content in map(documents.write, entries)}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _batches(items: Sequence[_Item], size: int = _AT_ONCE) -> Iterator[Sequence[_Item]]:
    return (items[start : start + size] for start in range(0, len(items), size))
