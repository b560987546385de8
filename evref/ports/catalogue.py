"""Where published catalogues are kept: the one that is served, and those before it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime

from evref.domain.audit import AuditEntry
from evref.domain.catalogue.catalogue import Catalogue

PUBLICATIONS_KEPT = 20
"""So many of the newest publications are kept, the served one included."""


@dataclass(frozen=True, slots=True)
class Publication:
    """A record of a publication: which catalogue, when, by whom, and what it changed.

    `added`, `changed` and `removed` count diagnoses, against the catalogue that was served
    before. `published_by` is the operating system's name of the user, None where it is not
    known; `is_bundled` says that it is the catalogue of the package, published as such.
    """

    version: str
    published_at: datetime
    published_by: str | None
    is_bundled: bool
    added: int
    changed: int
    removed: int


class PublishedCatalogue(ABC):
    """What readers need: the served catalogue, shared by all who serve it."""

    @abstractmethod
    def version(self) -> str | None:
        """The version of the served catalogue; None where none was ever published. Cheap."""

    @abstractmethod
    def load(self) -> Catalogue | None:
        """The served catalogue, whole; None where none was ever published.

        Called in a background thread while other threads serve: it works in small steps, so that
        they get their turn. Entries that did not change since a catalogue that this process still
        holds may be the same objects.

        Raises:
            StorageUnavailableError: also when what is stored is damaged.

        """


class CatalogueStore(PublishedCatalogue):
    """What publishers need besides: to publish, and to look back."""

    @abstractmethod
    def publish(
        self,
        catalogue: Catalogue,
        publication: Publication,
        entry: AuditEntry,
        *,
        replacing: str | None,
    ) -> None:
        """Serve this catalogue from now on, whole or not at all.

        A storage that also has the audit log writes the entry with the publication, both or
        neither. A storage for catalogues alone has nowhere to write it, and leaves it out.

        Readers see the one or the other, never a mixture, and do not wait meanwhile.
        `replacing` is the version that the publisher believes to be served, None for none. Of
        several who replace the same one at once, one does. The same catalogue can be published
        again; one that was damaged in storage is then whole.

        Raises:
            CatalogueReplacedError: when another version is served; nothing is then changed.

        """

    @abstractmethod
    def history(self) -> tuple[Publication, ...]:
        """The last `PUBLICATIONS_KEPT` publications, newest first; the first is the served one.

        Empty where none was ever published.
        """

    @abstractmethod
    def load_version(self, version: str) -> Catalogue | None:
        """The catalogue of this version; None where it is none of those in `history`.

        Raises:
            StorageUnavailableError: also when what is stored is damaged.

        """
