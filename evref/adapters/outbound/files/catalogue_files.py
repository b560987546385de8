from collections.abc import Iterable
from pathlib import Path

from evref.adapters.outbound.files.folders import Folders, text_of
from evref.adapters.outbound.files.nodes import FileError
from evref.adapters.outbound.files.reading import Reader
from evref.adapters.outbound.files.snomed_map import read_snomed_map
from evref.adapters.outbound.files.writing import write_files
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports import catalogue
from evref.ports.catalogue import FileFault, InvalidCatalogueError, MapFile


class YamlCatalogueFiles(catalogue.CatalogueFiles):
    """One YAML file for each diagnosis; docs/reference/catalogue-format.md has the format."""

    def read(self, paths: Iterable[Path], progress: catalogue.Progress) -> Catalogue:
        folders = Folders(paths)
        reader = Reader()
        entries = []
        faults = list(folders.faults)
        for done, (path, name) in enumerate(folders.files, start=1):
            try:
                entry, errors = reader.entry(text_of(path), name)
            except FileError as error:
                entry, errors = None, [FileFault(name, error.line, error.message)]
            faults += errors
            if entry is not None:
                entries.append(entry)
            progress(done, len(folders.files))
        if faults:
            raise InvalidCatalogueError(faults)
        return Catalogue(entries)

    def not_read(self, paths: Iterable[Path]) -> tuple[str, ...]:
        return tuple(Folders(paths).not_read)

    def read_snomed_map(self, path: Path, refset: str | None) -> MapFile:
        return read_snomed_map(path, refset)

    def write(self, catalogue: Catalogue, folder: Path) -> None:
        write_files(catalogue, folder)
