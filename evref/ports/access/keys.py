"""Storage of API keys."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping

from evref.domain.access.key import ApiKey
from evref.domain.audit import AuditEntry


class KeyStore(ABC):
    """Stores the records of keys, with the secrets that identify their tokens.

    Each change is stored together with its audit entry: both or neither.
    """

    @abstractmethod
    def add(self, key: ApiKey, entry: AuditEntry) -> None:
        """Store a new key with its secrets.

        Raises:
            NotFoundError: If there is no such institution.
            AlreadyExistsError: If there is a key with this id.

        """

    @abstractmethod
    def get(self, key_id: str) -> ApiKey:
        """Return the key with this id.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def by_digests(self, digests: Collection[str]) -> Mapping[str, ApiKey]:
        """Return the keys that have secrets with these digests, valid or not, by digest.

        A digest that no secret has is left out.
        """

    @abstractmethod
    def list(self) -> tuple[ApiKey, ...]:
        """Return all keys, including revoked ones, ordered by creation, then id."""

    @abstractmethod
    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        """Return the keys of an institution, in the same order."""

    @abstractmethod
    def change(
        self, key_id: str, change: Callable[[ApiKey], tuple[ApiKey, AuditEntry] | None]
    ) -> ApiKey:
        """Replace the key, with its secrets, by the result of `change`, and return it.

        Reading and writing are atomic. If `change` returns None or raises an error, which
        propagates, nothing is changed and no entry is written.

        Raises:
            NotFoundError: If there is no such key.

        """
