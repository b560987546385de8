"""Find the licence of a catalogue: CC BY for the bundled one, the operator's for another."""

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.catalogue.vocabulary import BUNDLED_LICENCE
from evref.ports.catalogue.published import PublishedCatalogue


class FindLicence:
    """`licence` is the address of the operator's licence, or None.

    Storage is asked once for each version, because a version never changes its licence.
    """

    def __init__(
        self, store: PublishedCatalogue, breaker: CircuitBreaker, licence: str | None
    ) -> None:
        self._store = store
        self._breaker = breaker
        self._licence = licence
        self._found: tuple[str, str | None] = "", None

    def __call__(self, catalogue: Catalogue) -> str | None:
        """Return the address of the licence, or None if the operator has named none.

        Raises:
            StorageUnavailableError: If storage is needed and unavailable.

        """
        version, licence = self._found
        if version != catalogue.version:
            history = self._breaker(self._store.history)
            is_bundled = any(
                each.is_bundled for each in history if each.version == catalogue.version
            )
            licence = BUNDLED_LICENCE if is_bundled else self._licence
            self._found = catalogue.version, licence
        return licence
