"""Caps on keys, sign-in by a proxy, and the addresses of removed members, as hashes."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column(
        "sessions",
        sa.Column("by_proxy", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "key_caps",
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.Column("most_keys", sa.Integer),
        sa.Column("highest_daily_limit", sa.Integer),
        sa.Column("total_daily_limit", sa.Integer),
        sa.PrimaryKeyConstraint("institution_id", name="pk_key_caps"),
        _of_institution("key_caps"),
    )
    op.create_table(
        "proxy_sign_ins",
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("institution_id", name="pk_proxy_sign_ins"),
        sa.UniqueConstraint("digest", name="uq_proxy_sign_ins_digest"),
        _of_institution("proxy_sign_ins"),
    )
    op.create_table(
        "proxy_domains",
        sa.Column("domain", sa.String(253), nullable=False),
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("domain", name="pk_proxy_domains"),
        _of_institution("proxy_domains"),
    )
    op.create_table(
        "removals",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_removals"),
        _of_institution("removals"),
    )


def _of_institution(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["institution_id"], ["institutions.id"], name=f"fk_{table}_institution_id"
    )
