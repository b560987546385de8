"""The served data: a catalogue with its search, and the publications up to its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.entry import Entry
from evref.domain.catalogue.publication import Publication, removed_on
from evref.domain.catalogue.record_code import Classification, RecordCode
from evref.domain.catalogue.search.index import SearchIndex
from evref.domain.catalogue.snomed import NO_MAP, SnomedMap
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE
from evref.domain.errors import RemovedDiagnosisError, UnknownDiagnosisError


@dataclass(frozen=True, eq=False)
class Served:
    """A published catalogue, its search, and the publications up to its own, newest first.

    `id` differs for each publication, also for those of the same catalogue, and for each map of
    SNOMED CT. `snomed` is None if the operator has loaded none.
    """

    catalogue: Catalogue
    search: SearchIndex
    publications: tuple[Publication, ...]
    id: str
    snomed: SnomedMap | None = None

    def read(self, codes: Iterable[RecordCode]) -> tuple[RecordCode, ...]:
        """Return the codes, those of SNOMED CT with their targets in ICD-10."""
        return tuple(
            self._of_snomed(code) if code.classification is Classification.SNOMED_CT else code
            for code in codes
        )

    def _of_snomed(self, code: RecordCode) -> RecordCode:
        if self.snomed is None:
            return replace(code, read_as=None, error=NO_MAP)
        return self.snomed.read(code)

    def entry(self, diagnosis_id: str) -> Entry:
        """Return the entry of this diagnosis.

        Raises:
            RemovedDiagnosisError: If it was removed, as far as the stored publications say.
            UnknownDiagnosisError: If there is none.

        """
        try:
            return self.catalogue.entry(diagnosis_id)
        except UnknownDiagnosisError:
            day = removed_on(diagnosis_id, self.publications)
            if day is None:
                raise
            raise RemovedDiagnosisError(diagnosis_id, day) from None

    def licence(self, of_others: str | None) -> str | None:
        """Return the address of the licence: CC BY 4.0 if it was published as the bundled
        catalogue, else that of the operator's own, `of_others`.
        """
        is_bundled = any(
            publication.is_bundled
            for publication in self.publications
            if publication.version == self.catalogue.version
        )
        return BUNDLED_LICENCE if is_bundled else of_others

    def changed_at(self, diagnosis_id: str) -> datetime | None:
        """Return the time of the publication that last changed the version of a diagnosis.

        If none of the stored publications did, return the time of the oldest; None if none is
        stored.
        """
        if not self.publications:
            return None
        oldest = self.publications[-1].published_at
        return self._changed_at.get(diagnosis_id, oldest)

    @cached_property
    def _changed_at(self) -> dict[str, datetime]:
        return {
            diagnosis_id: publication.published_at
            for publication in reversed(self.publications)
            if (comparison := publication.comparison) is not None
            for diagnosis_id in (
                *comparison.added,
                *(change.diagnosis_id for change in comparison.changed),
            )
        }
