"""Report health: whether the service can respond to requests now."""

from dataclasses import dataclass

from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.errors import NoCatalogueError, StorageUnavailableError
from evref.ports.storage import Storage


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether storage accepts writes, and the version of the published catalogue, if any."""

    storage_answers: bool
    catalogue_version: str | None

    @property
    def ready(self) -> bool:
        return self.storage_answers and self.catalogue_version is not None


def readiness(storage: Storage, browse: BrowseCatalogue) -> Readiness:
    """Check the storage and the catalogue. Unavailable storage is a result, not an error."""
    try:
        storage.ping()
        version = browse.current().catalogue.version
    except StorageUnavailableError:
        return Readiness(storage_answers=False, catalogue_version=None)
    except NoCatalogueError:
        return Readiness(storage_answers=True, catalogue_version=None)
    return Readiness(storage_answers=True, catalogue_version=version)
