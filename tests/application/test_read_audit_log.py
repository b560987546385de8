"""Tests of reading the audit log in pages, latest entries first."""

from datetime import timedelta

import pytest

from evref.adapters.outbound.memory import MemoryStorage
from evref.application.read_audit_log import AuditPage, ReadAuditLog
from evref.domain.audit import Action
from evref.testing.builders import NOON, OPERATOR


@pytest.fixture
def read(storage: MemoryStorage) -> ReadAuditLog:
    for number in range(101):
        with storage.changes(OPERATOR, NOON + timedelta(seconds=number)) as changes:
            changes.record(Action.KEY_CHANGED, f"{number}", institution_id="i1")
    return ReadAuditLog(storage.audit)


@pytest.mark.parametrize(
    ("asked", "number", "first", "last"),
    [(1, 1, 100, 51), (2, 2, 50, 1), (3, 3, 0, 0), (4, 1, 100, 51), (-9, 1, 100, 51)],
)
def test_a_page_is_the_one_asked_for_or_the_first(
    read: ReadAuditLog, asked: int, number: int, first: int, last: int
) -> None:
    page = read(OPERATOR, "i1", asked)

    assert (page.number, page.has_older) == (number, number < 3)
    assert [entry.detail for entry in page.entries] == [
        str(detail) for detail in range(first, last - 1, -1)
    ]


def test_without_entries_there_is_one_empty_page(read: ReadAuditLog) -> None:
    assert read(OPERATOR, "another", 1) == AuditPage((), 1, has_older=False)
