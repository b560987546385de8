"""From the paths that a person names to the text of each file, without ever hanging on one."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evref.adapters.outbound.yaml.faults import Faults, shown

LARGEST_FILE = 1024 * 1024
"""In bytes."""

_SUFFIXES = (".yaml", ".yml")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read; with faults already where the path leads to none."""

    path: Path
    faults: Faults


def sources(paths: Iterable[Path]) -> list[Source]:
    """The files that the paths name, in the order named, those of a folder by name.

    A folder stands for its own `*.yaml` and `*.yml` files but the hidden ones.
    """
    found = list(_each_source(paths))
    if not found:
        found.append(_refused(Path(), "no catalogue file is named"))
    _refuse_repeated(found)
    return found


def catalogue_file_names(folder: Path) -> list[str]:
    """The names of the folder's catalogue files, sorted.

    Raises:
        OSError: when the folder cannot be read.

    """
    return sorted(
        name
        for name in os.listdir(folder)  # noqa: PTH208  # Path.iterdir costs a Path for each
        if name.endswith(_SUFFIXES) and not name.startswith(".")
    )


def reason(error: OSError | ValueError) -> str:
    """Why the system refused, in its own words, without the path that the fault names anyway."""
    return getattr(error, "strerror", None) or str(error)


def text_of(source: Source) -> str | None:
    """The text of the file without its byte order mark; None, with a fault, where it has none."""
    try:
        data = _bytes_of(source)
    except (OSError, ValueError) as error:
        source.faults.add(None, f"cannot be read: {reason(error)}")
        return None
    if data is None:
        return None
    data = data.removeprefix(_BYTE_ORDER_MARK)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        source.faults.add(line, f"must be UTF-8, has the byte 0x{data[error.start]:02X}")
        return None


def _each_source(paths: Iterable[Path]) -> Iterator[Source]:
    for path in paths:
        try:
            if stat.S_ISDIR(path.stat().st_mode):
                yield from _in_folder(path)
            else:
                yield Source(path, Faults(shown_path(path)))
        except FileNotFoundError:
            yield _refused(path, "does not exist")
        except (OSError, ValueError) as error:
            yield _refused(path, f"cannot be read: {reason(error)}")


def _in_folder(folder: Path) -> Iterator[Source]:
    names = catalogue_file_names(folder)
    if not names:
        yield _refused(folder, "is a folder without catalogue files (*.yaml, *.yml)")
    inside = os.path.join(os.path.realpath(folder), "")  # noqa: PTH118  # "" ends it with a slash
    for name in names:
        source = Source(folder / name, Faults(shown_path(folder / name)))
        if source.path.is_symlink() and not os.path.realpath(source.path).startswith(inside):
            source.faults.add(None, "is a symbolic link that leads out of its folder")
        yield source


def _refuse_repeated(found: list[Source]) -> None:
    first: dict[tuple[int, int], Source] = {}
    for source in found:
        if source.faults:
            continue
        try:
            status = source.path.stat()
        except OSError:
            continue  # which reading it will tell
        earlier = first.setdefault((status.st_dev, status.st_ino), source)
        if earlier is not source:
            source.faults.add(None, f"is the same file as {earlier.faults.file}, named twice")


def _bytes_of(source: Source) -> bytes | None:
    with open(source.path, "rb", opener=_open_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            source.faults.add(None, "is neither a file nor a folder")
            return None
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        source.faults.add(None, f"must have at most {LARGEST_FILE} bytes (1 MiB)")
        return None
    return data


def _open_without_waiting(path: str, flags: int) -> int:
    # Opening a pipe would else wait for someone to write into it.
    return os.open(path, flags | os.O_NONBLOCK)


def _refused(path: Path, message: str) -> Source:
    source = Source(path, Faults(shown_path(path)))
    source.faults.add(None, message)
    return source


def shown_path(path: Path) -> str:
    """The path as given, with what a terminal could not show on one line escaped."""
    return shown(str(path), longest=4096)
