"""The programs of the how-tos for a copy and for a ward screen make few requests."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evref.application.access.manage_keys import NewKey
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.ports.catalogue import CATALOGUES_KEPT
from evref.testing.builders import a_diagnosis
from tests.deploy.shell import needs
from tests.docs.conftest import SHOWN_ADDRESS, Demo
from tests.docs.pages import DOCS, Example, assert_printed, commands, programs
from tests.http.conftest import make_service  # noqa: F401 - a fixture
from tests.http.service import Service, entries
from tests.servers import serving

COPY = DOCS / "how-to" / "keep-a-copy.md"
WARD = DOCS / "how-to" / "ward-screen.md"
(KEEP_A_COPY,) = programs(COPY, "python")
(WARD_SCREEN,) = programs(WARD, "python")


class Served:
    """A service on a port of this machine, and a key whose requests are counted."""

    def __init__(self, service: Service, address: str, folder: Path) -> None:
        self.service = service
        self._address = address
        self._folder = folder
        self._key: NewKey = service.new_key()
        self._used = 0

    def run(self, program: Example, *arguments: str) -> tuple[str, int]:
        """Return the output of the program and the number of its requests."""
        done = subprocess.run(
            [sys.executable, "-c", program.code.replace(SHOWN_ADDRESS, self._address), *arguments],
            cwd=self._folder,
            env={**os.environ, "EVREF_KEY": self._key.token.text},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        before, self._used = self._used, self.service.admitted(self._key)
        return done.stdout, self._used - before

    def copy(self) -> dict[str, Any]:
        copied: dict[str, Any] = json.loads((self._folder / "copy.json").read_text())["entries"]
        return copied

    def publish(self, published: list[Entry]) -> None:
        self.service.publish(Catalogue(published))
        self.service.clock.advance(seconds=1)

    def whole(self) -> dict[str, Any]:
        catalogue = self.service.data("/api/v1/catalogue", self.service.token())
        return {entry["diagnosis"]["id"]: entry for entry in catalogue}


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    service: Service = request.getfixturevalue("make_service")()
    service.publish(Catalogue(entries()))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        folder = tmp_path / "client"
        folder.mkdir()
        with serving(service.app, listening):
            yield Served(service, address, folder)


def test_a_copy_takes_one_request_where_nothing_changed_else_one_a_change(served: Served) -> None:
    before = entries()
    assert served.run(KEEP_A_COPY) == (f"{len(before)} added or changed, 0 removed\n", 1)
    assert served.copy() == served.whole()
    assert served.run(KEEP_A_COPY) == ("nothing has changed\n", 1)

    knee, *others = before
    renamed = replace(knee.diagnosis, name="Arthritis of the knee")
    added = Entry(a_diagnosis("gout", name="Gout", icd10=["M10"], icd11=["FA25"]), ())
    served.publish([Entry(renamed, knee.interventions), added, *others[1:]])
    assert served.run(KEEP_A_COPY) == ("2 added or changed, 1 removed\n", 3)
    assert served.copy() == served.whole()

    served.publish([added, *others])
    served.publish(before)
    assert served.run(KEEP_A_COPY) == ("2 added or changed, 1 removed\n", 3)
    assert served.copy() == served.whole()


def test_a_copy_that_is_too_old_or_of_which_much_changed_takes_two_requests(
    served: Served,
) -> None:
    served.run(KEEP_A_COPY)
    count = len(entries())
    many = [
        Entry(a_diagnosis(f"d-{number}", name=f"Diagnosis {number}"), ()) for number in range(60)
    ]
    served.publish(many)
    assert served.run(KEEP_A_COPY) == (f"60 added or changed, {count} removed\n", 2)
    assert served.copy() == served.whole()

    for number in range(CATALOGUES_KEPT):
        served.publish(many[number + 1 :])
    assert served.run(KEEP_A_COPY) == ("0 added or changed, 20 removed\n", 2)
    assert served.copy() == served.whole()


def test_a_ward_screen_takes_one_request_whatever_its_codes(served: Served) -> None:
    shown, requests = served.run(WARD_SCREEN, "M17.11", "hello", "", "M54.5")

    assert requests == 1
    assert shown.startswith("M17.11\n  Knee osteoarthritis\n")
    assert "\nhello\n  NOT READ: this is not a code\n\n  NOT READ" in shown
    assert "\nM54.5\n  Low back pain\n" in shown


def test_a_ward_screen_prints_what_is_shown(demo: Demo) -> None:
    assert WARD_SCREEN.shown
    assert_printed(WARD_SCREEN.shown, demo.run([sys.executable, "ward.py"], WARD_SCREEN.code))


def test_jq_reads_the_lines(demo: Demo) -> None:
    """`tests/clients/readers.py` tries the other tools."""
    (download,) = (command for command in commands(COPY) if command.code.startswith("curl "))
    (example,) = (command for command in commands(COPY) if command.code.startswith("jq "))
    needs("curl")
    needs("jq")
    demo.run(["bash", "download.sh"], download.code)

    printed = demo.run(["bash", "read.sh"], example.code)

    assert_printed(example.shown or "", printed)
