"""A map of codes that the operator loads, in one row."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    table = op.create_table(
        "code_map",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("loaded_at", sa.DateTime(timezone=True)),
        sa.Column("loaded_by", sa.Text),
        sa.Column("document", sa.LargeBinary),
        sa.CheckConstraint("id = 1", name=op.f("ck_code_map_one_row")),
        sa.PrimaryKeyConstraint("id", name="pk_code_map"),
    )
    op.bulk_insert(table, [{"id": 1, "number": 0}])
