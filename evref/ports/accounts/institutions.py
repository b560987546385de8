"""Storage of institutions and their members."""

from abc import ABC, abstractmethod

from evref.domain.accounts.institution import Institution, Member
from evref.domain.audit import AuditEntry


class InstitutionStore(ABC):
    """Stores institutions; each change and its audit entry are written atomically."""

    @abstractmethod
    def add(self, institution: Institution, entry: AuditEntry) -> None:
        """Store a new institution.

        Raises:
            AlreadyExistsError: If the name is taken.

        """

    @abstractmethod
    def named(self, name: str) -> Institution:
        """Return the institution with this name.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def get(self, institution_id: str) -> Institution:
        """Return the institution with this id.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def list(self) -> tuple[Institution, ...]:
        """Return all institutions, ordered by name."""


class MemberStore(ABC):
    """Finds members, and stores their passwords. `TeamStore` adds, changes and removes members."""

    @abstractmethod
    def with_email(self, email: str) -> Member:
        """Return the member with this e-mail address, which is in lower case.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def get(self, member_id: str) -> Member:
        """Return the member with this id.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def list(self) -> tuple[Member, ...]:
        """Return all members, ordered by e-mail address."""

    @abstractmethod
    def of_institution(self, institution_id: str) -> tuple[Member, ...]:
        """Return the members of an institution, in the same order."""

    @abstractmethod
    def set_password(self, member_id: str, password_hash: str, entry: AuditEntry) -> None:
        """Replace a member's password, which ends all sessions that began with the old one.

        The password and the audit entry are written atomically.

        Raises:
            NotFoundError: If there is no such member.

        """
