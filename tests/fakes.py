"""Stand-ins for what cannot be steered: time, randomness, slow hashes, files, faults."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from evref.domain.audit import AuditEntry
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import StorageUnavailableError
from evref.ports.accounts.passwords import PasswordGuesser, PasswordHasher
from evref.ports.catalogue.files import CatalogueFiles, FileFault, InvalidCatalogueError, Progress
from evref.ports.catalogue.store import CatalogueStore, Publication
from evref.ports.clock import Clock
from evref.ports.randomness import Randomness
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
        """Go on by this much, in the words of `timedelta`."""
        step = timedelta(**time)
        self._now += step
        self._monotonic += step.total_seconds()

    def set_time_of_day(self, now: datetime) -> None:
        """Show another time, as after a correction; `monotonic` is not touched by that."""
        self._now = now.astimezone(UTC)


class SeededRandomness(Randomness):
    """The same numbers in every run."""

    def __init__(self, seed: int = 0) -> None:
        self._random = Random(seed)

    def below(self, bound: int) -> int:
        return self._random.randrange(bound)


class QuickPasswordHasher(PasswordHasher):
    """Gives hashes that show the password backwards, at once; counts what it verifies."""

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
    """Guesses one password, and the given facts about its owner; counts its estimates."""

    GUESS = "correct horse battery staple"

    def __init__(self) -> None:
        self.estimates = 0

    def is_guessable(self, password: str, known_words: Collection[str]) -> bool:
        self.estimates += 1
        return password == self.GUESS or password in known_words


class BreakableCatalogueStore(CatalogueStore):
    """Passes on to another store, unless broken; counts the calls that readers make."""

    def __init__(self, store: CatalogueStore) -> None:
        self._store = store
        self.broken = False
        self.looks = 0
        self.loads = 0

    def version(self) -> str | None:
        self.looks += 1
        self._fail_where_broken()
        return self._store.version()

    def load(self) -> Catalogue | None:
        self.loads += 1
        self._fail_where_broken()
        return self._store.load()

    def publish(
        self,
        catalogue: Catalogue,
        publication: Publication,
        entry: AuditEntry,
        *,
        replacing: str | None,
    ) -> None:
        self._fail_where_broken()
        self._store.publish(catalogue, publication, entry, replacing=replacing)

    def history(self) -> tuple[Publication, ...]:
        self._fail_where_broken()
        return self._store.history()

    def load_version(self, version: str) -> Catalogue | None:
        self._fail_where_broken()
        return self._store.load_version(version)

    def _fail_where_broken(self) -> None:
        if self.broken:
            raise StorageUnavailableError("db.internal:5432 refused the connection")


class FakeCatalogueFiles(CatalogueFiles):
    """Files without a disk: a test sets the content of each path beforehand."""

    def __init__(self) -> None:
        self.held: dict[Path, Catalogue] = {}

    def read(self, paths: Iterable[Path], progress: Progress) -> Catalogue:
        listed = list(paths)
        missing = [FileFault(str(path), None, "is not there") for path in listed
                   if path not in self.held]  # fmt: skip
        if missing:
            raise InvalidCatalogueError(missing)
        for done, _ in enumerate(listed, start=1):
            progress(done, len(listed))
        return Catalogue(entry for path in listed for entry in self.held[path].entries)

    def not_read(self, paths: Iterable[Path]) -> tuple[str, ...]:
        return tuple(f"{path}/README.md" for path in paths)

    def write(self, catalogue: Catalogue, folder: Path) -> None:
        if folder in self.held:
            raise InvalidCatalogueError([FileFault(str(folder), None, "has other files")])
        self.held[folder] = catalogue
