"""Storages with a catalogue and keys, on which the service is measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from evref.bootstrap.container import BUNDLED_CATALOGUE, Container
from evref.bootstrap.settings import Settings, StorageKind
from evref.domain.access.quota import HIGHEST_DAILY_LIMIT
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.testing.builders import OPERATOR
from evref.testing.filling import keep_catalogue
from tests.servers import postgresql_server, redis_server

LIMITED_TO = 200
"""The limit of the limited key, to check that exactly this many requests are admitted."""

_INSTITUTION = "Benchmark"


Keys = dict[str, str]
"""Tokens by name: one with the highest limit, one with none left, one with a limit of 200, and one
that no key has."""


@contextmanager
def settings_by_storage(folder: Path) -> Iterator[dict[str, Settings]]:
    """Run the servers of all storages, and yield the settings for each storage."""
    with postgresql_server(fsync=True) as database, redis_server() as counters:
        postgresql = Settings(database_url=database.url(database.new_database()))
        counted = Settings(database_url=database.url(database.new_database()))
        yield {
            "memory": Settings(storage=StorageKind.MEMORY),
            "SQLite": Settings(database_url=f"sqlite:///{folder / 'evref.sqlite'}"),
            "PostgreSQL": postgresql,
            "PostgreSQL + Redis": counted.model_copy(update={"quota_url": counters.url}),
        }


def bundled() -> Catalogue:
    """Return the bundled catalogue."""
    publish = Container(settings=Settings(storage=StorageKind.MEMORY)).publish()
    return publish.check(OPERATOR, [BUNDLED_CATALOGUE])


def scaled(catalogue: Catalogue, diagnoses: int, *, days: int = 0) -> Catalogue:
    """Return the catalogue with copies of its entries under other ids, checked these days later."""
    return Catalogue(
        _copy(catalogue.entries[number % len(catalogue.entries)], number, timedelta(days))
        for number in range(diagnoses)
    )


def _copy(entry: Entry, number: int, later: timedelta) -> Entry:
    diagnosis = replace(
        entry.diagnosis,
        id=f"{entry.diagnosis.id}-{number}",
        name=f"{entry.diagnosis.name} {number}",
        mainstays=tuple(
            f"{intervention_id}-{number}" for intervention_id in entry.diagnosis.mainstays
        ),
        checked_on=entry.diagnosis.checked_on + later,
    )
    return Entry(
        diagnosis,
        tuple(
            replace(intervention, id=f"{intervention.id}-{number}", diagnosis_id=diagnosis.id)
            for intervention in entry.interventions
        ),
    )


def prepare(container: Container, catalogue: Catalogue) -> None:
    """Create the tables and the institution, and publish the catalogue."""
    container.storage().prepare()
    publish(container, catalogue)
    container.manage_institutions().create_institution(OPERATOR, _INSTITUTION)


def publish(container: Container, catalogue: Catalogue) -> None:
    """Publish the catalogue."""
    keep_catalogue(container.storage(), catalogue)


def new_keys(container: Container) -> Keys:
    """Create keys in a prepared storage."""
    institution = container.manage_institutions().institution_named(OPERATOR, _INSTITUTION).id
    limits = {"busy": HIGHEST_DAILY_LIMIT, "spent": 0, "limited": LIMITED_TO}
    manage = container.manage_keys()
    keys = {
        name: manage.create(OPERATOR, institution, name=name, daily_limit=limit).token.text
        for name, limit in limits.items()
    }
    container.storage().close()
    return keys | {"mistyped": "evref_mistyped"}
