"""Every way in which the core says no. None of them knows of HTTP, SQL or a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


class EvrefError(Exception):
    """The base of all errors that the core raises; its text is fit to be shown."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a value: the field that holds it, and what is allowed there.

    `path` leads to the record that has the field, where that is a part of a document.
    """

    field: str
    message: str
    path: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        return f"{'.'.join(map(str, (*self.path, self.field)))}: {self.message}"


class InvalidValueError(EvrefError, ValueError):
    """Indicates that a value breaks a rule of the domain; holds every fault found.

    >>> InvalidValueError([Fault("daily_limit", "must be a whole number from 0 to 10000000")])
    InvalidValueError('daily_limit: must be a whole number from 0 to 10000000')
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(map(str, self.faults)))


def within(error: InvalidValueError, *path: str | int) -> InvalidValueError:
    """The error of a part, as one of the whole in which it lies at this path."""
    return InvalidValueError([replace(fault, path=(*path, *fault.path)) for fault in error.faults])


class InvalidApiKeyError(EvrefError):
    """Indicates a key that is malformed, unknown, revoked or expired; never says which."""

    def __init__(self) -> None:
        super().__init__("No live key matches: it is mistyped, unknown, revoked or expired.")


class InsufficientPermissionError(EvrefError):
    """Indicates a key whose permission level is below the one asked for."""

    def __init__(self) -> None:
        super().__init__("Reading the catalogue needs the level “read”.")


class UnknownDiagnosisError(EvrefError):
    """Indicates that the served catalogue has no diagnosis with this id."""

    def __init__(self, diagnosis_id: str) -> None:
        self.diagnosis_id = diagnosis_id
        super().__init__("The list of diagnoses has every id that the served catalogue knows.")


class NoCatalogueError(EvrefError):
    """Indicates that no catalogue has been published yet."""

    def __init__(self) -> None:
        super().__init__("No catalogue is published yet.")


class CatalogueReplacedError(EvrefError):
    """Indicates that another catalogue was published since the one to be replaced was read."""

    def __init__(self) -> None:
        super().__init__("Another catalogue was published meanwhile; nothing was changed.")


class DiagnosesRemovedError(EvrefError):
    """Indicates a catalogue without diagnoses that are served, whose removal was not allowed.

    `removed` has their ids, sorted.
    """

    def __init__(self, removed: Sequence[str]) -> None:
        self.removed = tuple(removed)
        super().__init__(
            f"{len(self.removed)} of the served diagnoses would be removed; nothing was changed."
        )


class UnknownVersionError(EvrefError):
    """Indicates a version of the catalogue that is not kept; holds those that are, newest first."""

    def __init__(self, version: str | None, kept: Sequence[str]) -> None:
        self.version = version
        self.kept = tuple(kept)
        missing = "No earlier version" if version is None else f"No version {version!r}"
        super().__init__(f"{missing} of the catalogue is kept; there is {', '.join(self.kept)}.")


class StorageUnavailableError(EvrefError):
    """Indicates that storage did not answer, or would not do what it was asked, in time.

    `reason` is for the operator's log and may name files or hosts; `str()` never does.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__("Storage is out of reach.")


class StorageNotReadyError(EvrefError):
    """Indicates storage that must be created, migrated or replaced before it can serve."""


class NotFoundError(EvrefError):
    """Indicates that no institution, member or key answers to this name, e-mail or id."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name
        super().__init__(f"There is no {kind} {name!r}.")


class NotAllowedError(EvrefError):
    """Indicates somebody who asks for what they have no right to."""

    def __init__(self) -> None:
        super().__init__("You are not allowed to do this.")


class AlreadyExistsError(EvrefError):
    """Indicates that the name or e-mail address is taken."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name
        super().__init__(f"The {kind} {name!r} exists already.")


class KeyRevokedError(EvrefError):
    """Indicates a change asked of a key that is revoked, which is final."""

    def __init__(self, key_id: str) -> None:
        self.key_id = key_id
        super().__init__(f"API key {key_id!r} is revoked; a revoked key cannot be changed.")


class WrongCredentialsError(EvrefError):
    """Indicates an e-mail and password that do not belong together; never says which is wrong."""

    def __init__(self) -> None:
        super().__init__("The e-mail address or the password is wrong.")


class TooManyAttemptsError(EvrefError):
    """Indicates an attempt to sign in that comes too soon after failed ones; it was not looked at.

    `seconds` is how long to wait, at least 1.
    """

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        unit = "second" if seconds == 1 else "seconds"
        super().__init__(f"There were too many failed attempts. Try again in {seconds} {unit}.")


class BusyError(EvrefError):
    """Indicates that as many passwords are being hashed as memory allows; this one was not."""

    def __init__(self) -> None:
        super().__init__("Too many people are signing in at once. Try again in a few seconds.")


class NotSignedInError(EvrefError):
    """Indicates a session that never was, or has ended."""

    def __init__(self) -> None:
        super().__init__("You are not signed in.")


@dataclass(frozen=True, slots=True)
class FileFault:
    """One thing wrong in a catalogue file; `line` counts from 1, None where no line fits."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}"


class InvalidCatalogueError(EvrefError):
    """Indicates catalogue files with faults; holds every one, by file and line."""

    def __init__(self, faults: Sequence[FileFault]) -> None:
        self.faults = tuple(faults)
        count = len(self.faults)
        super().__init__(f"{count} fault{'' if count == 1 else 's'} in the catalogue files.")
