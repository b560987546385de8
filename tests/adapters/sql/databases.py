"""The databases that the storage in SQL are tested on, and their storage."""

from sqlalchemy import Connection, text

KINDS = ("sqlite", "postgresql")
"""The databases that the storage keep to their contracts on."""


def stop_rows(connection: Connection, table: str, condition: str, *, silently: bool) -> None:
    """From now on the table takes no new row of which the condition is true.

    An insert fails with the error of a full disk; or it succeeds silently without a row.
    """
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        outcome = "IGNORE" if silently else "ABORT, 'disk full'"
        action = f"BEGIN SELECT RAISE({outcome}); END"
    else:
        outcome = "RETURN NULL" if silently else "RAISE 'disk full'"
        connection.execute(
            text(
                "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql"
                f" AS $$ BEGIN {outcome}; END $$"
            )
        )
        action = "EXECUTE FUNCTION stop()"
    each = "" if sqlite else "FOR EACH ROW"
    connection.execute(
        text(f"CREATE TRIGGER stop BEFORE INSERT ON {table} {each} WHEN ({condition}) {action}")
    )
