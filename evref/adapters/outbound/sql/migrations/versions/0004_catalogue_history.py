"""A history of the published catalogues, which share their common documents."""

import hashlib
import zlib
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

# The version of the catalogue that was bundled until this migration. If it is served, nobody has
# loaded another catalogue, so the next bundled one may replace it.
BUNDLED = "0ae84e0191e349ef"

# Documents had no format number: all are in format 1.
FORMAT = 1


def upgrade() -> None:
    history = op.create_table(
        "catalogue_history",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_by", sa.Text),
        sa.Column("is_bundled", sa.Boolean, nullable=False),
        sa.Column("added", sa.Integer, nullable=False),
        sa.Column("changed", sa.Integer, nullable=False),
        sa.Column("removed", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_catalogue_history"),
    )
    documents = op.create_table(
        "catalogue_documents",
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("format", sa.Integer, nullable=False),
        sa.Column("published_on", sa.Date, nullable=False),
        sa.Column("version", sa.String(16)),
        sa.Column("diagnosis", sa.Text),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_catalogue_documents"),
    )
    contents = op.create_table(
        "catalogue_contents",
        sa.Column("version", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("version", "digest", name="pk_catalogue_contents"),
        sa.ForeignKeyConstraint(
            ["digest"], ["catalogue_documents.digest"], name="fk_catalogue_contents_digest"
        ),
    )
    op.create_index("ix_catalogue_contents_digest", "catalogue_contents", ["digest"])
    _carry_over(op.get_bind(), history, documents, contents)
    op.drop_table("catalogue_entries")
    op.drop_column("catalogue_publication", "published_at")


def _carry_over(
    connection: sa.Connection, history: sa.Table, documents: sa.Table, contents: sa.Table
) -> None:
    earlier = sa.MetaData()
    publication = sa.Table("catalogue_publication", earlier, autoload_with=connection)
    entries = sa.Table("catalogue_entries", earlier, autoload_with=connection)
    served = connection.execute(sa.select(publication)).one()
    published_at = served.published_at or datetime.now(UTC)
    # SQLite returns it without a time zone, PostgreSQL in the time zone of the session.
    day = (published_at.astimezone(UTC) if published_at.tzinfo else published_at).date()
    compressed = {}
    listed = []
    for row in connection.execute(sa.select(entries)):
        content = zlib.compress(row.document.encode())
        digest = hashlib.sha256(content).hexdigest()
        compressed[digest] = content
        listed.append({"version": row.version, "digest": digest})
    if listed:
        connection.execute(
            documents.insert(),
            [
                {
                    "digest": digest,
                    "format": FORMAT,
                    "published_on": day,
                    "content": content,
                }
                for digest, content in compressed.items()
            ],
        )
        connection.execute(contents.insert(), listed)
    if served.version is not None:
        connection.execute(
            history.insert().values(
                number=1,
                version=served.version,
                published_at=published_at,
                is_bundled=served.version == BUNDLED,
                added=sum(each["version"] == served.version for each in listed),
                changed=0,
                removed=0,
            )
        )
