"""Tests of reading maps of SNOMED CT, with made-up rows in the real format."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import pytest

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.domain.catalogue.record_code import Edition
from evref.domain.catalogue.snomed import SnomedMap
from evref.ports.catalogue import InvalidCatalogueError

HEADER = (
    "id effectiveTime active moduleId refsetId referencedComponentId mapGroup mapPriority "
    "mapRule mapAdvice mapTarget correlationId mapCategoryId"
).replace(" ", "\t")


def row(
    code: str = "101",
    target: str = "M17.9",
    *,
    row_id: str | None = None,
    time: str = "20260701",
    active: str = "1",
    refset: str = "447562003",
    group: str = "1",
    priority: str = "1",
    rule: str = "TRUE",
) -> str:
    row_id = row_id or f"{code}-{group}-{priority}"
    cells = (row_id, time, active, "449080006", refset, code, group, priority, rule, "ALWAYS")
    return "\t".join([*cells, target, "447561005", "447637006"])


def a_file(folder: Path, *lines: str, name: str = "map.txt") -> Path:
    file = folder / name
    file.write_text("\r\n".join(lines) + "\r\n", encoding="utf-8")
    return file


def read(file: Path, refset: str | None = None) -> SnomedMap:
    return YamlCatalogueFiles().read_snomed_map(file, refset).map


def groups(snomed: SnomedMap) -> dict[int, object]:
    return dict(snomed.groups)


def test_an_extended_map_has_groups_of_branches(tmp_path: Path) -> None:
    file = a_file(
        tmp_path,
        HEADER,
        row("101", "M17.9", priority="2", rule="OTHERWISE TRUE"),
        row("101", "M17.0", priority="1", rule="IFA 248152002 | Female (finding) |"),
        row("101", "I10", group="2"),
        row("102", "", rule="TRUE"),
        row("103", "J45", rule="IFA 445518008 | Age at onset | >= 12 years"),
        row("104", active="0"),
        row("105", "S72.001A", refset="6011000124106"),
    )

    snomed = read(file)

    assert snomed.edition is Edition.WHO
    assert groups(snomed) == {
        101: (("M17.0", "M17.9"), ("I10",)),
        102: (("",),),
        103: (("J45", ""),),
    }


def test_the_map_of_the_us_edition_has_codes_of_icd_10_cm(tmp_path: Path) -> None:
    """A question mark stands for the encounter's character, which a request does not have."""
    us = "6011000124106"
    file = a_file(tmp_path, HEADER, row("101", "S83.511?", refset=us), row("102", refset=us))

    snomed = read(file)

    assert snomed.edition is Edition.CM
    assert groups(snomed) == {101: (("S83.511",),), 102: (("M17.9",),)}


def test_in_a_full_file_the_newest_row_of_an_id_counts(tmp_path: Path) -> None:
    file = a_file(
        tmp_path,
        HEADER,
        row("101", "M17.9", time="20260101"),
        row("101", "M17.0", time="20250101"),
        row("102", time="20250101"),
        row("102", time="20260101", active="0"),
    )

    assert groups(read(file)) == {101: (("M17.9",),)}


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
@pytest.mark.parametrize("header", [["SNOMED CT;ICD-10"], []])
def test_a_table_has_two_columns(tmp_path: Path, delimiter: str, header: list[str]) -> None:
    """Several ICD-10 codes of a SNOMED CT code are branches; a header is optional."""
    lines = [*header, '"101";"M1711"', "102; I10 ", "101;M16.1", "", "101;M1711"]
    file = a_file(tmp_path, *(line.replace(";", delimiter) for line in lines))

    snomed = read(file)

    assert snomed.edition is None
    assert groups(snomed) == {101: (("M1711", "M16.1"),), 102: (("I10",),)}


def test_a_file_may_be_compressed_and_have_a_byte_order_mark(tmp_path: Path) -> None:
    plain = a_file(tmp_path, f"\ufeff{HEADER}", row())
    packed = tmp_path / "map.txt.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    assert read(packed) == read(plain)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (row(code="M17"), "referencedComponentId must be a code of SNOMED CT: 1 to 18 digits"),
        (row(target="?"), "mapTarget must be a code of ICD-10, such as M17.9"),
        (row(target="S83.5??"), "mapTarget must be a code of ICD-10, such as M17.9"),
        (row(target="M1"), "mapTarget must be a code of ICD-10, such as M17.9"),
        (row(rule="FALSE"), "mapRule must be TRUE, OTHERWISE TRUE, or begin with IFA"),
        (row(group="one"), "mapGroup must be a whole number"),
        (row(priority=""), "mapPriority must be a whole number"),
        (row(active="yes"), "active must be 0 or 1"),
        (row(time="today"), "effectiveTime must be a date such as 20260701"),
        (row(row_id=" "), "id must not be empty"),
        (row().rpartition("\t")[0], "must have 13 columns, has 12"),
    ],
)
def test_a_row_that_cannot_be_read_is_an_error_with_its_line(
    tmp_path: Path, line: str, message: str
) -> None:
    file = a_file(tmp_path, HEADER, row("1"), line, row("2"))

    with pytest.raises(InvalidCatalogueError) as refused:
        read(file)

    (fault,) = refused.value.faults
    assert (fault.line, fault.message) == (3, message)
    assert str(refused.value) == "1 error in the map."


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "must be an ExtendedMap of RF2 or, without --refset, a table of two columns"),
        (f"{HEADER}\n".encode(), None, "has no active row of a map"),
        (
            HEADER.replace("mapRule", "x").encode(),
            1,
            "must have the columns id, effectiveTime, active",
        ),
        (b"101\n", 1, "must be an ExtendedMap of RF2 or, without --refset, a table of two columns"),
        (b"a;b\n", None, "has no active row of a map"),
        (b"101;M17\n102;\xff\n", 2, "the second column must be a code of ICD-10"),
        (b"101;M17\n102;M17;x\n", 2, "must have 2 columns, has 3"),
        (b"101;M17\nx;M17\n", 2, "the first column must be a code of SNOMED CT"),
        (b"101;M17\n102;M1\n", 2, "the second column must be a code of ICD-10"),
        (b"PK\x03\x04x", None, "cannot be read: File is not a zip file"),
        (b'101;M17\n102;"M17"x\n', 2, "is not a row of a table"),
        (b"x;M17\n101;M17\n", 1, "the first column must be a code of SNOMED CT"),
        (b"101;" + b"M" * 70_000, 1, "the second column must be a code of ICD-10"),
        (gzip.compress(b"101;M17\n", mtime=0)[:-9], None, "cannot be read"),
        (
            "\n".join([HEADER, row(refset="1"), row("2", refset="2")]).encode(),
            None,
            "has the reference sets 1, 2; name one of them with --refset",
        ),
    ],
)
def test_a_file_that_is_not_a_map_is_rejected(
    tmp_path: Path, content: bytes, line: int | None, message: str
) -> None:
    file = tmp_path / "map.txt"
    file.write_bytes(content)

    with pytest.raises(InvalidCatalogueError) as refused:
        read(file)

    (fault,) = refused.value.faults
    assert fault.line == line
    assert fault.message.startswith(message)


def test_a_missing_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(InvalidCatalogueError, match="1 error in the map"):
        read(tmp_path / "missing")


@pytest.mark.parametrize(
    ("lines", "times"), [((b" " * 65_535 + b"\n") * 16, 1025), (b"\n" * 1000, 5000)]
)
def test_a_small_file_cannot_expand_without_limit(tmp_path: Path, lines: bytes, times: int) -> None:
    """Compressed, the file has at most 1 MB. Its lines are blank, so it has no other fault."""
    file = tmp_path / "map.txt.gz"
    file.write_bytes(gzip.compress(HEADER.encode() + b"\n") + gzip.compress(lines) * times)

    with pytest.raises(InvalidCatalogueError) as caught:
        read(file)

    (fault,) = caught.value.faults
    assert fault.message == "must be within 5,000,000 rows and 1 GiB"


UK = "999002271000000101"


def test_the_map_of_the_uk_edition_is_read_as_it_is_delivered(tmp_path: Path) -> None:
    file = a_file(
        tmp_path,
        HEADER.replace("mapCategoryId", "mapBlock"),
        row("101", "M179", refset=UK, rule=""),
        row("102", "I10X", refset=UK, rule=""),
        row("103", "G301D", refset=UK, rule=""),
        row("103", "F001A", refset=UK, rule="", group="2"),
        row("104", "#NC", refset=UK, rule=""),
        row("105", "#HLT", refset=UK, rule=""),
        row("106", "I10X", refset=UK, rule=""),
        row("106", "I110", refset=UK, rule="", priority="2"),
        row("107", "A41", refset="1126441000000105", rule=""),
        row("108", "C15", refset="1126441000000105", rule=""),
    )

    found = YamlCatalogueFiles().read_snomed_map(file, None)

    assert found.map.edition is Edition.WHO
    assert groups(found.map) == {
        101: (("M179",),),
        102: (("I10",),),
        103: (("G301",), ("F001",)),
        104: (("",),),
        105: (("",),),
        106: (("I10", "I110"),),
    }
    assert found.left_out == {"1126441000000105": 2}


def test_a_reference_set_can_be_named(tmp_path: Path) -> None:
    file = a_file(tmp_path, HEADER, row("1", refset="77"), row("2", refset="88"), row("3"))

    assert groups(read(file, "88")) == {2: (("M17.9",),)}
    with pytest.raises(InvalidCatalogueError) as refused:
        read(file, "99")

    (fault,) = refused.value.faults
    assert (
        fault.message == "has the reference sets 447562003, 77, 88; name one of them with --refset"
    )


def test_names_of_columns_may_be_in_any_case(tmp_path: Path) -> None:
    file = a_file(tmp_path, HEADER.upper(), row())

    assert groups(read(file)) == {101: (("M17.9",),)}


def test_an_empty_target_in_a_table_means_none(tmp_path: Path) -> None:
    file = a_file(tmp_path, "101;M17", "102;", "103;M17", "103;")

    assert groups(read(file)) == {101: (("M17",),), 102: (("",),), 103: (("M17", ""),)}


def a_zip(folder: Path, **files: str) -> Path:
    file = folder / "release.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("Snapshot")
        for name, content in files.items():
            archive.writestr(f"Snapshot/{name}.txt", content)
    return file


def test_a_map_is_read_from_the_archive_that_it_came_in(tmp_path: Path) -> None:
    """Of the many files of a release, it is the snapshot of the ExtendedMap."""
    content = f"{HEADER}\n{row()}\n"
    one = a_zip(tmp_path, map=content)
    assert groups(read(one)) == {101: (("M17.9",),)}

    release = a_zip(
        tmp_path, ExtendedMapFull="x", ExtendedMapSnapshot=content, ConceptSnapshot="x", ReadMe="x"
    )
    assert groups(read(release)) == {101: (("M17.9",),)}


def test_an_archive_of_several_maps_says_which_to_name(tmp_path: Path) -> None:
    file = a_zip(tmp_path, ExtendedMapSnapshotUK="x", ExtendedMapSnapshotINT="x")

    with pytest.raises(InvalidCatalogueError) as refused:
        read(file)

    (fault,) = refused.value.faults
    assert fault.message == (
        "has 2 files; unpack it, and name one of them: 'Snapshot/ExtendedMapSnapshotUK.txt', "
        "'Snapshot/ExtendedMapSnapshotINT.txt'"
    )
