"""Indexes to find and remove old rows."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_index("ix_daily_usage_day", "daily_usage", ["day"])
    op.create_index("ix_sessions_started_at", "sessions", ["started_at"])
    op.create_index("ix_sign_in_failures_last_at", "sign_in_failures", ["last_at"])
