"""Storage of API keys, with the secrets that identify their tokens."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping

from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey


class Keys(ABC):
    """Finds keys."""

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
    def caps(self, institution_id: str) -> KeyCaps:
        """Return the caps on the keys of an institution; `KeyCaps()` if there are none."""


class KeyChanges(ABC):
    """Changes keys, as part of a unit of work."""

    @abstractmethod
    def add(self, key: ApiKey) -> None:
        """Store a new key with its secrets.

        Raises:
            NotFoundError: If the institution does not exist.
            AlreadyExistsError: If there is a key with this id.

        """

    @abstractmethod
    def get(self, key_id: str) -> ApiKey:
        """Return the key with this id, which nobody else changes until the unit of work ends.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def of_institution(self, institution_id: str) -> tuple[ApiKey, ...]:
        """Return the keys of an institution with the changes of this unit, in any order."""

    @abstractmethod
    def caps(self, institution_id: str) -> KeyCaps:
        """Return the caps on the keys of an institution; `KeyCaps()` if there are none.

        If there are some, nobody else reads them so until the unit of work ends.
        """

    @abstractmethod
    def set_caps(self, institution_id: str, caps: KeyCaps) -> None:
        """Store the caps in place of any earlier ones.

        Raises:
            NotFoundError: If the institution does not exist.

        """

    @abstractmethod
    def replace(self, key: ApiKey) -> None:
        """Store the key, with its secrets, in place of the one that `get` returned."""
