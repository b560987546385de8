"""Storage of published catalogues: the current one and earlier ones."""

from abc import ABC, abstractmethod
from datetime import timedelta

from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Publication

CATALOGUES_KEPT = 20
"""The number of publications whose catalogues are stored, including the current one."""

PUBLICATIONS_KEPT = 100
KEPT_FOR = timedelta(days=400)
"""A publication is stored while it is one of the newest `PUBLICATIONS_KEPT` or this recent."""


class PublishedCatalogue(ABC):
    """Reads the current catalogue, which all processes share, and earlier ones."""

    @abstractmethod
    def version(self) -> str | None:
        """Return the version of the current catalogue, or None if there is none. Fast."""

    @abstractmethod
    def publication_id(self) -> str | None:
        """Return an id of the current publication, or None if there is none. Fast.

        Every publication has another one, also if it publishes an earlier catalogue again.
        """

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
        """Return the stored publications, newest first.

        The first is the current one. Empty if there is none. The catalogues of the first
        `CATALOGUES_KEPT` are stored too. With each publication, those that are both older than
        `KEPT_FOR` at its time and beyond the newest `PUBLICATIONS_KEPT` are dropped.
        """

    @abstractmethod
    def load_version(self, version: str) -> Catalogue | None:
        """Return the catalogue of this version, or None if it is not stored.

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
