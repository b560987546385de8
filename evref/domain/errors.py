"""The errors of the core. They are independent of HTTP, SQL and the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date


class EvrefError(Exception):
    """The base class of all errors of the core. `text` may be shown to users."""

    text = ""

    def __str__(self) -> str:
        return super().__str__() or self.text


@dataclass(frozen=True, slots=True)
class Fault:
    """An error in a value: the field, and what the field allows.

    `path` locates the record that has the field, if it is part of a document. `item` is the index
    of the item that has the error, if the field is a list; None if it is the whole list.
    """

    field: str
    message: str
    path: tuple[str | int, ...] = ()
    item: int | None = None

    def __str__(self) -> str:
        return f"{'.'.join(map(str, (*self.path, self.field)))}: {self.message}"


class InvalidValueError(EvrefError, ValueError):
    """Indicates that a value breaks a rule of the domain; `faults` contains every error.

    >>> InvalidValueError([Fault("daily_limit", "must be a whole number from 0 to 10,000,000")])
    InvalidValueError('daily_limit: must be a whole number from 0 to 10,000,000')
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(map(str, self.faults)))


class InvalidApiKeyError(EvrefError):
    """Indicates a key that is malformed, unknown, revoked or expired; never says which."""

    text = "The key is mistyped, unknown, revoked or expired."


class InsufficientPermissionError(EvrefError):
    text = "Reading the catalogue requires the permission “read”."


class _UnknownIdError(EvrefError):
    def __init__(self, name: str, removed_on: date | None = None) -> None:
        self.removed_on = removed_on
        super().__init__(
            f"“{name}” was removed from the catalogue on {removed_on.isoformat()}."
            if removed_on
            else f"The id “{name}” is not in the catalogue."
        )


class UnknownDiagnosisError(_UnknownIdError):
    """Indicates that the served catalogue has no diagnosis with this id."""


class RemovedDiagnosisError(UnknownDiagnosisError):
    """Indicates a diagnosis that an earlier catalogue had. `removed_on` is the UTC day."""


class UnknownInterventionError(_UnknownIdError):
    """Indicates that the served catalogue has no visible intervention with this id."""


class RemovedInterventionError(UnknownInterventionError):
    """Indicates an intervention that an earlier catalogue had. `removed_on` is the UTC day."""


class NoCatalogueError(EvrefError):
    text = "No catalogue has been published."


class NoCodesError(EvrefError):
    text = "No map of SNOMED CT is loaded."


class CatalogueReplacedError(EvrefError):
    text = "Another catalogue was published in the meantime. Nothing was changed."


class RemovalsError(EvrefError):
    """Indicates that a catalogue would remove what is published, such as “2 diagnoses”."""

    def __init__(self, removed: str) -> None:
        super().__init__(f"{removed} would be removed. Nothing was changed.")


class UnknownVersionError(EvrefError):
    """Indicates a version of the catalogue that is not among those `kept`, newest first."""

    def __init__(self, version: str | None, kept: Sequence[str]) -> None:
        self.kept = tuple(kept)
        missing = "No earlier version" if version is None else f"No version {version!r}"
        super().__init__(f"{missing} of the catalogue is stored. Stored: {', '.join(self.kept)}.")


class StorageUnavailableError(EvrefError):
    """Indicates that storage did not respond in time, or failed.

    `reason` is for the operator's log, because it may name files or machines.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__("Storage cannot be reached.")


class StorageNotReadyError(EvrefError):
    """Indicates storage that must be created, migrated or replaced before use."""


class NotFoundError(EvrefError):
    """Indicates that no institution, member, invitation or key has this name, e-mail or id."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"There is no {kind} {name!r}.")


class NotAllowedError(EvrefError):
    text = "You are not allowed to do this."


class AlreadyExistsError(EvrefError):
    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"The {kind} {name!r} already exists.")


class OutdatedError(EvrefError):
    text = "Somebody else has changed this since you opened the page."


class LastAdminError(EvrefError):
    text = "An institution must have at least one admin. Nothing was changed."


class KeyRevokedError(EvrefError):
    def __init__(self, key_id: str) -> None:
        super().__init__(f"API key {key_id!r} is revoked. A revoked key cannot be changed.")


class KeyAlreadyRotatedError(EvrefError):
    def __init__(self, key_id: str) -> None:
        super().__init__(f"API key {key_id!r} has already been rotated.")


class WrongCredentialsError(EvrefError):
    """Indicates a wrong e-mail address or password; does not say which."""

    text = "The e-mail address or the password is incorrect. Check both and try again."


class TooManyAttemptsError(EvrefError):
    """Indicates an attempt to sign in, which was not checked, before the end of these `seconds`."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        unit = "second" if seconds == 1 else "seconds"
        super().__init__(f"Too many failed attempts. Try again in {seconds} {unit}.")


class BusyError(EvrefError):
    text = "Too many people are signing in at once. Try again in a few seconds."


class NotSignedInError(EvrefError):
    text = "You are not signed in."
