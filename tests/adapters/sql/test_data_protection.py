"""Tests of the SQL statements in the how-to for data-protection officers."""

import re
from pathlib import Path

from sqlalchemy import text

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.domain.audit import Action, AuditEntry
from evref.testing.audit import a_refusal
from evref.testing.builders import NOON, OPERATOR

PAGE = Path(__file__).parents[3] / "docs/how-to/answer-a-data-protection-officer.md"
FIND, DELETE, REPLACE = re.findall(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
PERSON = "person@example.org"


def run(database: SqlDatabase, statements: str) -> list[str]:
    """Run the statements; return the actors that the last one selects, if it is a query."""
    with database.transaction() as connection:
        for statement in filter(str.strip, statements.split(";")):
            result = connection.execute(text(statement))
        return [row.actor for row in result] if result.returns_rows else []


def test_a_person_s_entries_are_found_and_removed(
    storage: SqlStorage, database: SqlDatabase
) -> None:
    others = a_refusal("desk@example.org")
    signed_in = AuditEntry(NOON, "i1", PERSON, Action.SIGNED_IN, None, "by password")
    changed = AuditEntry(NOON, "i1", PERSON, Action.KEY_CHANGED, None, "limit from 1 to 2")
    invited = AuditEntry(NOON, "i1", "operator", Action.MEMBER_INVITED, None, f"e-mail {PERSON}, x")
    with storage.changes(OPERATOR, NOON) as changes:
        changes.entries.extend([signed_in, a_refusal(PERSON), others, changed, invited])

    assert sorted(run(database, FIND)) == ["operator", PERSON, PERSON, PERSON]
    run(database, DELETE)
    assert storage.audit.entries("i1") == (invited, changed, others)
    run(database, REPLACE)

    assert run(database, FIND) == []
    assert [(entry.actor, entry.detail) for entry in storage.audit.entries("i1")] == [
        ("operator", "e-mail a removed person, x"),
        ("a removed person", "limit from 1 to 2"),
        (others.actor, others.detail),
    ]
    storage.audit.gather([a_refusal(PERSON)])
    assert storage.audit.entries("i1")[0].times == 1
