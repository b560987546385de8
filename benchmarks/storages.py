"""Storages with a catalogue and keys, on which the service is measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.cases import Holder
from evref.bootstrap.container import BUNDLED_CATALOGUE, Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.builders import OPERATOR
from evref.testing.stores import keep_catalogue
from tests.institutions import institution_id
from tests.servers import postgresql_server, redis_server

LIMITED_TO = 200
"""The limit of the limited key, to check that exactly this many requests are admitted."""

_INSTITUTION = "Benchmark"
_MISTYPED = "evref_mistyped"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Keys by purpose; all of `many` have the highest limit."""

    busy: str
    spent: str
    limited: str
    many: tuple[str, ...] = ()

    def of(self, holder: Holder) -> str:
        """Return the token for a request."""
        return {
            Holder.BUSY: self.busy,
            Holder.SPENT: self.spent,
            Holder.MISTYPED: _MISTYPED,
        }[holder]


@contextmanager
def settings_by_storage(folder: Path) -> Iterator[dict[str, Settings]]:
    """Run the servers of all storages, and yield the settings for each storage."""
    sqlite = Settings(database_url=f"sqlite:///{folder / 'evref.sqlite'}")
    with postgresql_server() as database, redis_server() as counters:
        postgresql = Settings(database_url=database.url(database.new_database()))
        counted = Settings(database_url=database.url(database.new_database()))
        yield {
            "memory": Settings(storage=StorageKind.MEMORY),
            "SQLite": sqlite,
            "SQLite + Redis": Settings(
                database_url=f"sqlite:///{folder / 'evref-redis.sqlite'}", quota_url=counters.url
            ),
            "PostgreSQL": postgresql,
            "PostgreSQL + Redis": replace(counted, quota_url=counters.url),
        }


def bundled() -> Catalogue:
    """Return the bundled catalogue."""
    publish = Container(settings=Settings(storage=StorageKind.MEMORY)).publish()
    return publish.check(OPERATOR, [BUNDLED_CATALOGUE], lambda _done, _all: None)


def fill(container: Container, catalogue: Catalogue, *, many: int = 0) -> Tokens:
    """Create the tables, publish the catalogue and create the keys, with `many` additional ones."""
    container.schema().prepare()
    keep_catalogue(container.catalogue_store(), catalogue)
    container.manage_institutions().create_institution(OPERATOR, _INSTITUTION)
    tokens = Tokens(
        busy=_key(container, HIGHEST_DAILY_LIMIT),
        spent=_key(container, 0),
        limited=_key(container, LIMITED_TO),
        many=tuple(_key(container, HIGHEST_DAILY_LIMIT) for _ in range(many)),
    )
    container.connections().close()
    return tokens


def _key(container: Container, limit: int) -> str:
    made = container.manage_keys().create(
        OPERATOR, institution_id(container, _INSTITUTION), name="load", daily_limit=limit
    )
    return made.token.text
