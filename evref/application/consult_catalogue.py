"""Consult the catalogue with an API key: authenticate, take the catalogue, admit and count."""

from collections.abc import Callable

from evref.application.browse_catalogue import BrowseCatalogue
from evref.domain.access.key import KeyToken, Permission
from evref.domain.access.quota import QuotaStatus
from evref.domain.catalogue.catalogue import Catalogue

Admit = Callable[[KeyToken, Permission], QuotaStatus]
"""Admits a request and counts it, as `AdmitRequest` does."""


class ConsultCatalogue:
    """Every request that needs a key goes through this, whichever interface it arrives at."""

    def __init__(self, browse: BrowseCatalogue, admit: Admit) -> None:
        self._browse = browse
        self._admit = admit

    def __call__(self, token: str, needed: Permission) -> tuple[Catalogue, QuotaStatus]:
        """Return the served catalogue and the key's quota after this request.

        `token` is the text that the client sent. A malformed token never reaches storage. A
        request for which there is no catalogue is not counted.

        Raises:
            InvalidApiKeyError: The token is malformed, unknown, revoked or expired.
            NoCatalogueError: No catalogue is published yet.
            InsufficientPermissionError: The key's permission level is below `needed`.
            QuotaExceededError: The key's daily limit is reached.
            StorageUnavailableError: The request could not be counted, or no catalogue be read.

        """
        key = KeyToken(token)
        catalogue = self._browse.current()
        return catalogue, self._admit(key, needed)
