"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "institutions",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_institutions"),
        sa.UniqueConstraint("name", name="uq_institutions_name"),
    )
    op.create_table(
        "members",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_members"),
        sa.ForeignKeyConstraint(
            ["institution_id"], ["institutions.id"], name="fk_members_institution_id"
        ),
        sa.UniqueConstraint("email", name="uq_members_email"),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("permission", sa.String(16), nullable=False),
        sa.Column("daily_limit", sa.Integer, nullable=False),
        sa.Column("last_four", sa.String(4), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_on", sa.Date),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.ForeignKeyConstraint(
            ["institution_id"], ["institutions.id"], name="fk_api_keys_institution_id"
        ),
        sa.UniqueConstraint("token_hash", name="uq_api_keys_token_hash"),
    )
    op.create_index("ix_api_keys_institution_id", "api_keys", ["institution_id"])
    op.create_table(
        "daily_usage",
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("daily_limit", sa.Integer, nullable=False),
        sa.Column("admitted", sa.Integer, nullable=False),
        sa.Column("refused", sa.Integer, nullable=False),
        sa.Column("last_admitted", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("key_id", "day", name="pk_daily_usage"),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name="fk_daily_usage_key_id"),
    )
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("institution_id", sa.String(64), nullable=False),
        sa.Column("actor", sa.String(254), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("key_id", sa.String(64)),
        sa.Column("detail", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
    )
    op.create_index("ix_audit_entries_institution_id_at", "audit_entries", ["institution_id", "at"])
    publication = op.create_table(
        "catalogue_publication",
        sa.Column("id", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("version", sa.String(64)),
        sa.Column("published_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="pk_catalogue_publication"),
        sa.CheckConstraint("id = 1", name=op.f("ck_catalogue_publication_one_row")),
    )
    op.execute(sa.insert(publication).values(id=1))
    op.create_table(
        "catalogue_entries",
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("diagnosis_id", sa.String(64), nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("version", "diagnosis_id", name="pk_catalogue_entries"),
    )
