"""The secrets of keys in a table of their own, and audit entries about anything.

On SQLite, a table is changed by copying it and dropping the old one, which fails while rows refer
to it. So the references from the counts to the keys are removed during the copy.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_REFERENCE = "fk_daily_usage_key_id"

# On SQLite, a table in the order of its primary key, without a separate row number.
_BY_PRIMARY_KEY = {"sqlite_with_rowid": False}


def upgrade() -> None:
    op.execute(
        "CREATE TABLE moving_secrets AS"
        " SELECT token_hash, id AS key_id, last_four, created_at FROM api_keys"
    )
    with op.batch_alter_table("daily_usage") as daily_usage:
        daily_usage.drop_constraint(_REFERENCE, type_="foreignkey")
    with op.batch_alter_table("api_keys", table_kwargs=_BY_PRIMARY_KEY) as api_keys:
        api_keys.drop_constraint("uq_api_keys_token_hash", type_="unique")
        api_keys.drop_column("token_hash")
        api_keys.drop_column("last_four")
    with op.batch_alter_table("daily_usage", table_kwargs=_BY_PRIMARY_KEY) as daily_usage:
        daily_usage.create_foreign_key(_REFERENCE, "api_keys", ["key_id"], ["id"])
    op.create_table(
        "key_secrets",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("last_four", sa.String(4), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("digest", name="pk_key_secrets"),
        sa.ForeignKeyConstraint(["key_id"], ["api_keys.id"], name="fk_key_secrets_key_id"),
        **_BY_PRIMARY_KEY,
    )
    op.create_index("ix_key_secrets_key_id", "key_secrets", ["key_id"])
    op.execute(
        "INSERT INTO key_secrets (digest, key_id, last_four, created_at)"
        " SELECT token_hash, key_id, last_four, created_at FROM moving_secrets"
    )
    op.drop_table("moving_secrets")

    with op.batch_alter_table("audit_entries") as audit_entries:
        audit_entries.alter_column("institution_id", existing_type=sa.String(64), nullable=True)
        audit_entries.alter_column(
            "key_id", existing_type=sa.String(64), new_column_name="subject_id"
        )
        audit_entries.add_column(sa.Column("subject_kind", sa.String(16)))
    op.execute("UPDATE audit_entries SET subject_kind = 'key' WHERE subject_id IS NOT NULL")
