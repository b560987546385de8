"""Publish a catalogue: check files, serve them, go back to an earlier one, write them back."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from evref.domain.access.principal import Principal, Right, authorise
from evref.domain.audit import Action, Subject, SubjectKind, record
from evref.domain.catalogue.catalogue import Catalogue, CatalogueChanges
from evref.domain.errors import (
    CatalogueReplacedError,
    DiagnosesRemovedError,
    NoCatalogueError,
    StorageUnavailableError,
    UnknownVersionError,
)
from evref.ports.catalogue import CatalogueStore, Publication
from evref.ports.catalogue_files import CatalogueFiles, Progress
from evref.ports.clock import Clock


@dataclass(frozen=True, slots=True)
class Plan:
    """A catalogue that may be published instead of the one that is served now.

    `replaces` is the version of that one, None where none is served; `changes` is what would
    change against it. Where the served one is damaged, all would be new.
    """

    catalogue: Catalogue
    replaces: str | None
    changes: CatalogueChanges
    is_needed: bool
    """Whether it would change anything: it is not the one that is served already."""


class PublishCatalogue:
    """Takes the catalogue from files to storage and back.

    Each method raises `NotAllowedError` when the principal has no right to publish.
    """

    def __init__(
        self, store: CatalogueStore, files: CatalogueFiles, clock: Clock, bundled: Path
    ) -> None:
        self._store = store
        self._files = files
        self._clock = clock
        self._bundled = bundled

    def check(self, principal: Principal, paths: Iterable[Path], progress: Progress) -> Catalogue:
        """The catalogue in these files and folders; changes nothing.

        Raises:
            InvalidCatalogueError: with every fault.

        """
        authorise(principal, Right.PUBLISH_CATALOGUE)
        return self._files.read(paths, progress)

    def not_read(self, principal: Principal, paths: Iterable[Path]) -> tuple[str, ...]:
        """The names of what is in these folders and is not read as a catalogue file."""
        authorise(principal, Right.PUBLISH_CATALOGUE)
        return self._files.not_read(paths)

    def plan_load(self, principal: Principal, path: Path, progress: Progress) -> Plan:
        """What it would change to serve the catalogue in this file or folder; changes nothing.

        Raises:
            InvalidCatalogueError: with every fault.

        """
        authorise(principal, Right.PUBLISH_CATALOGUE)
        return self._plan(self._files.read([path], progress))

    def plan_rollback(self, principal: Principal, version: str | None = None) -> Plan:
        """What it would change to serve this earlier version again; changes nothing.

        By default it is the version that was served before the present one.

        Raises:
            NoCatalogueError: when none is served.
            UnknownVersionError: when the version is not kept, or there is none before.

        """
        served, *earlier = [publication.version for publication in self.history(principal)]
        wanted = version or next((each for each in earlier if each != served), None)
        catalogue = None if wanted is None else self._store.load_version(wanted)
        if catalogue is None:
            raise UnknownVersionError(wanted, tuple(dict.fromkeys([served, *earlier])))
        return self._plan(catalogue)

    def publish(
        self, principal: Principal, plan: Plan, *, by: str, allow_removals: bool = False
    ) -> None:
        """Serve the catalogue of the plan from now on; nothing happens where it is served already.

        `by` is who the history names.

        Raises:
            DiagnosesRemovedError: when served diagnoses would be removed without permission.
            CatalogueReplacedError: when another was published since the plan was made.

        """
        authorise(principal, Right.PUBLISH_CATALOGUE)
        if plan.changes.removed and not allow_removals:
            raise DiagnosesRemovedError(plan.changes.removed)
        if plan.is_needed:
            self._publish(principal, plan, by=by, is_bundled=False)

    def publish_bundled(self, principal: Principal, progress: Progress, *, by: str) -> Plan | None:
        """Serve the bundled catalogue where none is served, or an older bundled one.

        None where the operator has published another, where this one is served already, and
        where somebody else publishes at this moment.
        """
        authorise(principal, Right.PUBLISH_CATALOGUE)
        # Looked at first, because reading the files takes longer than all else.
        history = self._store.history()
        if history and not history[0].is_bundled:
            return None
        plan = self._plan(self._files.read([self._bundled], progress))
        if not plan.is_needed:
            return None
        if plan.replaces != (history[0].version if history else None):
            return None
        with suppress(CatalogueReplacedError):
            self._publish(principal, plan, by=by, is_bundled=True)
            return plan
        return None

    def export(self, principal: Principal, folder: Path) -> Catalogue:
        """Write the served catalogue into a folder, and return it.

        Raises:
            NoCatalogueError: when none is served.
            InvalidCatalogueError: when the folder cannot take it.

        """
        authorise(principal, Right.PUBLISH_CATALOGUE)
        catalogue = self._store.load()
        if catalogue is None:
            raise NoCatalogueError
        self._files.write(catalogue, folder)
        return catalogue

    def status(self, principal: Principal) -> tuple[Publication, Catalogue]:
        """What is served, and its publication.

        Raises:
            NoCatalogueError: when none is.

        """
        publication = self.history(principal)[0]
        catalogue = self._store.load_version(publication.version)
        if catalogue is None:
            raise NoCatalogueError
        return publication, catalogue

    def history(self, principal: Principal) -> tuple[Publication, ...]:
        """The publications that are kept, newest first; the first is the served one.

        Raises:
            NoCatalogueError: when there is none.

        """
        authorise(principal, Right.PUBLISH_CATALOGUE)
        history = self._store.history()
        if not history:
            raise NoCatalogueError
        return history

    def _plan(self, catalogue: Catalogue) -> Plan:
        served = self._store.version()
        earlier = None
        if served is not None:
            # A damaged catalogue must not stand in the way of the one that replaces it; where
            # it is the storage that is out of reach, publishing says so.
            with suppress(StorageUnavailableError):
                earlier = self._store.load_version(served)
        return Plan(
            catalogue,
            served,
            catalogue.changes_since(earlier),
            is_needed=earlier is None or catalogue.version != served,
        )

    def _publish(self, principal: Principal, plan: Plan, *, by: str, is_bundled: bool) -> None:
        now = self._clock.now()
        publication = Publication(
            version=plan.catalogue.version,
            published_at=now,
            published_by=by,
            is_bundled=is_bundled,
            added=len(plan.changes.added),
            changed=len(plan.changes.changed),
            removed=len(plan.changes.removed),
        )
        entry = record(
            principal,
            now,
            Action.CATALOGUE_PUBLISHED,
            f"by {by}: {publication.added} added, {publication.changed} changed, "
            f"{publication.removed} removed; in place of {plan.replaces or 'none'}",
            subject=Subject(SubjectKind.CATALOGUE, publication.version),
        )
        self._store.publish(plan.catalogue, publication, entry, replacing=plan.replaces)
