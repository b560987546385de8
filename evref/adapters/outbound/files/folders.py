"""Reads the text of the files at given paths, without blocking on pipes or devices."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from evref.adapters.outbound.files.nodes import FileError, shown
from evref.ports.catalogue import FileFault

LARGEST_FILE = 1024 * 1024
"""In bytes."""

_SUFFIXES = (".yaml", ".yml")


class Folders:
    """The files to read at some paths, the skipped files, and the faults.

    A folder contributes the catalogue files in it and in its subfolders, sorted by name. Hidden
    files (the name begins with a dot), files with other suffixes and links to folders are skipped.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self.files: list[Path] = []
        self.not_read: list[str] = []
        self.faults: list[FileFault] = []
        for path in paths:
            self._add(path)
        if not self.files and not self.faults:
            self._refuse(Path(), "no catalogue file is named")

    def _add(self, path: Path) -> None:
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except FileNotFoundError:
            self._refuse(path, "does not exist")
        except (OSError, ValueError) as error:
            self._refuse(path, f"cannot be read: {reason(error)}")
        else:
            if not is_folder:
                self.files.append(path)
            elif not self._add_folder(path):
                self._refuse(path, "is a folder without catalogue files (*.yaml, *.yml)")

    def _add_folder(self, folder: Path) -> bool:
        """Add the files in the folder; return whether there was any file to read or to refuse."""
        before = len(self.files) + len(self.faults)
        root = os.path.realpath(folder)
        for parent, folders, files in os.walk(folder, onerror=self._refuse_folder):
            skipped = [
                name for name in folders if name.startswith(".") or Path(parent, name).is_symlink()
            ]
            for name in sorted(files):
                path = Path(parent, name)
                if name.startswith(".") or not name.lower().endswith(_SUFFIXES):
                    skipped.append(name)
                elif path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(root):
                    self._refuse(path, "is a symbolic link that leads out of its folder")
                else:
                    self.files.append(path)
            self.not_read += [shown_path(Path(parent, name)) for name in sorted(skipped)]
            folders[:] = sorted({*folders}.difference(skipped))
        return len(self.files) + len(self.faults) > before

    def _refuse_folder(self, error: OSError) -> None:
        self._refuse(Path(error.filename), f"cannot be read: {reason(error)}")

    def _refuse(self, path: Path, message: str) -> None:
        self.faults.append(FileFault(shown_path(path), None, message))


def text_of(path: Path) -> str:
    """Return the text of a file without its byte order mark."""
    try:
        with opened(path) as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        raise FileError(None, f"cannot be read: {reason(error)}") from error
    if len(data) > LARGEST_FILE:
        raise FileError(None, f"must have at most {LARGEST_FILE} bytes (1 MiB)")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        message = f"must be UTF-8, has the byte 0x{error.object[error.start]:02X}"
        raise FileError(line, message) from None


def opened(path: Path) -> BinaryIO:
    """Open a file, without waiting for a pipe or reading from a device."""
    # Opening a pipe would block until another process writes to it.
    if not stat.S_ISREG(path.stat().st_mode):
        raise FileError(None, "is neither a file nor a folder")
    return path.open("rb")


def reason(error: OSError | ValueError) -> str:
    """Return the message of the system, without the path, which the error already names."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    # Each version of Python has its own message for this.
    return "its path has a null byte or cannot be encoded"


def shown_path(path: Path) -> str:
    """Return the path as given, with unprintable characters escaped."""
    return shown(str(path), longest=4096)
