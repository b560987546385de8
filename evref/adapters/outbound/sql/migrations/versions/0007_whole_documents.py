"""Documents of the catalogue without a second copy of the diagnosis, and named by their content."""

import hashlib

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    connection = op.get_bind()
    documents = sa.Table("catalogue_documents", sa.MetaData(), autoload_with=connection)
    contents = sa.Table("catalogue_contents", sa.MetaData(), autoload_with=connection)
    for digest in connection.execute(sa.select(documents.c.digest)).scalars().all():
        is_it = documents.c.digest == digest
        row = connection.execute(sa.select(documents).where(is_it)).mappings().one()
        beside = f"{row['version'] or ''}{row['diagnosis'] or ''}".encode()
        renamed = hashlib.sha256(row["content"]).hexdigest()
        # A document that was damaged keeps its digest, which shows that it is.
        if renamed == digest or hashlib.sha256(row["content"] + beside).hexdigest() != digest:
            continue
        renamed_is = documents.c.digest == renamed
        if connection.execute(sa.select(documents.c.digest).where(renamed_is)).first() is None:
            connection.execute(sa.insert(documents).values({**row, "digest": renamed}))
        connection.execute(
            sa.update(contents).where(contents.c.digest == digest).values(digest=renamed)
        )
        connection.execute(sa.delete(documents).where(is_it))
    op.drop_column("catalogue_documents", "version")
    op.drop_column("catalogue_documents", "diagnosis")
