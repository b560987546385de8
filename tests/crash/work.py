"""The processes that are killed: they repeat a change, and report its beginning and end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from evref.adapters.outbound.sql import SqlDatabase, SqlStorage
from evref.application.catalogue.publish_catalogue import PublishCatalogue
from evref.bootstrap.container import BUNDLED_CATALOGUE
from evref.bootstrap.settings import Settings
from evref.domain.access.key import OVERLAPS, Permission
from evref.domain.errors import KeyRevokedError
from evref.testing.builders import OPERATOR, a_catalogue, an_entry
from tests.fakes import FakeCatalogueFiles
from tests.server.patient import container as patient

CATALOGUES = {
    Path(name): a_catalogue(*(an_entry(f"{name}-{number}", name=name) for number in range(size)))
    for name, size in (("few", 5), ("many", 60))
}
"""The catalogues to publish in turn; reading files would take longer than publishing."""

BEGUN, DONE, REFUSED = b"(", b")", b"x"
"""The messages of a process about each change."""

KEYS = 3
"""The number of keys to change; few, so that one key is changed repeatedly."""


class Changes:
    """Reports each change of a process; with `dies`, the process dies during one."""

    def __init__(self, sender: Connection, seed: str, index: int, *, dies: bool) -> None:
        self._sender = sender
        self.random = Random(f"{seed}-{index}")
        self._number = index * 1000
        self._until_death = self.random.randrange(1, 6) if dies else None
        self._steps = 0

    def next_number(self) -> int:
        """Return a number that is unique among the processes, so that it changes something."""
        self._number += 1
        return self._number

    @contextmanager
    def reported(self) -> Iterator[None]:
        last = None
        if self._until_death == 0:
            # Half of the deaths come towards the end, where the change takes effect.
            first = self.random.choice([0, self._steps * 9 // 10])
            last = self.random.randrange(first, self._steps)
        elif self._until_death:
            self._until_death -= 1
        self._steps = 0

        def step(*_: object) -> None:
            self._steps += 1
            if self._steps == last:
                os.kill(os.getpid(), signal.SIGKILL)

        self._sender.send_bytes(BEGUN)
        # Every call is a step, so that short phases of a change are hit often enough.
        sys.setprofile(None if self._until_death is None else step)
        try:
            yield
        except KeyRevokedError:
            # Another process has revoked the key first.
            sys.setprofile(None)
            self._sender.send_bytes(REFUSED)
        else:
            sys.setprofile(None)
            self._sender.send_bytes(DONE)


def change_keys(changes: Changes, url: str, institution: str) -> None:
    """Create, change, rotate and revoke keys of the institution in an endless loop."""
    random = changes.random
    container = patient(Settings(database_url=url))
    keys = container.manage_keys()
    own_id = container.manage_institutions().institution_named(OPERATOR, institution).id
    while True:
        in_use = keys.list(OPERATOR, own_id)
        live = [key.key.id for key in in_use if not key.state.has_ended]
        with changes.reported():
            if len(live) < KEYS:
                keys.create(
                    OPERATOR,
                    own_id,
                    name=_name(random),
                    daily_limit=changes.next_number(),
                )
            elif random.random() < 0.2:
                keys.revoke(OPERATOR, random.choice(live))
            elif random.random() < 0.3:
                keys.rotate(OPERATOR, random.choice(live), keep_old_for=random.choice(OVERLAPS))
            else:
                keys.change(
                    OPERATOR,
                    random.choice(live),
                    name=_name(random),
                    permission=random.choice([*Permission]),
                    daily_limit=changes.next_number(),
                )


def load_catalogues(changes: Changes, url: str, _institution: str) -> None:
    """Replace the published catalogue in an endless loop."""
    container = patient(Settings(database_url=url))
    files = FakeCatalogueFiles()
    files.held = {**CATALOGUES, BUNDLED_CATALOGUE: a_catalogue()}
    publish = PublishCatalogue(container.storage(), files, container.clock(), BUNDLED_CATALOGUE)
    for path in _in_turn([*CATALOGUES], changes.random):
        with changes.reported():
            plan = publish.plan_load(OPERATOR, path)
            publish.publish(OPERATOR, plan, by="operator", allow_removals=True)


def migrate(changes: Changes, url: str, _institution: str) -> None:
    """Migrate the database to the current revision, once."""
    database = SqlDatabase(url, timeout_seconds=60)
    with changes.reported():
        SqlStorage(database).prepare()


def _in_turn(paths: list[Path], random: Random) -> Iterator[Path]:
    random.shuffle(paths)
    while True:
        yield from paths


def _name(random: Random) -> str:
    return f"key-{random.randrange(100)}"
