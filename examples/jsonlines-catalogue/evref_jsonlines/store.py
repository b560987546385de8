"""The published catalogue in a file: a header line, then one line for each diagnosis."""

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
    """Stores the catalogue in one file, which the first publication creates."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def version(self) -> str | None:
        with self._errors_translated():
            try:
                with self._file.open(encoding="utf-8") as lines:
                    return str(json.loads(lines.readline())["version"])
            except FileNotFoundError:
                return None

    def load(self) -> Publication | None:
        with self._errors_translated():
            try:
                # An open file keeps its content even if another file takes its name.
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
            # A reader sees either the old file or the new one, never a mixture.
            new.replace(self._file)

    def publish_first(self, publication: Publication) -> bool:
        with self._written(publication) as new:
            try:
                # Unlike a rename, creating a link fails if the name exists.
                self._file.hardlink_to(new)
            except FileExistsError:
                return False
            return True

    @contextmanager
    def _written(self, publication: Publication) -> Iterator[Path]:
        """A temporary file with the publication, under a unique name."""
        about = {
            "version": publication.catalogue.version,
            "published_at": publication.published_at.isoformat(),
        }
        lines = [json.dumps(about), *map(records.write, publication.catalogue.entries)]
        new = self._file.with_name(f"{self._file.name}.{uuid4().hex}")
        with self._errors_translated():
            try:
                new.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
                yield new
            finally:
                new.unlink(missing_ok=True)

    @contextmanager
    def _errors_translated(self) -> Iterator[None]:
        """Raise only the exception that the port declares."""
        try:
            yield
        except (OSError, LookupError, TypeError, ValueError) as error:
            raise StorageUnavailableError(f"{self._file}: {error}") from error
