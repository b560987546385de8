"""Sign-ins are in the audit log: refused ones are gathered, and old ones removed."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
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
    for columns in (["institution_id", "actor", "id"], ["institution_id", "action", "id"]):
        op.create_index(f"ix_audit_entries_{'_'.join(columns)}", "audit_entries", columns)
    op.create_index("ix_audit_entries_action_at", "audit_entries", ["action", "at"])
