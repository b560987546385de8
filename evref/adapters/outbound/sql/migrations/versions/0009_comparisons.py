"""What each publication changed; those whose catalogues are stored are compared now."""

from itertools import pairwise

import sqlalchemy as sa
from alembic import op

from evref.adapters.outbound.sql.catalogue import comparisons, documents
from evref.domain.catalogue.catalogue import Catalogue, Entry

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("catalogue_history", sa.Column("comparison", sa.LargeBinary))
    connection = op.get_bind()
    history = sa.Table("catalogue_history", sa.MetaData(), autoload_with=connection)
    catalogues = _Catalogues(connection)
    rows = connection.execute(
        sa.select(history.c.number, history.c.version).order_by(history.c.number)
    ).all()
    # Only the first publication of all is known to have replaced nothing.
    earlier = {after.number: before.version for before, after in pairwise(rows)} | {1: None}
    for number, version in rows:
        if number not in earlier:
            continue
        replaced = earlier[number]
        try:
            comparison = catalogues.of(version).compared_with(
                None if replaced is None else catalogues.of(replaced)
            )
        except ValueError:  # damaged, as it was before
            continue
        connection.execute(
            sa.update(history)
            .where(history.c.number == number)
            .values(comparison=comparisons.write(comparison))
        )


class _Catalogues:
    """Reads each document once, because the catalogues share most of them."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        metadata = sa.MetaData()
        self._documents = sa.Table("catalogue_documents", metadata, autoload_with=connection)
        self._contents = sa.Table("catalogue_contents", metadata, autoload_with=connection)
        self._entries: dict[str, Entry] = {}

    def of(self, version: str) -> Catalogue:
        contents = self._contents
        listed = sa.select(contents.c.digest).where(contents.c.version == version)
        return Catalogue(
            [self._entry(digest) for digest in self._connection.execute(listed).scalars().all()]
        )

    def _entry(self, digest: str) -> Entry:
        if digest not in self._entries:
            wanted = sa.select(self._documents).where(self._documents.c.digest == digest)
            row = self._connection.execute(wanted).one()
            self._entries[digest] = documents.read(row.content, row.format, row.published_on)
        return self._entries[digest]
