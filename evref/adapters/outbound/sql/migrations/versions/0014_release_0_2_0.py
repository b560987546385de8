"""Release 0.2.0.

The tables that release 0.1.0 reads stay, because it serves until it is restarted.
"""

import hashlib
import zlib
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0009"

_CATALOGUES_KEPT = 20
_FORMAT = 3


def upgrade() -> None:
    _keep_catalogues_whole()
    code_map = op.create_table(
        "code_map",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("loaded_at", sa.DateTime(timezone=True)),
        sa.Column("loaded_by", sa.Text),
        sa.Column("document", sa.LargeBinary),
        sa.CheckConstraint("id = 1", name=op.f("ck_code_map_one_row")),
        sa.PrimaryKeyConstraint("id", name="pk_code_map"),
    )
    op.bulk_insert(code_map, [{"id": 1, "number": 0}])
    op.create_table(
        "gathered_entries",
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.Column("actor", sa.String(254), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint(
            "at", "institution_id", "actor", "action", name="pk_gathered_entries"
        ),
    )
    op.create_index("ix_sessions_member_id", "sessions", ["member_id"])
    op.drop_index("ix_audit_entries_institution_id_at", "audit_entries")
    for columns in (
        ["institution_id", "id"],
        ["institution_id", "actor", "id"],
        ["institution_id", "action", "id"],
        ["action", "at"],
    ):
        op.create_index(f"ix_audit_entries_{'_'.join(columns)}", "audit_entries", columns)


def _keep_catalogues_whole() -> None:
    """Keep the catalogue of each publication as one document, in the row of the publication."""
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


def _is_whole(row: sa.Row[Any]) -> bool:
    # SQLite also accepts text in a column of bytes.
    return isinstance(row.content, bytes) and hashlib.sha256(row.content).hexdigest() == row.digest
