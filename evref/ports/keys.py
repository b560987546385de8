"""Where API keys are kept."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from evref.domain.access.key import ApiKey
from evref.domain.accounts.institution import AuditEntry


class KeyStore(ABC):
    """Keeps the records of keys and the digests of their tokens, never a token.

    Each change is kept together with its audit entry: both or neither.
    """

    @abstractmethod
    def add(self, key: ApiKey, digest: str, entry: AuditEntry) -> None:
        """Keep a new key under the SHA-256 (hexadecimal) of its token.

        Raises:
            AlreadyExistsError: when there is a key with this id.

        """

    @abstractmethod
    def get(self, key_id: str) -> ApiKey:
        """The key with this id.

        Raises:
            NotFoundError: when there is none.

        """

    @abstractmethod
    def by_digest(self, digest: str) -> ApiKey | None:
        """The key whose token has this SHA-256 (hexadecimal), live or not; None without one."""

    @abstractmethod
    def list(self, institution_id: str | None = None) -> tuple[ApiKey, ...]:
        """The keys of an institution, or of all, revoked ones included; oldest first, then id."""

    @abstractmethod
    def change(
        self, key_id: str, change: Callable[[ApiKey], tuple[ApiKey, AuditEntry] | None]
    ) -> ApiKey:
        """Replace the key by what `change` makes of it, and return that.

        No other change comes between reading and writing. Where `change` gives None, or raises
        what then passes through, nothing is changed and no entry written.

        Raises:
            NotFoundError: when there is no such key.

        """
