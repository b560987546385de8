"""Tests of lists of retractions that are malformed, too large or not files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.ports.catalogue import InvalidCatalogueError

HEADER = "OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature,RetractionDate"


@pytest.mark.parametrize("pmid", ["²", "٣", "0", "9" * 5000, "unavailable"])
def test_an_invalid_pubmed_id_is_read_as_none(pmid: str, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text(f"{HEADER}\n10.1000/a,{pmid},Retraction,9/30/2021 0:00\n", encoding="utf-8")

    (notice,) = YamlCatalogueFiles().read_retractions(file)

    assert notice.pmid is None


def test_a_list_that_is_not_a_file_is_rejected_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InvalidCatalogueError) as refused:
            YamlCatalogueFiles().read_retractions(path)
        assert [fault.message for fault in refused.value.faults] == [
            "is neither a file nor a folder"
        ]


def test_a_list_that_is_too_large_is_rejected_without_being_read(tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text(f"{HEADER}\n")
    os.truncate(file, 256 * 1024 * 1024)
    # The csv module rejects the null bytes, which shows that the file was read.
    with pytest.raises(InvalidCatalogueError, match="1 error in the list") as read:
        YamlCatalogueFiles().read_retractions(file)
    os.truncate(file, 256 * 1024 * 1024 + 1)

    with pytest.raises(InvalidCatalogueError) as refused:
        YamlCatalogueFiles().read_retractions(file)

    assert "is not CSV" in read.value.faults[0].message
    assert refused.value.faults[0].message == "must have at most 268,435,456 bytes (256 MiB)"
