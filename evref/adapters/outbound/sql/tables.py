"""The tables of a new database; `migrations` makes those of an older one the same."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Dialect,
    Enum,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
)

from evref.domain.access.key import Permission
from evref.domain.principal import Role


class Instant(TypeDecorator[datetime]):
    """A time with its time zone, which SQLite would drop; stored and returned in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class OptionalText(TypeDecorator[str]):
    """Text, or None, which is stored as an empty text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str:  # noqa: ARG002
        return value or ""

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return value or None


def written(table: Table, record: object) -> dict[str, Any]:
    """Return the values of the attributes, of a record or a row, that the table has columns for."""
    return {column.name: getattr(record, column.name) for column in table.columns}


# A digest of `evref.domain.identifiers`.
_Digest = String(64)


def _word(words: type[StrEnum]) -> Enum:
    return Enum(
        words, native_enum=False, length=16, values_callable=lambda given: [*map(str, given)]
    )


metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

institutions = Table(
    "institutions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("created_at", Instant, nullable=False),
)

members = Table(
    "members",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("institution_id", ForeignKey("institutions.id"), nullable=False),
    Column("email", String(254), nullable=False, unique=True),
    # The default is never used: a member that somebody adds by hand would get the lesser role.
    Column("role", _word(Role), nullable=False, server_default="viewer"),
    # Empty if the member has no password.
    Column("password_hash", OptionalText, nullable=False),
    Column("created_at", Instant, nullable=False),
    Index("ix_members_institution_id", "institution_id"),
)

# A proxy signs in the addresses of its institution's domains.
proxy_sign_ins = Table(
    "proxy_sign_ins",
    metadata,
    Column("institution_id", ForeignKey("institutions.id"), primary_key=True),
    Column("digest", _Digest, nullable=False, unique=True),
)

proxy_domains = Table(
    "proxy_domains",
    metadata,
    Column("domain", String(253), primary_key=True),
    Column("institution_id", ForeignKey("institutions.id"), nullable=False),
)

# A row is removed when the invitation is accepted, revoked or replaced.
invitations = Table(
    "invitations",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("institution_id", ForeignKey("institutions.id"), nullable=False),
    Column("email", String(254), nullable=False),
    Column("role", _word(Role), nullable=False),
    Column("digest", _Digest, nullable=False, unique=True),
    Column("invited_by", String(254), nullable=False),
    # NULL if the operator is the inviter.
    Column("inviter_id", ForeignKey("members.id")),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("institution_id", "email"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("institution_id", ForeignKey("institutions.id"), nullable=False),
    Column("name", String(100), nullable=False),
    Column("permission", _word(Permission), nullable=False),
    Column("daily_limit", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_on", Date),
    Column("revoked_at", Instant),
    Index("ix_api_keys_institution_id", "institution_id"),
    # As below, each request looks up a row by its primary key.
    sqlite_with_rowid=False,
)

key_caps = Table(
    "key_caps",
    metadata,
    Column("institution_id", ForeignKey("institutions.id"), primary_key=True),
    Column("most_keys", Integer),
    Column("highest_daily_limit", Integer),
    Column("total_daily_limit", Integer),
)

key_secrets = Table(
    "key_secrets",
    metadata,
    Column("digest", _Digest, primary_key=True),
    Column("key_id", ForeignKey("api_keys.id"), nullable=False),
    Column("last_four", String(4), nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("ends_at", Instant),
    Index("ix_key_secrets_key_id", "key_id"),
    # Each request looks up a row by its digest; the row has everything that it needs.
    sqlite_with_rowid=False,
)

daily_usage = Table(
    "daily_usage",
    metadata,
    Column("key_id", ForeignKey("api_keys.id"), primary_key=True),
    Column("day", Date, primary_key=True),
    # The limit at the time of the day's last request.
    Column("daily_limit", Integer, nullable=False),
    Column("admitted", Integer, nullable=False),
    Column("refused", Integer, nullable=False),
    Column("last_admitted", Boolean, nullable=False),
    Index("ix_daily_usage_day", "day"),
    sqlite_with_rowid=False,
)

# No foreign keys: the log must accept an entry even if its subject is not stored.
audit_entries = Table(
    "audit_entries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("at", Instant, nullable=False),
    # NULL if the entry concerns the whole service.
    Column("institution_id", String(64)),
    Column("actor", String(254), nullable=False),
    Column("action", String(32), nullable=False),
    # The kind and the id of the changed object.
    Column("subject_kind", String(16)),
    Column("subject_id", String(64)),
    Column("detail", Text, nullable=False),
    Index("ix_audit_entries_institution_id_id", "institution_id", "id"),
    Index("ix_audit_entries_institution_id_actor_id", "institution_id", "actor", "id"),
    Index("ix_audit_entries_institution_id_action_id", "institution_id", "action", "id"),
    # To remove old sign-ins.
    Index("ix_audit_entries_action_at", "action", "at"),
)

# How many events an entry of the log stands for. Only refused sign-ins and those by a proxy are
# gathered, so that a flood of them adds no rows.
gathered_entries = Table(
    "gathered_entries",
    metadata,
    # The time comes first, to remove old ones.
    Column("at", Instant, primary_key=True),
    # Empty if the entry concerns the whole service.
    Column("institution_id", String(64), primary_key=True),
    Column("actor", String(254), primary_key=True),
    Column("action", String(32), primary_key=True),
    Column("times", Integer, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", _Digest, primary_key=True),
    Column("member_id", ForeignKey("members.id"), nullable=False),
    Column("password_digest", _Digest, nullable=False),
    Column("started_at", Instant, nullable=False),
    Column("by_proxy", Boolean, nullable=False, server_default=false()),
    Index("ix_sessions_started_at", "started_at"),
    Index("ix_sessions_member_id", "member_id"),
)

sign_in_failures = Table(
    "sign_in_failures",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("last_at", Instant),
    Index("ix_sign_in_failures_last_at", "last_at"),
)

shared_secrets = Table(
    "shared_secrets",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

# One row, created with the table.
catalogue_publication = Table(
    "catalogue_publication",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    # The served version; NULL if none has been published.
    Column("version", String(64)),
    CheckConstraint("id = 1", name="one_row"),
)

# A publication for each row; the newest one has the highest number.
catalogue_history = Table(
    "catalogue_history",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("version", String(64), nullable=False),
    Column("published_at", Instant, nullable=False),
    Column("published_by", Text),
    Column("is_bundled", Boolean, nullable=False),
    Column("added", Integer, nullable=False),
    Column("changed", Integer, nullable=False),
    Column("removed", Integer, nullable=False),
    # Compressed JSON. NULL if the catalogue before was no longer stored.
    Column("comparison", LargeBinary),
    # A document for each entry, one per line, compressed. NULL if it is no longer stored.
    Column("catalogue", LargeBinary),
)

# One row, as in `catalogue_publication`: the map of SNOMED CT.
code_map = Table(
    "code_map",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    # Counts the changes of the map.
    Column("number", Integer, nullable=False),
    # These three are NULL if there is no map.
    Column("loaded_at", Instant),
    Column("loaded_by", Text),
    Column("document", LargeBinary),
    CheckConstraint("id = 1", name="one_row"),
)
