"""The folder of files that hold the whole catalogue."""

from __future__ import annotations

import gc
import gzip
import hashlib
import os
import shutil
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evref.adapters.inbound.rest.spool import Spool
from evref.domain.catalogue.catalogue import Catalogue
from evref.testing.filling import at_once
from tests.http.service import entries

ENTRIES = entries()


class Renderer:
    """Renders the ids of a catalogue, a piece each, and counts how often it was asked to."""

    def __init__(self) -> None:
        self.times = 0
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def __call__(self, catalogue: Catalogue) -> Iterator[tuple[bytes]]:
        self.times += 1
        for entry in catalogue.entries:
            self.may_go_on.wait(20)
            yield (entry.diagnosis.id.encode(),)


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where spools make their folders."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def only(folders: Path) -> Path:
    (folder,) = folders.glob("evref-*")
    return folder


def wait_for_the_thread() -> None:
    """Wait until the thread that writes the files has ended."""
    for thread in threading.enumerate():
        if thread.name == "evref-spool":
            thread.join(20)


def content(catalogue: Catalogue) -> bytes:
    return "".join(entry.diagnosis.id for entry in catalogue.entries).encode()


def test_files_hold_what_was_rendered(folders: Path) -> None:
    """Plain and compressed, with their sizes and digest, readable for this user alone."""
    catalogue = Catalogue(ENTRIES)
    spool = Spool(("ids",), Renderer())

    found = spool.files(catalogue)

    assert found is not None
    spooled = found["ids"]
    written = Path(spooled.path).read_bytes()
    compressed = Path(spooled.gzip_path).read_bytes()
    assert written == gzip.decompress(compressed) == content(catalogue)
    assert (spooled.size, spooled.gzip_size) == (len(written), len(compressed))
    assert spooled.digest == hashlib.sha256(written).hexdigest()[:32]
    assert stat.S_IMODE(only(folders).stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in only(folders).iterdir()} == {0o600}


def test_of_many_who_ask_at_once_one_renders(folders: Path) -> None:
    """Callers that do not get the files get `None`, and get them later."""
    catalogue, renderer = Catalogue(ENTRIES), Renderer()
    spool = Spool(("ids",), renderer)

    answers = at_once(20, lambda _: spool.files(catalogue))

    assert any(answers)
    assert all(spool.files(catalogue) == answer for answer in answers if answer is not None)
    assert renderer.times == 1


def test_who_asks_while_it_takes_long_is_not_held_up(folders: Path) -> None:
    """Nobody waits for longer than two seconds; what was begun is finished."""
    catalogue, renderer = Catalogue(ENTRIES), Renderer()
    renderer.may_go_on.clear()
    spool = Spool(("ids",), renderer)

    answers = at_once(5, lambda _: spool.files(catalogue))
    renderer.may_go_on.set()

    assert answers == [None] * 5
    assert spool.files(catalogue) is not None
    assert renderer.times == 1


def test_two_versions_are_kept(folders: Path) -> None:
    """And no file of any other."""
    renderer = Renderer()
    spool = Spool(("ids",), renderer)
    versions = [Catalogue(ENTRIES[:count]) for count in (1, 2, 3)]

    for version in versions:
        assert spool.files(version) is not None

    wait_for_the_thread()
    names = {path.name.partition(".")[0] for path in only(folders).iterdir()}
    assert names == {"lock", versions[1].version, versions[2].version}
    assert spool.files(versions[1]) is not None
    assert renderer.times == 3


def test_files_that_were_removed_are_made_again(folders: Path) -> None:
    """Some of them, or the whole folder: cleaners of temporary files do that."""
    catalogue, renderer = Catalogue(ENTRIES), Renderer()
    spool = Spool(("ids",), renderer)
    found = spool.files(catalogue)
    assert found is not None

    Path(found["ids"].gzip_path).unlink()
    assert spool.files(catalogue) == found
    wait_for_the_thread()
    shutil.rmtree(only(folders))
    assert spool.files(catalogue) == found
    assert renderer.times == 3


def test_files_are_not_offered_before_they_are_complete_again(folders: Path) -> None:
    """And a response that still reads the earlier file reads all of it."""
    catalogue, renderer = Catalogue(ENTRIES), Renderer()
    spool = Spool(("ids",), renderer)
    found = spool.files(catalogue)
    assert found is not None
    wait_for_the_thread()

    with Path(found["ids"].path).open("rb") as earlier:
        Path(found["ids"].gzip_path).unlink()
        renderer.may_go_on.clear()
        assert spool.files(catalogue) is None
        assert earlier.read() == content(catalogue)
    renderer.may_go_on.set()
    assert spool.files(catalogue) == found
    assert gzip.decompress(Path(found["ids"].gzip_path).read_bytes()) == content(catalogue)


@pytest.mark.parametrize("trap", ["a link", "a folder of others"])
def test_nothing_is_written_into_a_folder_that_others_prepared(
    folders: Path, tmp_path_factory: pytest.TempPathFactory, trap: str, caplog: Any
) -> None:
    """Where one was removed, another user could make one of the same name."""
    spool = Spool(("ids",), Renderer())
    assert spool.files(Catalogue(ENTRIES)) is not None
    wait_for_the_thread()
    folder = only(folders)
    shutil.rmtree(folder)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    if trap == "a link":
        folder.symlink_to(elsewhere)
    else:
        folder.mkdir()
        folder.chmod(0o777)

    assert spool.files(Catalogue(ENTRIES)) is None
    assert list(folder.iterdir()) == []
    assert "is not a private folder" in caplog.text
    folder.unlink() if trap == "a link" else folder.rmdir()


def test_what_was_half_made_is_never_served(folders: Path) -> None:
    """A process that is killed leaves files, but nothing that says they are whole."""
    catalogue, renderer = Catalogue(ENTRIES), Renderer()
    spool = Spool(("ids",), renderer)
    assert spool.files(catalogue) is not None
    (only(folders) / f"{catalogue.version}.0").write_bytes(b"half of it, and then some more")
    (only(folders) / f"{catalogue.version}.manifest").unlink()

    found = spool.files(catalogue)

    assert found is not None
    assert Path(found["ids"].path).read_bytes() == content(catalogue)


def test_processes_that_are_forked_share_the_files(folders: Path) -> None:
    """And leave them when they end; the process that made the folder removes it."""
    catalogue, renderer = Catalogue(ENTRIES), Renderer()
    spool = Spool(("ids",), renderer)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        found = spool.files(catalogue)
        del spool
        gc.collect()
        os.write(write, b"made" if found else b"none")
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as told:
        assert told.read() == b"made"
    os.waitpid(child, 0)

    assert spool.files(catalogue) is not None
    assert renderer.times == 0
    del spool
    gc.collect()
    assert list(folders.iterdir()) == []
