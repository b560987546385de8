"""Roles of members, and invitations.

Until this migration, all members could do what only admins can do now, so they become admins.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    # SQLite cannot add the column without a default. The service always writes a role.
    role = sa.Column("role", sa.String(16), nullable=False, server_default="viewer")
    op.add_column("members", role)
    op.execute("UPDATE members SET role = 'admin'")
    op.create_index("ix_members_institution_id", "members", ["institution_id"])
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("invited_by", sa.String(254), nullable=False),
        sa.Column("inviter_id", sa.String(64)),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_invitations"),
        sa.ForeignKeyConstraint(
            ["institution_id"], ["institutions.id"], name="fk_invitations_institution_id"
        ),
        sa.ForeignKeyConstraint(["inviter_id"], ["members.id"], name="fk_invitations_inviter_id"),
        sa.UniqueConstraint("institution_id", "email", name="uq_invitations_institution_id"),
        sa.UniqueConstraint("digest", name="uq_invitations_digest"),
    )
