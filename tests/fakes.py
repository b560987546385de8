"""Fakes for time, randomness, slow hashes, catalogue files and storage faults."""

from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Publication
from evref.domain.catalogue.snomed import LoadedMap, SnomedMap
from evref.domain.errors import StorageUnavailableError
from evref.domain.principal import Principal
from evref.ports.accounts import PasswordGuesser, PasswordHasher
from evref.ports.catalogue import (
    CatalogueFiles,
    FileFault,
    InvalidCatalogueError,
    MapFile,
    PublishedCatalogue,
)
from evref.ports.storage import Changes, DelegatingStorage, Storage
from evref.ports.system import Clock, Randomness
from evref.testing.builders import NOON


class FakeClock(Clock):
    """A clock that stands still until a test advances it."""

    def __init__(self, now: datetime = NOON) -> None:
        self._now = now.astimezone(UTC)
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, **time: float) -> None:
        """Advance both clocks; the arguments are those of `timedelta`."""
        step = timedelta(**time)
        self._now += step
        self._monotonic += step.total_seconds()

    def set_time_of_day(self, now: datetime) -> None:
        """Change the time, as a correction of the system clock does; `monotonic` stays the same."""
        self._now = now.astimezone(UTC)


class SeededRandomness(Randomness):
    """Returns the same numbers in every run."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)

    def below(self, bound: int) -> int:
        return self._random.randrange(bound)


class QuickPasswordHasher(PasswordHasher):
    """Returns hashes at once, with the password backwards, and counts what it verifies."""

    def __init__(self) -> None:
        self._count = 0
        self.verified = 0

    def hash(self, password: str) -> str:
        self._count += 1
        return f"$quick${self._count}${password[::-1]}"

    def verify(self, password: str, password_hash: str | None) -> bool:
        self.verified += 1
        return password_hash is not None and password_hash.split("$", 3)[3] == password[::-1]


class SingleGuess(PasswordGuesser):
    """Considers one password and the known words guessable, and counts its estimates."""

    GUESS = "correct horse battery staple"

    def __init__(self) -> None:
        self.estimates = 0

    def is_guessable(self, password: str, known_words: Collection[str]) -> bool:
        self.estimates += 1
        return password == self.GUESS or password in known_words


class BreakableStorage(DelegatingStorage):
    """Delegates to another storage unless it is broken, and counts the reads of the catalogue."""

    def __init__(self, rest: Storage) -> None:
        super().__init__(rest)
        self.broken = False
        self.looks = 0
        self.loads = 0
        self.catalogue = _BreakableCatalogue(self)

    def changes(self, principal: Principal, instant: datetime) -> AbstractContextManager[Changes]:
        self.fail_where_broken()
        return super().changes(principal, instant)

    def ping(self) -> None:
        self.fail_where_broken()

    def fail_where_broken(self) -> None:
        if self.broken:
            raise StorageUnavailableError("db.internal:5432 refused the connection")


class _BreakableCatalogue(PublishedCatalogue):
    def __init__(self, storage: BreakableStorage) -> None:
        self._storage = storage

    def publication_id(self) -> str | None:
        self._storage.looks += 1
        return self._unbroken().publication_id()

    def load(self, version: str | None = None) -> Catalogue | None:
        self._storage.loads += version is None
        return self._unbroken().load(version)

    def history(self) -> tuple[Publication, ...]:
        return self._unbroken().history()

    def loaded_map(self) -> LoadedMap | None:
        return self._unbroken().loaded_map()

    def _unbroken(self) -> PublishedCatalogue:
        self._storage.fail_where_broken()
        return self._storage.rest.catalogue


class FakeCatalogueFiles(CatalogueFiles):
    """Catalogue files in memory; a test first sets the content of each path in `held`."""

    def __init__(self) -> None:
        self.held: dict[Path, Catalogue] = {}

    def read(self, paths: Iterable[Path]) -> Catalogue:
        listed = list(paths)
        missing = [FileFault(str(path), None, "is not there") for path in listed
                   if path not in self.held]  # fmt: skip
        if missing:
            raise InvalidCatalogueError(missing)
        return Catalogue(entry for path in listed for entry in self.held[path].entries)

    def read_snomed_map(self, path: Path, refset: str | None) -> MapFile:
        return MapFile(SnomedMap(None, {1: (("M17",),)}), {})

    def not_read(self, paths: Iterable[Path]) -> tuple[str, ...]:
        return tuple(f"{path}/README.md" for path in paths)

    def write(self, catalogue: Catalogue, folder: Path) -> None:
        if folder in self.held:
            raise InvalidCatalogueError([FileFault(str(folder), None, "has other files")])
        self.held[folder] = catalogue
