"""Storage of published catalogues: the current one and earlier ones."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime

from evref.domain.catalogue.catalogue import Catalogue

PUBLICATIONS_KEPT = 20
"""The number of stored publications, including the current one."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication of a catalogue: version, time, publisher, and changes.

    `added`, `changed` and `removed` count diagnoses relative to the previous catalogue.
    `published_by` is the operating system's name of the user, or None if unknown. `is_bundled` is
    whether it is the catalogue of the package, published as such.
    """

    version: str
    published_at: datetime
    published_by: str | None
    is_bundled: bool
    added: int
    changed: int
    removed: int


class PublishedCatalogue(ABC):
    """Reads the current catalogue, which all processes share, and earlier ones."""

    @abstractmethod
    def version(self) -> str | None:
        """Return the version of the current catalogue, or None if there is none. Fast."""

    @abstractmethod
    def load(self) -> Catalogue | None:
        """Return the current catalogue, or None if there is none.

        Runs in a separate thread, in small steps, so that other threads are not blocked. Entries
        that are unchanged from a catalogue that this process still holds may be the same objects.

        Raises:
            StorageUnavailableError: Also if the stored data is damaged.

        """

    @abstractmethod
    def history(self) -> tuple[Publication, ...]:
        """Return the last `PUBLICATIONS_KEPT` publications, newest first.

        The first is the current one. Empty if there is none.
        """

    @abstractmethod
    def load_version(self, version: str) -> Catalogue | None:
        """Return the catalogue of this version, or None if it is not in `history`.

        Raises:
            StorageUnavailableError: Also if the stored data is damaged.

        """


class CatalogueChanges(ABC):
    """Publishes catalogues, as part of a unit of work."""

    @abstractmethod
    def publish(
        self, catalogue: Catalogue, publication: Publication, *, replacing: str | None
    ) -> None:
        """Publish this catalogue.

        Readers see either catalogue, never a mixture, and do not wait. `replacing` is the version
        that the publisher expects to replace, or None. Of concurrent publishers that replace the
        same version, one succeeds. The same catalogue can be published again, which repairs
        damaged data in storage.

        Raises:
            CatalogueReplacedError: If another version is current.

        """
