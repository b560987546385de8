"""Consult the catalogue with an API key: authenticate, get the catalogue, admit and count."""

from collections.abc import Callable
from dataclasses import dataclass

from evref.application.catalogue.browse_catalogue import BrowseCatalogue
from evref.domain.access.permission import Permission
from evref.domain.access.quota import QuotaStatus
from evref.domain.access.token import KeyToken
from evref.domain.catalogue.catalogue import Catalogue

Admit = Callable[[KeyToken, Permission], QuotaStatus]
"""Admits and counts a request, like `AdmitRequest`."""


@dataclass(eq=False)
class ConsultCatalogue:
    """Handles every request that needs a key, on all interfaces."""

    browse: BrowseCatalogue
    admit: Admit

    def __call__(self, token: str, needed: Permission) -> tuple[Catalogue, QuotaStatus]:
        """Return the served catalogue and the key's quota after this request.

        `token` is the text that the client sent. A malformed token is rejected without storage. A
        request is not counted if there is no catalogue.

        Raises:
            InvalidApiKeyError: If the token is malformed, unknown, revoked or expired.
            NoCatalogueError: If no catalogue is published yet.
            InsufficientPermissionError: If the key's permission is below `needed`.
            QuotaExceededError: If the key's daily limit is reached.
            StorageUnavailableError: If the request cannot be counted or the catalogue not be read.

        """
        key = KeyToken(token)
        catalogue = self.browse.current()
        return catalogue, self.admit(key, needed)
