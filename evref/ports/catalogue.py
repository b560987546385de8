"""Where the served catalogue is kept."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime

from evref.domain.catalogue.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Publication:
    """A catalogue, and since when it is the served one (UTC)."""

    catalogue: Catalogue
    published_at: datetime


class CatalogueStore(ABC):
    """Keeps exactly one published catalogue, shared by all who serve it."""

    @abstractmethod
    def version(self) -> str | None:
        """The version of the published catalogue; None where none was ever published. Cheap."""

    @abstractmethod
    def load(self) -> Publication | None:
        """The published catalogue, whole; None where none was ever published."""

    @abstractmethod
    def publish(self, publication: Publication) -> None:
        """Replace the published catalogue by this one, whole or not at all.

        Readers see the one or the other, never a mixture, also while several publish at once.
        """

    @abstractmethod
    def publish_first(self, publication: Publication) -> bool:
        """Publish this one where none was ever published; whether that was so.

        Of several who publish a first one at once, one does.
        """
