"""Storage with a catalogue and keys in it, for the service to be measured on."""

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
"""Requests that the limited key may make, to see that exactly these are admitted."""

_INSTITUTION = "Benchmark"
_MISTYPED = "evref_mistyped"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Keys by what they are for; `many` may all ask as often as they like."""

    busy: str
    spent: str
    limited: str
    many: tuple[str, ...] = ()

    def of(self, holder: Holder) -> str:
        """The token that goes with a request."""
        return {
            Holder.BUSY: self.busy,
            Holder.SPENT: self.spent,
            Holder.MISTYPED: _MISTYPED,
        }[holder]


@contextmanager
def settings_by_storage(folder: Path) -> Iterator[dict[str, Settings]]:
    """The settings for each place that can keep everything, while its servers run."""
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
    """The catalogue that comes with the service."""
    publish = Container(settings=Settings(storage=StorageKind.MEMORY)).publish()
    return publish.check([BUNDLED_CATALOGUE], lambda _done, _all: None)


def fill(container: Container, catalogue: Catalogue, *, many: int = 0) -> Tokens:
    """Make the tables, publish the catalogue and make the keys, so many of them besides."""
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
