"""The catalogue of each publication as one document, in the row of the publication."""

import hashlib
import zlib
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

_CATALOGUES_KEPT = 20
_FORMAT = 3


def upgrade() -> None:
    op.add_column("catalogue_history", sa.Column("catalogue", sa.LargeBinary))
    connection = op.get_bind()
    earlier = sa.MetaData()
    history, documents, contents = (
        sa.Table(f"catalogue_{name}", earlier, autoload_with=connection)
        for name in ("history", "documents", "contents")
    )
    newest = connection.execute(sa.select(sa.func.max(history.c.number))).scalar() or 0
    kept = history.c.number > newest - _CATALOGUES_KEPT
    for version in connection.execute(
        sa.select(history.c.version).where(kept).distinct()
    ).scalars():
        of_version = sa.select(documents).join(contents).where(contents.c.version == version)
        rows = connection.execute(of_version.order_by(documents.c.digest)).all()
        # A damaged catalogue is not kept.
        if all(row.format == _FORMAT and _is_whole(row) for row in rows):
            whole = zlib.compress(b"\n".join(zlib.decompress(row.content) for row in rows))
            connection.execute(
                sa.update(history).where(kept, history.c.version == version).values(catalogue=whole)
            )
    for table in (contents, documents):
        op.drop_table(table.name)


def _is_whole(row: sa.Row[Any]) -> bool:
    # SQLite also accepts text in a column of bytes.
    return isinstance(row.content, bytes) and hashlib.sha256(row.content).hexdigest() == row.digest
