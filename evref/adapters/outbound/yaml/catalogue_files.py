from collections.abc import Iterable
from pathlib import Path

from evref.adapters.outbound.yaml.reading import Reader
from evref.adapters.outbound.yaml.sources import sources, text_of
from evref.adapters.outbound.yaml.writing import write_files
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import FileFault, InvalidCatalogueError
from evref.ports import catalogue_files


class YamlCatalogueFiles(catalogue_files.CatalogueFiles):
    """One YAML file a diagnosis, as docs/reference/catalogue-format.md describes it."""

    def read(self, paths: Iterable[Path], progress: catalogue_files.Progress) -> Catalogue:
        found = sources(paths)
        reader = Reader()
        entries = []
        faults: list[FileFault] = []
        for done, source in enumerate(found, start=1):
            text = None if source.faults else text_of(source)
            if text is not None:
                entry = reader.entry(text, source.faults)
                if entry is not None:
                    entries.append(entry)
            faults += source.faults.in_order()
            progress(done, len(found))
        if faults:
            raise InvalidCatalogueError(faults)
        return Catalogue(entries)

    def write(self, catalogue: Catalogue, folder: Path) -> None:
        write_files(catalogue, folder)
