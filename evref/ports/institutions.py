"""Where institutions and their members are kept."""

from abc import ABC, abstractmethod

from evref.domain.accounts.institution import Institution, Member
from evref.domain.audit import AuditEntry


class InstitutionStore(ABC):
    """Keeps institutions; each change together with its audit entry, both or neither."""

    @abstractmethod
    def add(self, institution: Institution, entry: AuditEntry) -> None:
        """Keep a new institution.

        Raises:
            AlreadyExistsError: when the name is taken.

        """

    @abstractmethod
    def named(self, name: str) -> Institution:
        """The institution of this name.

        Raises:
            NotFoundError: when there is none.

        """

    @abstractmethod
    def get(self, institution_id: str) -> Institution:
        """The institution with this id.

        Raises:
            NotFoundError: when there is none.

        """

    @abstractmethod
    def list(self) -> tuple[Institution, ...]:
        """All institutions, ordered by name."""


class MemberStore(ABC):
    """Keeps members; each change together with its audit entry, both or neither."""

    @abstractmethod
    def add(self, member: Member, entry: AuditEntry) -> None:
        """Keep a new member.

        Raises:
            AlreadyExistsError: when the e-mail is taken, in whichever institution.

        """

    @abstractmethod
    def with_email(self, email: str) -> Member:
        """The member with this e-mail, which is in lower case.

        Raises:
            NotFoundError: when there is none.

        """

    @abstractmethod
    def get(self, member_id: str) -> Member:
        """The member with this id.

        Raises:
            NotFoundError: when there is none.

        """

    @abstractmethod
    def list(self) -> tuple[Member, ...]:
        """All members, ordered by e-mail."""

    @abstractmethod
    def set_password(self, member_id: str, password_hash: str, entry: AuditEntry) -> None:
        """Replace a member's password, which ends the sessions that began with the one before.

        Raises:
            NotFoundError: when there is no such member.

        """
