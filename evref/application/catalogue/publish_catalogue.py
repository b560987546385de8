"""Publish a catalogue: check files, publish them, roll back to an earlier version, export."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evref.domain.audit import Action, Subject, SubjectKind
from evref.domain.catalogue.advice import warnings
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Comparison, Publication
from evref.domain.errors import (
    CatalogueReplacedError,
    NoCatalogueError,
    RemovalsError,
    StorageUnavailableError,
    UnknownVersionError,
)
from evref.domain.principal import Principal, Right, authorise
from evref.ports.catalogue import CATALOGUES_KEPT, CatalogueFiles
from evref.ports.storage import Storage
from evref.ports.system import Clock


@dataclass(frozen=True, slots=True)
class Plan:
    """A catalogue to publish in place of the served one.

    `replaces` is the served version, None if none is served; `changes` are the differences from
    it. If the served catalogue is damaged, all diagnoses count as new. `is_needed` is whether
    publication would change anything; False if the catalogue is already served. `is_bundled` is
    whether it is published as the catalogue of the package.
    """

    catalogue: Catalogue
    replaces: str | None
    changes: Comparison
    is_needed: bool
    is_bundled: bool


@dataclass(eq=False)
class PublishCatalogue:
    """Loads the catalogue from files into storage, and exports it to files."""

    storage: Storage
    files: CatalogueFiles
    clock: Clock
    bundled: Path

    def check(self, principal: Principal, paths: Iterable[Path]) -> Catalogue:
        authorise(principal, Right.OPERATE)
        return self.files.read(paths)

    def warnings(
        self, principal: Principal, catalogue: Catalogue, paths: Iterable[Path]
    ) -> tuple[str, ...]:
        """Return a line for each warning about a catalogue that was read from these paths, without
        symbolic links.

        Warnings that the bundled catalogue also causes are left out, unless a path is within it.
        """
        authorise(principal, Right.OPERATE)
        lines = tuple(warnings(catalogue))
        if not lines or any(path.is_relative_to(self.bundled) for path in paths):
            return lines
        known = set(warnings(self._bundled))
        return tuple(line for line in lines if line not in known)

    def not_read(self, principal: Principal, paths: Iterable[Path]) -> tuple[str, ...]:
        authorise(principal, Right.OPERATE)
        return self.files.not_read(paths)

    def plan_load(self, principal: Principal, path: Path) -> Plan:
        """Plan to publish the catalogue in this file or folder; changes nothing.

        A catalogue with the content of the bundled one is published as the bundled one, whatever
        its path.
        """
        authorise(principal, Right.OPERATE)
        catalogue = self.files.read([path])
        is_bundled = catalogue.version == self._bundled.version
        return self._plan(catalogue, self.storage.catalogue.history(), is_bundled=is_bundled)

    def plan_rollback(self, principal: Principal, version: str | None = None) -> Plan:
        """Plan to publish this earlier version again; changes nothing.

        The default is the version that was served before the current one.
        """
        history = self.history(principal)
        served, *earlier = [publication.version for publication in history]
        if version is None:
            version = next((older for older in earlier if older != served), None)
        catalogue = None if version is None else self.storage.catalogue.load(version)
        if catalogue is None:
            raise UnknownVersionError(version, tuple(dict.fromkeys([served, *earlier])))
        # Otherwise publish_bundled would replace what the operator chose.
        return self._plan(catalogue, history, is_bundled=False)

    def publish(
        self, principal: Principal, plan: Plan, *, by: str, allow_removals: bool = False
    ) -> None:
        """Publish the catalogue of the plan, unless it is already served.

        The history names `by` as the publisher.
        """
        authorise(principal, Right.OPERATE)
        if plan.changes.removals and not allow_removals:
            raise RemovalsError(plan.changes.removals_in_words)
        if plan.is_needed:
            self._publish(principal, plan, by=by)

    def publish_bundled(self, principal: Principal, *, by: str) -> Plan | None:
        """Publish the bundled catalogue if no catalogue or an older bundled one is served.

        Returns None if the operator has published another catalogue, if this one is already
        served, or if another process publishes at the same time.
        """
        authorise(principal, Right.OPERATE)
        # Checked before the files are read, because reading takes the longest.
        history = self.storage.catalogue.history()
        if history and not history[0].is_bundled:
            return None
        plan = self._plan(self.files.read([self.bundled]), history, is_bundled=True)
        if plan.is_needed:
            with suppress(CatalogueReplacedError):
                self._publish(principal, plan, by=by)
                return plan
        return None

    def export(self, principal: Principal, folder: Path) -> Catalogue:
        _, catalogue = self.status(principal)
        self.files.write(catalogue, folder)
        return catalogue

    def status(self, principal: Principal) -> tuple[Publication, Catalogue]:
        publication = self.history(principal)[0]
        catalogue = self.storage.catalogue.load(publication.version)
        if catalogue is None:
            raise NoCatalogueError
        return publication, catalogue

    def history(self, principal: Principal) -> tuple[Publication, ...]:
        """Return the publications whose catalogues are stored, newest first.

        The first is the served one.
        """
        authorise(principal, Right.OPERATE)
        history = self.storage.catalogue.history()
        if not history:
            raise NoCatalogueError
        return history[:CATALOGUES_KEPT]

    @cached_property
    def _bundled(self) -> Catalogue:
        return self.files.read([self.bundled])

    def _plan(
        self, catalogue: Catalogue, history: Sequence[Publication], *, is_bundled: bool
    ) -> Plan:
        served = history[0].version if history else None
        earlier = None
        if served is not None:
            # A damaged catalogue must not prevent its replacement. If the storage is unavailable,
            # the publication reports it.
            with suppress(StorageUnavailableError):
                earlier = self.storage.catalogue.load(served)
        return Plan(
            catalogue,
            served,
            catalogue.compared_with(earlier),
            is_needed=earlier is None or catalogue.version != served,
            is_bundled=is_bundled,
        )

    def _publish(self, principal: Principal, plan: Plan, *, by: str) -> None:
        now = self.clock.now()
        publication = Publication(
            version=plan.catalogue.version,
            published_at=now,
            published_by=by,
            is_bundled=plan.is_bundled,
            added=len(plan.changes.added),
            changed=len(plan.changes.changed),
            removed=len(plan.changes.removed),
            comparison=plan.changes,
        )
        detail = (
            f"by {by}: {publication.added} added, {publication.changed} changed, "
            f"{publication.removed} removed; in place of {plan.replaces or 'none'}"
        )
        subject = Subject(SubjectKind.CATALOGUE, publication.version)
        with self.storage.changes(principal, now) as changes:
            changes.catalogue.publish(plan.catalogue, publication, replacing=plan.replaces)
            changes.record(Action.CATALOGUE_PUBLISHED, detail, subject=subject)
