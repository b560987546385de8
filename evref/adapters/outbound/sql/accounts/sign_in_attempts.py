"""Failed sign-in attempts in SQL."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy import text as sql

from evref.adapters.outbound.sql.engine import SqlPart
from evref.adapters.outbound.sql.tables import sign_in_failures
from evref.domain.accounts.sign_in import Failures
from evref.ports.accounts import sign_in_attempts

# Only an existing row can be locked.
_PLACE = sql(
    "INSERT INTO sign_in_failures (name, failures) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING"
)


class SqlSignInAttempts(SqlPart, sign_in_attempts.SignInAttempts):
    def get(self, names: Collection[str]) -> Mapping[str, Failures]:
        stored = select(sign_in_failures).where(sign_in_failures.c.name.in_(names))
        rows = self._database.find_all(stored)
        found = {row.name: Failures(row.failures, row.last_at) for row in rows}
        return {name: found.get(name, Failures()) for name in names}

    def change(
        self,
        names: Collection[str],
        change: Callable[[Mapping[str, Failures]], Mapping[str, Failures]],
    ) -> None:
        # Always in the same order, to avoid deadlocks.
        ordered = sorted(names)
        table = sign_in_failures.c
        locked = select(sign_in_failures).where(table.name.in_(ordered)).order_by(table.name)
        with self._database.transaction() as connection:
            for name in ordered:
                connection.execute(_PLACE, {"name": name})
            rows = connection.execute(locked.with_for_update()).all()
            after = change({row.name: Failures(row.failures, row.last_at) for row in rows})
            for name in ordered:
                this, failures = table.name == name, after[name]
                if failures == Failures():
                    connection.execute(delete(sign_in_failures).where(this))
                else:
                    connection.execute(
                        update(sign_in_failures)
                        .where(this)
                        .values(failures=failures.count, last_at=failures.last_at)
                    )

    def remove_older(self, kind: str, instant: datetime) -> None:
        table = sign_in_failures.c
        old = delete(sign_in_failures).where(
            table.name.startswith(f"{kind}:"), table.last_at < instant
        )
        with self._database.transaction() as connection:
            connection.execute(old)
