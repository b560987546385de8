"""The published catalogue in a file: a line about it, then a line for each diagnosis."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import StorageUnavailableError
from evref.ports.catalogue import CatalogueStore, Publication
from evref_jsonlines import records


class JsonLinesCatalogueStore(CatalogueStore):
    """Keeps the catalogue in one file, which is made when a catalogue is first published."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def version(self) -> str | None:
        with self._faults_told():
            try:
                with self._file.open(encoding="utf-8") as lines:
                    return str(json.loads(lines.readline())["version"])
            except FileNotFoundError:
                return None

    def load(self) -> Publication | None:
        with self._faults_told():
            try:
                # An open file stays what it is, also when another one takes its name.
                with self._file.open(encoding="utf-8") as lines:
                    about = json.loads(lines.readline())
                    catalogue = Catalogue(map(records.read, lines))
            except FileNotFoundError:
                return None
            if catalogue.version != about["version"]:
                raise ValueError("was changed or cut short since it was published")
            return Publication(catalogue, datetime.fromisoformat(about["published_at"]))

    def publish(self, publication: Publication) -> None:
        with self._written(publication) as new:
            # Whoever reads sees the old file or the new one, never a mixture.
            new.replace(self._file)

    def publish_first(self, publication: Publication) -> bool:
        with self._written(publication) as new:
            try:
                # A link, unlike a file that is moved, takes no name that another has.
                self._file.hardlink_to(new)
            except FileExistsError:
                return False
            return True

    @contextmanager
    def _written(self, publication: Publication) -> Iterator[Path]:
        """A file with the publication, under a name of its own, until it has been used."""
        about = {
            "version": publication.catalogue.version,
            "published_at": publication.published_at.isoformat(),
        }
        lines = [json.dumps(about), *map(records.write, publication.catalogue.entries)]
        new = self._file.with_name(f"{self._file.name}.{uuid4().hex}")
        with self._faults_told():
            try:
                new.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
                yield new
            finally:
                new.unlink(missing_ok=True)

    @contextmanager
    def _faults_told(self) -> Iterator[None]:
        """Let no exception out but the one that the port names."""
        try:
            yield
        except (OSError, LookupError, TypeError, ValueError) as error:
            raise StorageUnavailableError(f"{self._file}: {error}") from error
