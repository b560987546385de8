"""Tests of which files a path stands for, and of paths that are rejected."""

import os
import subprocess
import sys
from pathlib import Path

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.ports.catalogue import FileFault
from tests.adapters.files.support import KNEE, faults_in, faults_in_text, read

HIP = KNEE.replace("knee-", "hip-")
LARGEST = 1024 * 1024


def ids(*paths: Path) -> list[str]:
    return [entry.diagnosis.id for entry in read(*paths).entries]


def test_a_folder_stands_for_the_catalogue_files_in_it_and_below(tmp_path: Path) -> None:
    for name, text in {
        "hip.yml": HIP,
        "sub/deep/ankle.YAML": KNEE.replace("knee-", "ankle-"),
        "sub/wrist.Yml": KNEE.replace("knee-", "wrist-"),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    assert ids(tmp_path) == ["ankle-osteoarthritis", "hip-osteoarthritis", "wrist-osteoarthritis"]


def test_paths_in_a_folder_that_are_not_read_are_listed(tmp_path: Path) -> None:
    for name in ("knee.yaml", "README.md", ".hidden.yaml", ".git/config", "sub/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(KNEE)
    (tmp_path / "link.yaml").symlink_to("sub")

    assert ids(tmp_path) == ["knee-osteoarthritis"]
    assert YamlCatalogueFiles().not_read([tmp_path, tmp_path / "README.md"]) == tuple(
        str(tmp_path / name)
        for name in (".git", ".hidden.yaml", "README.md", "link.yaml", "sub/notes.txt")
    )


def test_files_and_folders_may_be_mixed(tmp_path: Path) -> None:
    """A file that is given directly may have any name and may be a link."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "hip.yaml").write_text(HIP)
    (tmp_path / "knee.txt").write_text(KNEE)
    (tmp_path / "link").symlink_to(tmp_path / "knee.txt")

    assert ids(tmp_path / "link", tmp_path / "folder") == [
        "hip-osteoarthritis",
        "knee-osteoarthritis",
    ]


def test_faults_are_reported_in_reading_order(tmp_path: Path) -> None:
    folder = tmp_path / "a-folder"
    folder.mkdir()
    (folder / "2.yaml").write_text(KNEE.replace("name: Knee", "nme: Knee"))
    (folder / "1.yaml").write_text(HIP.replace("certainty: moderate", "certainty: some"))
    (tmp_path / "z.yaml").write_text("[]")

    faults = faults_in(tmp_path / "z.yaml", tmp_path / "missing.yaml", folder)

    assert [
        (str(tmp_path / "missing.yaml"), None),
        (str(tmp_path / "z.yaml"), 1),
        (str(folder / "1.yaml"), 23),
        (str(folder / "2.yaml"), 1),
        (str(folder / "2.yaml"), 2),
    ] == [(fault.file, fault.line) for fault in faults]


def test_an_empty_folder_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# About")

    assert faults_in(tmp_path) == (
        FileFault(str(tmp_path), None, "is a folder without catalogue files (*.yaml, *.yml)"),
    )


def test_a_path_that_is_missing_or_that_the_system_refuses_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "knee.yaml").write_text(KNEE)
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    paths = [
        tmp_path / "knee.yaml" / "below",
        tmp_path / ("x" * 300),
        tmp_path / "nul\0.yaml",
        tmp_path / "loop.yaml",
        tmp_path / "no-such-folder" / "x.yaml",
    ]

    assert [fault.message for fault in faults_in(*paths)] == [
        "cannot be read: Not a directory",
        "cannot be read: File name too long",
        "cannot be read: its path has a null byte or cannot be encoded",
        "cannot be read: Too many levels of symbolic links",
        "does not exist",
    ]


def test_a_file_named_twice_is_a_fault(tmp_path: Path) -> None:
    """A link to the same file counts too: the ids are not unique."""
    path = tmp_path / "knee.yaml"
    path.write_text(KNEE)
    (tmp_path / "same.yaml").symlink_to("knee.yaml")

    message = f'id: must be unique, "knee-osteoarthritis" is also the id in {path}:1'

    faults = faults_in(path, tmp_path)

    assert FileFault(str(path), 1, message) in faults
    assert FileFault(str(tmp_path / "same.yaml"), 1, message) in faults


def test_a_pipe_is_rejected_without_waiting(tmp_path: Path) -> None:
    """Reading from a pipe would wait for a writer for ever."""
    os.mkfifo(tmp_path / "pipe.yaml")

    expected = (FileFault(str(tmp_path / "pipe.yaml"), None, "is neither a file nor a folder"),)
    assert expected == faults_in(tmp_path / "pipe.yaml")
    assert expected == faults_in(tmp_path)


def test_a_link_out_of_its_folder_is_rejected(tmp_path: Path) -> None:
    """A folder from somebody else must not make the service read other files."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").write_text("password")
    (folder / "link.yaml").symlink_to("../secret")

    message = "is a symbolic link that leads out of its folder"
    assert faults_in(folder) == (FileFault(str(folder / "link.yaml"), None, message),)


def test_a_link_within_its_folder_is_read(tmp_path: Path) -> None:
    """In a mounted Kubernetes volume, each name is a link to the current version."""
    (tmp_path / "..data").mkdir()
    (tmp_path / "..data" / "knee.yaml").write_text(KNEE)
    (tmp_path / "knee.yaml").symlink_to("..data/knee.yaml")

    assert ids(tmp_path) == ["knee-osteoarthritis"]


def test_a_file_may_have_one_mebibyte_and_no_more(tmp_path: Path) -> None:
    """The limit counts bytes, not characters."""
    largest = KNEE.encode() + b"# \xc3\xa9\n" + b"#" * LARGEST
    (tmp_path / "knee.yaml").write_bytes(largest[:LARGEST])

    assert ids(tmp_path) == ["knee-osteoarthritis"]
    assert faults_in_text(tmp_path, largest[: LARGEST + 1]) == [
        (None, "must have at most 1048576 bytes (1 MiB)")
    ]


def test_bytes_that_are_not_utf_8_are_reported_with_their_line(tmp_path: Path) -> None:
    """Latin-1 and UTF-16 are the most common wrong encodings."""
    assert faults_in_text(tmp_path, "id: a\nname: Ménière".encode("latin-1")) == [
        (2, "must be UTF-8, has the byte 0xE9")
    ]
    assert faults_in_text(tmp_path, KNEE.encode("utf-16")) == [
        (1, "must be UTF-8, has the byte 0xFF")
    ]


def test_hostile_files_take_little_memory(tmp_path: Path) -> None:
    """The reader and the interpreter together need at most 512 MiB of address space."""
    with (tmp_path / "huge.yaml").open("wb") as huge:
        huge.truncate(2**40)
    (tmp_path / "nodes.yaml").write_text(("a: [" + "[]," * LARGEST)[: LARGEST - 1] + "]")
    (tmp_path / "bomb.yaml").write_text("a: &a [x]\nb: [" + "*a," * 200_000 + "]")
    (tmp_path / "deep.yaml").write_text("[" * LARGEST)
    (tmp_path / "many.yaml").write_text("interventions: [" + "[]," * 49_000 + "]")
    script = (
        "import resource, sys; from pathlib import Path\n"
        "from evref.adapters.outbound.files import YamlCatalogueFiles\n"
        "from evref.ports.catalogue import InvalidCatalogueError\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**29, 2**29))\n"
        "try: YamlCatalogueFiles().read([Path(sys.argv[1])])\n"
        "except InvalidCatalogueError as error: print(*error.faults, sep='\\n')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )

    assert "huge.yaml: must have at most 1048576 bytes (1 MiB)" in done.stdout
    assert "deep.yaml:1: must not be nested deeper than 20 levels" in done.stdout
    assert "bomb.yaml:1: anchors (&), aliases (*) and tags (!)" in done.stdout
    assert "nodes.yaml:1: " in done.stdout
    assert "many.yaml:1: " in done.stdout
