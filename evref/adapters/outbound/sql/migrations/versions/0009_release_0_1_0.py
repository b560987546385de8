"""The tables of release 0.1.0, which had this revision."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = None

_METADATA = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

sa.Table(
    "institutions",
    _METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(200), nullable=False, unique=True),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
)

sa.Table(
    "members",
    _METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("institution_id", sa.ForeignKey("institutions.id"), nullable=False),
    sa.Column("email", sa.String(254), nullable=False, unique=True),
    sa.Column("role", sa.String(16), nullable=False, server_default="viewer"),
    sa.Column("password_hash", sa.Text, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Index("ix_members_institution_id", "institution_id"),
)

sa.Table(
    "proxy_sign_ins",
    _METADATA,
    sa.Column("institution_id", sa.ForeignKey("institutions.id"), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False, unique=True),
)

sa.Table(
    "proxy_domains",
    _METADATA,
    sa.Column("domain", sa.String(253), primary_key=True),
    sa.Column("institution_id", sa.ForeignKey("institutions.id"), nullable=False),
)

sa.Table(
    "removals",
    _METADATA,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("institution_id", sa.ForeignKey("institutions.id"), nullable=False),
    sa.Column("removed_at", sa.DateTime(timezone=True), nullable=False),
)

sa.Table(
    "invitations",
    _METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("institution_id", sa.ForeignKey("institutions.id"), nullable=False),
    sa.Column("email", sa.String(254), nullable=False),
    sa.Column("role", sa.String(16), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False, unique=True),
    sa.Column("invited_by", sa.String(254), nullable=False),
    sa.Column("inviter_id", sa.ForeignKey("members.id")),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.UniqueConstraint("institution_id", "email"),
)

sa.Table(
    "api_keys",
    _METADATA,
    sa.Column("id", sa.String(64), primary_key=True),
    sa.Column("institution_id", sa.ForeignKey("institutions.id"), nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("permission", sa.String(16), nullable=False),
    sa.Column("daily_limit", sa.Integer, nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("expires_on", sa.Date),
    sa.Column("revoked_at", sa.DateTime(timezone=True)),
    sa.Index("ix_api_keys_institution_id", "institution_id"),
    sqlite_with_rowid=False,
)

sa.Table(
    "key_caps",
    _METADATA,
    sa.Column("institution_id", sa.ForeignKey("institutions.id"), primary_key=True),
    sa.Column("most_keys", sa.Integer),
    sa.Column("highest_daily_limit", sa.Integer),
    sa.Column("total_daily_limit", sa.Integer),
)

sa.Table(
    "key_secrets",
    _METADATA,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("key_id", sa.ForeignKey("api_keys.id"), nullable=False),
    sa.Column("last_four", sa.String(4), nullable=False),
    sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("ends_at", sa.DateTime(timezone=True)),
    sa.Index("ix_key_secrets_key_id", "key_id"),
    sqlite_with_rowid=False,
)

sa.Table(
    "daily_usage",
    _METADATA,
    sa.Column("key_id", sa.ForeignKey("api_keys.id"), primary_key=True),
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("daily_limit", sa.Integer, nullable=False),
    sa.Column("admitted", sa.Integer, nullable=False),
    sa.Column("refused", sa.Integer, nullable=False),
    sa.Column("last_admitted", sa.Boolean, nullable=False),
    sa.Index("ix_daily_usage_day", "day"),
    sqlite_with_rowid=False,
)

sa.Table(
    "audit_entries",
    _METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("institution_id", sa.String(64)),
    sa.Column("actor", sa.String(254), nullable=False),
    sa.Column("action", sa.String(32), nullable=False),
    sa.Column("subject_kind", sa.String(16)),
    sa.Column("subject_id", sa.String(64)),
    sa.Column("detail", sa.Text, nullable=False),
    sa.Index("ix_audit_entries_institution_id_at", "institution_id", "at"),
)

sa.Table(
    "sessions",
    _METADATA,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("member_id", sa.ForeignKey("members.id"), nullable=False),
    sa.Column("password_digest", sa.String(64), nullable=False),
    sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("by_proxy", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index("ix_sessions_started_at", "started_at"),
)

sa.Table(
    "sign_in_failures",
    _METADATA,
    sa.Column("name", sa.String(80), primary_key=True),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("last_at", sa.DateTime(timezone=True)),
    sa.Index("ix_sign_in_failures_last_at", "last_at"),
)

sa.Table(
    "shared_secrets",
    _METADATA,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

sa.Table(
    "catalogue_publication",
    _METADATA,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("version", sa.String(64)),
    sa.CheckConstraint("id = 1", name="one_row"),
)

sa.Table(
    "catalogue_history",
    _METADATA,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("version", sa.String(64), nullable=False),
    sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
    sa.Column("published_by", sa.Text),
    sa.Column("is_bundled", sa.Boolean, nullable=False),
    sa.Column("added", sa.Integer, nullable=False),
    sa.Column("changed", sa.Integer, nullable=False),
    sa.Column("removed", sa.Integer, nullable=False),
    sa.Column("comparison", sa.LargeBinary),
)

sa.Table(
    "catalogue_documents",
    _METADATA,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("published_on", sa.Date, nullable=False),
    sa.Column("content", sa.LargeBinary, nullable=False),
)

sa.Table(
    "catalogue_contents",
    _METADATA,
    sa.Column("version", sa.String(64), primary_key=True),
    sa.Column("digest", sa.ForeignKey("catalogue_documents.digest"), primary_key=True),
    sa.Index("ix_catalogue_contents_digest", "digest"),
)


def upgrade() -> None:
    connection = op.get_bind()
    _METADATA.create_all(connection, checkfirst=False)
    # It always has one row, to lock and update.
    connection.execute(sa.insert(_METADATA.tables["catalogue_publication"]).values(id=1))
