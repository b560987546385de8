"""The tables have what the kinds of records say."""

from dataclasses import fields
from typing import Any

import pytest
from sqlalchemy import UniqueConstraint

from evref.adapters.outbound.sql.accounts import TABLES
from evref.ports.accounts import KINDS, Kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_row_is_a_record_and_its_id_and_unique_and_indexed_fields_are_so_in_the_database(
    kind: Kind[Any],
) -> None:
    table = TABLES[kind]

    assert {column.name for column in table.columns} == {
        field.name for field in fields(kind.record)
    }
    assert [column.name for column in table.primary_key] == [kind.id]
    unique = [
        [column.name for column in constraint.columns]
        for constraint in table.constraints
        if isinstance(constraint, UniqueConstraint)
    ]
    assert not kind.unique or [kind.unique] in unique
    first_columns = {columns[0] for columns in unique}
    first_columns |= {index.columns.values()[0].name for index in table.indexes}
    assert first_columns >= {*kind.indexed, *filter(None, [kind.since])}
