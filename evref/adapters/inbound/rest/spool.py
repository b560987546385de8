"""The whole catalogue in files, which are created once per version and shared by all workers.

It is too large for the memory of each worker, and too slow to create for each request.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import logging
import os
import secrets
import shutil
import stat
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import BinaryIO, Self

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import StorageUnavailableError

log = logging.getLogger(__name__)

Render = Callable[[Catalogue], Iterator[tuple[bytes, ...]]]
"""Returns the content of all files in chunks: each item has the next chunk of every file, and takes
a few milliseconds to create.
"""

_SECONDS_TO_WAIT = 2.0
_SECONDS_BETWEEN_LOOKS = 0.02
# Each waiting request occupies a thread that other requests need.
_MOST_WAITING = 2
# Shortly after a publication, some workers still serve the previous version.
_VERSIONS_KEPT = 2
_MANIFEST = ".manifest"


@dataclass(frozen=True, slots=True)
class Spooled:
    """A file and its gzip: their paths, sizes in bytes, and the SHA-256 of the content."""

    path: str
    size: int
    gzip_path: str
    gzip_size: int
    digest: str


class Spool:
    """A folder with the files of each version; `render` creates them under the given names.

    The folder is a new temporary folder that only this user can read. Processes that are forked
    after the spool was created share it. It is created on first use, and removed when the process
    that created the spool ends.
    """

    def __init__(self, names: tuple[str, ...], render: Render) -> None:
        self._names = names
        self._render = render
        self._folder = Path(gettempdir()) / f"evref-{secrets.token_hex(16)}"
        self._waiting = threading.BoundedSemaphore(_MOST_WAITING)
        weakref.finalize(self, _remove, self._folder, os.getpid())

    def files(self, catalogue: Catalogue) -> dict[str, Spooled] | None:
        """Return the files of this version by name, or None if they are not ready yet.

        The first call for a version starts a thread that creates them, unless another process
        already does, and waits for at most two seconds.
        """
        found = self._made(catalogue.version)
        if found is not None or not self._waiting.acquire(blocking=False):
            return found
        try:
            self._start(catalogue)
            end = time.monotonic() + _SECONDS_TO_WAIT
            while (found := self._made(catalogue.version)) is None and time.monotonic() < end:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
            return found
        finally:
            self._waiting.release()

    def _made(self, version: str) -> dict[str, Spooled] | None:
        try:
            manifest = json.loads(self._manifest(version).read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        found = {name: Spooled(**each) for name, each in manifest.items()}
        # The system may remove temporary files that have not been read for some days.
        paths = [path for each in found.values() for path in (each.path, each.gzip_path)]
        return found if all(map(os.path.exists, paths)) else None

    def _start(self, catalogue: Catalogue) -> None:
        try:
            lock = self._lock()
        except OSError as error:
            log.error("the whole catalogue cannot be prepared: %s", error)  # noqa: TRY400
            return
        if lock is not None:
            threading.Thread(
                target=self._make, args=(catalogue, lock), name="evref-spool", daemon=True
            ).start()

    def _lock(self) -> int | None:
        """Lock the folder and return the lock's file; None if another process has the lock.

        The system releases the lock when the file is closed, even if the process is killed.
        """
        with suppress(FileExistsError):
            self._folder.mkdir(mode=0o700)
        found = self._folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise PermissionError(f"{self._folder} is not a private folder of this user")
        file = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        return file

    def _make(self, catalogue: Catalogue, lock: int) -> None:
        try:
            # Another process may have created them meanwhile.
            if self._made(catalogue.version) is None:
                # An old manifest would offer the new files while they are being written.
                self._manifest(catalogue.version).unlink(missing_ok=True)
                files = self._write(catalogue)
                self._publish(catalogue.version, files)
                self._remove_old()
        except (OSError, StorageUnavailableError) as error:
            log.error("the whole catalogue cannot be prepared: %s", error)  # noqa: TRY400
        finally:
            os.close(lock)

    def _write(self, catalogue: Catalogue) -> dict[str, Spooled]:
        with ExitStack() as closing:
            written = {
                name: closing.enter_context(
                    _Written(self._folder / f"{catalogue.version}.{number}")
                )
                for number, name in enumerate(self._names)
            }
            began_at = time.thread_time()
            for pieces in self._render(catalogue):
                for file, piece in zip(written.values(), pieces, strict=True):
                    file.write(piece)
                # Leaves half of the time to requests, which need the same interpreter lock.
                time.sleep(time.thread_time() - began_at)
                began_at = time.thread_time()
        return {name: file.spooled() for name, file in written.items()}

    def _publish(self, version: str, files: dict[str, Spooled]) -> None:
        part = self._folder / "manifest.part"
        with _created(part) as file:
            file.write(json.dumps({name: asdict(each) for name, each in files.items()}).encode())
        part.replace(self._manifest(version))

    def _manifest(self, version: str) -> Path:
        return self._folder / f"{version}{_MANIFEST}"

    def _remove_old(self) -> None:
        newest_first = sorted(
            self._folder.glob(f"*{_MANIFEST}"), key=lambda path: path.stat().st_mtime, reverse=True
        )
        kept = {path.name.removesuffix(_MANIFEST) for path in newest_first[:_VERSIONS_KEPT]}
        for path in self._folder.iterdir():
            if path.name != "lock" and path.name.partition(".")[0] not in kept:
                path.unlink(missing_ok=True)


class _Written:
    """A file and its gzip during writing."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._gzip_path = path.with_name(f"{path.name}.gz")
        self._digest = hashlib.sha256()
        self._size = 0

    def __enter__(self) -> Self:
        with ExitStack() as closing:
            self._plain = closing.enter_context(_created(self._path))
            compressed = closing.enter_context(_created(self._gzip_path))
            # No timestamp and no name in the gzip header, as for all other responses.
            self._gzip = closing.enter_context(
                gzip.GzipFile("", "wb", compresslevel=6, fileobj=compressed, mtime=0)
            )
            self._closing = closing.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def write(self, piece: bytes) -> None:
        self._plain.write(piece)
        self._gzip.write(piece)
        self._digest.update(piece)
        self._size += len(piece)

    def spooled(self) -> Spooled:
        """Return the written files; call it after they are closed."""
        return Spooled(
            str(self._path),
            self._size,
            str(self._gzip_path),
            self._gzip_path.stat().st_size,
            self._digest.hexdigest()[:32],
        )


def _created(path: Path) -> BinaryIO:
    # Not truncated: a response may still read the file of the same name.
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, 0o600), "wb")


def _remove(folder: Path, owner: int) -> None:
    # Workers inherit this exit handler from the process that forks them, and end before it.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
