"""Read what changed since a version of the catalogue."""

from dataclasses import dataclass, replace

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.publication import Publication
from evref.domain.errors import UnknownVersionError
from evref.ports.catalogue.published import CATALOGUES_KEPT, PublishedCatalogue


@dataclass(eq=False)
class ReadChanges:
    """Compares the served catalogue with an earlier one that is stored."""

    store: PublishedCatalogue
    breaker: CircuitBreaker

    def since(self, catalogue: Catalogue, version: str) -> Publication | None:
        """Return the served publication compared with a version; None if that is served.

        What changed and changed back is no change.

        Raises:
            UnknownVersionError: If the catalogue of the version is not stored.
            StorageUnavailableError: If it cannot be read.

        """
        if version == catalogue.version:
            return None
        kept = [each.version for each in catalogue.publications[:CATALOGUES_KEPT]]
        earlier = None
        if version in kept:
            earlier = self.breaker(lambda: self.store.load_version(version))
        if earlier is None:
            raise UnknownVersionError(version, tuple(dict.fromkeys(kept)))
        return replace(catalogue.publications[0], comparison=catalogue.compared_with(earlier))
