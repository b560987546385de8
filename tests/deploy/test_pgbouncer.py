"""A real PgBouncer in front of PostgreSQL, which lends sessions a transaction at a time."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime

import psycopg
import pytest

from evref.bootstrap.settings import Settings
from tests.faults.load import Host, burst
from tests.servers import OTHER_DEFAULTS, PostgresqlServer, database_name, pgbouncer


@pytest.fixture
def direct(postgresql: PostgresqlServer) -> str:
    """Return the URL of a new database, for a role with other defaults than usual."""
    url = postgresql.url(postgresql.new_database())
    role = database_name(url)
    postgresql.new_role(role, *OTHER_DEFAULTS)
    return url.replace("postgres@", f"{role}@")


def test_requests_are_counted_exactly_and_other_applications_find_no_setting_of_ours(
    direct: str, patience: dict[str, float]
) -> None:
    """The service has far more connections to PgBouncer than there are sessions."""
    with pgbouncer(direct, sessions=3) as pooler:
        host = Host(Settings(database_url=pooler.url).model_copy(update=patience))
        host.prepare()
        key = host.new_key(limit=300)

        statuses = [response.status for response in burst(host, key=key, requests=480)]

        assert (statuses.count(200), statuses.count(429)) == (300, 180)
        assert host.get(key, "/api/v1/limit").status == 200
        assert host.get(key, "/health/ready").status == 200
        (secrets,) = host.container.storage().keys.list()[0].secrets
        assert datetime.now(UTC) > secrets.created_at
        with closing(psycopg.connect(pooler.url, autocommit=True)) as other:
            for setting, expected in (
                ("statement_timeout", "30s"),
                ("lock_timeout", "20s"),
                ("IntervalStyle", "iso_8601"),
                ("idle_in_transaction_session_timeout", "0"),
            ):
                assert other.execute(f"SHOW {setting}".encode()).fetchone() == (expected,)
        host.close()
