"""Published catalogues in a file: a line about the catalogues, then one line for each entry."""

import fcntl
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from evref.domain.audit import AuditEntry
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import CatalogueReplacedError, StorageUnavailableError
from evref.ports.catalogue.store import PUBLICATIONS_KEPT, CatalogueStore, Publication
from evref_jsonlines import records


@dataclass
class Kept:
    """The content of the file; lines are identified by digest, so that catalogues share them."""

    publications: list[Publication] = field(default_factory=list)
    digests: dict[str, list[str]] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)

    @property
    def served(self) -> str | None:
        """The version of the newest publication."""
        return self.publications[0].version if self.publications else None

    def catalogue(self, version: str) -> Catalogue:
        """Return the catalogue of a stored version."""
        lines = [self.lines[digest] for digest in self.digests[version]]
        return Catalogue(map(records.read, lines))


class JsonLinesCatalogueStore(CatalogueStore):
    """Stores catalogues in one file, which is created by the first publication."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def version(self) -> str | None:
        with self._faults_told():
            return self._kept(only_about=True).served

    def load(self) -> Catalogue | None:
        with self._faults_told():
            kept = self._kept()
            return None if kept.served is None else kept.catalogue(kept.served)

    def history(self) -> tuple[Publication, ...]:
        with self._faults_told():
            return tuple(self._kept(only_about=True).publications)

    def load_version(self, version: str) -> Catalogue | None:
        with self._faults_told():
            kept = self._kept()
            return kept.catalogue(version) if version in kept.digests else None

    def publish(
        self,
        catalogue: Catalogue,
        publication: Publication,
        entry: AuditEntry,  # noqa: ARG002 - the audit log is another storage's
        *,
        replacing: str | None,
    ) -> None:
        with self._faults_told(), self._locked():
            kept = self._kept()
            if kept.served != replacing:
                raise CatalogueReplacedError
            lines = {_digest(line): line for line in map(records.write, catalogue.entries)}
            kept.lines.update(lines)
            kept.digests[catalogue.version] = list(lines)
            kept.publications = [publication, *kept.publications][:PUBLICATIONS_KEPT]
            self._write(kept)

    def _kept(self, *, only_about: bool = False) -> Kept:
        try:
            # An open file does not change if another file replaces it.
            with self._file.open(encoding="utf-8") as file:
                about = json.loads(file.readline())
                rest = [] if only_about else [line.rstrip("\n") for line in file]
        except FileNotFoundError:
            return Kept()
        publications = [
            Publication(**each | {"published_at": datetime.fromisoformat(each["published_at"])})
            for each in about["publications"]
        ]
        return Kept(publications, about["digests"], {_digest(line): line for line in rest})

    def _write(self, kept: Kept) -> None:
        versions = {publication.version for publication in kept.publications}
        digests = {version: kept.digests[version] for version in versions}
        publications = [asdict(publication) for publication in kept.publications]
        about = {"publications": publications, "digests": digests}
        used = dict.fromkeys(digest for listed in digests.values() for digest in listed)
        lines = [json.dumps(about, default=datetime.isoformat), *(kept.lines[key] for key in used)]
        new = self._file.with_name(f"{self._file.name}.{uuid4().hex}")
        try:
            new.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            # Readers see the old file or the new one, never a mixture.
            new.replace(self._file)
        finally:
            new.unlink(missing_ok=True)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Allow only one publication at a time, among all processes."""
        with self._file.with_name(f"{self._file.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _faults_told(self) -> Iterator[None]:
        """Convert exceptions to those that the port names."""
        try:
            yield
        except KeyError as error:
            reason = f"{self._file}: was changed or cut short since it was published"
            raise StorageUnavailableError(reason) from error
        except (OSError, LookupError, TypeError, ValueError) as error:
            raise StorageUnavailableError(f"{self._file}: {error}") from error


def _digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()
