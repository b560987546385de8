"""An index to read the audit log in the order in which it was written."""

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_index("ix_audit_entries_institution_id_id", "audit_entries", ["institution_id", "id"])
    op.drop_index("ix_audit_entries_institution_id_at", "audit_entries")
