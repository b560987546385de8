"""Sessions of members, failed sign-in attempts, and secrets that all workers share."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("member_id", sa.String(64), nullable=False),
        sa.Column("password_digest", sa.String(64), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
        sa.ForeignKeyConstraint(["member_id"], ["members.id"], name="fk_sessions_member_id"),
    )
    op.create_table(
        "sign_in_failures",
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("name", name="pk_sign_in_failures"),
    )
    op.create_table(
        "shared_secrets",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_shared_secrets"),
    )
