"""Where API keys are kept."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from evref.domain.access.key import ApiKey
from evref.domain.audit import AuditEntry


class KeyStore(ABC):
    """Keeps the records of keys, and of their tokens only the secrets that they are known by.

    Each change is kept together with its audit entry: both or neither.
    """

    @abstractmethod
    def add(self, key: ApiKey, entry: AuditEntry) -> None:
        """Keep a new key with its secrets.

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
    def by_digest(self, digest: str) -> ApiKey:
        """The key that has a secret with this digest, live or not.

        Raises:
            NotFoundError: when there is none.

        """

    @abstractmethod
    def list(self) -> tuple[ApiKey, ...]:
        """All keys, revoked ones included; oldest first, then by id."""

    @abstractmethod
    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        """The keys of an institution, in the same order."""

    @abstractmethod
    def change(
        self, key_id: str, change: Callable[[ApiKey], tuple[ApiKey, AuditEntry] | None]
    ) -> ApiKey:
        """Replace the key, its secrets included, by what `change` makes of it; return that.

        No other change comes between reading and writing. Where `change` gives None, or raises
        what then passes through, nothing is changed and no entry written.

        Raises:
            NotFoundError: when there is no such key.

        """
