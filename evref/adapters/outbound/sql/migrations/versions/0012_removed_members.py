"""Hashes of removed members' addresses are not kept; sessions are found by their member."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.drop_table("removals")
    op.create_index("ix_sessions_member_id", "sessions", ["member_id"])
