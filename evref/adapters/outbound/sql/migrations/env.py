"""What Alembic runs: migrations on the connection, and in the transaction, of `SqlStorage`."""

from alembic import context

from evref.adapters.outbound.sql.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite alters tables by copying them; without effect elsewhere.
    render_as_batch=True,
)
context.run_migrations()
