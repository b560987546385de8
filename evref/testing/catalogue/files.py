"""The contract of the port `CatalogueFiles`."""

from pathlib import Path

import pytest

from evref.ports.catalogue import CatalogueFiles, InvalidCatalogueError
from evref.testing.builders import a_catalogue, an_entry, interventions_of_every_kind
from evref.testing.contract import Contract


def no_progress(done: int, total: int) -> None:
    """Ignore progress."""


class CatalogueFilesContract(Contract):
    port = CatalogueFiles

    def test_what_is_written_reads_back_the_same(
        self, instance: CatalogueFiles, tmp_path: Path
    ) -> None:
        """Every module, phase and reference field is the same, and the version too."""
        catalogue = a_catalogue(
            an_entry(interventions=interventions_of_every_kind()),
            an_entry("asthma", name="Asthma: “no” # severe"),
        )

        instance.write(catalogue, tmp_path / "new")

        read = instance.read([tmp_path / "new"], no_progress)
        assert read.entries == catalogue.entries
        assert read.version == catalogue.version

    def test_progress_is_reported_after_each_file(
        self, instance: CatalogueFiles, tmp_path: Path
    ) -> None:
        """It has the number of finished files and the total."""
        instance.write(a_catalogue(an_entry("asthma"), an_entry("migraine")), tmp_path)
        reported: list[tuple[int, int]] = []

        instance.read([tmp_path], lambda done, total: reported.append((done, total)))

        assert reported == [(1, 2), (2, 2)]

    def test_what_is_not_read_is_named(self, instance: CatalogueFiles, tmp_path: Path) -> None:
        """No skipped file is omitted; written files are read."""
        instance.write(a_catalogue(an_entry("asthma")), tmp_path)
        assert instance.not_read([tmp_path]) == ()

        (tmp_path / "notes.docx").write_text("To whom it may concern")

        (name,) = instance.not_read([tmp_path])
        assert "notes.docx" in name
        instance.read([tmp_path], no_progress)

    def test_a_path_that_is_not_there_is_a_fault(
        self, instance: CatalogueFiles, tmp_path: Path
    ) -> None:
        """The error names the path."""
        with pytest.raises(InvalidCatalogueError) as caught:
            instance.read([tmp_path / "missing"], no_progress)

        assert any("missing" in str(fault) for fault in caught.value.faults)

    def test_no_file_at_all_is_a_fault(self, instance: CatalogueFiles, tmp_path: Path) -> None:
        """An empty folder is not an empty catalogue."""
        with pytest.raises(InvalidCatalogueError):
            instance.read([tmp_path], no_progress)

    def test_a_folder_with_other_files_of_a_catalogue_is_left_as_it_is(
        self, instance: CatalogueFiles, tmp_path: Path
    ) -> None:
        """Reading the folder back would mix them in."""
        instance.write(a_catalogue(an_entry("asthma")), tmp_path)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

        with pytest.raises(InvalidCatalogueError):
            instance.write(a_catalogue(an_entry("migraine")), tmp_path)

        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
