"""Storage of institutions, their members, and the invitations to them."""

from abc import ABC, abstractmethod

from evref.domain.accounts.institution import Institution, Member
from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.proxy_sign_in import ProxySignIn
from evref.domain.accounts.team import Team


class Accounts(ABC):
    """Finds institutions, members and invitations.

    Looking up one of them raises `NotFoundError` if there is none.
    """

    @abstractmethod
    def institution(self, institution_id: str) -> Institution:
        """Return the institution with this id."""

    @abstractmethod
    def institution_named(self, name: str) -> Institution:
        """Return the institution with this name, compared exactly."""

    @abstractmethod
    def institutions(self) -> tuple[Institution, ...]:
        """Return all institutions, ordered by name, by Unicode code points."""

    @abstractmethod
    def member(self, member_id: str) -> Member:
        """Return the member with this id."""

    @abstractmethod
    def member_with_email(self, email: str) -> Member:
        """Return the member with this e-mail address, which is in lower case."""

    @abstractmethod
    def members(self) -> tuple[Member, ...]:
        """Return all members, ordered by e-mail address."""

    @abstractmethod
    def members_of(self, institution_id: str) -> tuple[Member, ...]:
        """Return the members of an institution, in the same order."""

    @abstractmethod
    def invitation(self, invitation_id: str) -> Invitation:
        """Return the invitation with this id."""

    @abstractmethod
    def invitation_with_digest(self, digest: str) -> Invitation:
        """Return the invitation whose token has this digest."""

    @abstractmethod
    def invitations_to(self, institution_id: str) -> tuple[Invitation, ...]:
        """Return the stored invitations to an institution, newest first, then by id."""

    @abstractmethod
    def proxy_sign_ins(self) -> tuple[ProxySignIn, ...]:
        """Return the sign-ins by a proxy of all institutions, in any order."""


class AccountChanges(ABC):
    """Changes institutions and their teams, as part of a unit of work."""

    @abstractmethod
    def add_institution(self, institution: Institution) -> None:
        """Store a new institution.

        Raises:
            AlreadyExistsError: If the name is taken.

        """

    @abstractmethod
    def team(self, institution_id: str) -> Team:
        """Return the team of an institution, which nobody else changes until the unit ends.

        Raises:
            NotFoundError: If the institution does not exist.

        """

    @abstractmethod
    def replace_team(self, team: Team) -> None:
        """Store the team in place of the one that `team` returned.

        Members and invitations can be added and removed. Of a stored member, only the role
        changes; a password that is set concurrently is kept. The sessions of a member who is
        removed or gets another role are removed too.

        Raises:
            AlreadyExistsError: If a new member has the e-mail of a member of any institution.

        """

    @abstractmethod
    def set_proxy_sign_in(self, institution_id: str, sign_in: ProxySignIn | None) -> None:
        """Store the sign-in by a proxy of an institution in place of any earlier one.

        With None, the institution has none any more.

        Raises:
            NotFoundError: If the institution does not exist.
            AlreadyExistsError: If another institution has one of the domains.

        """

    @abstractmethod
    def set_password(self, member_id: str, password_hash: str | None) -> None:
        """Replace a member's password or, with None, remove it.

        This ends all sessions that began with the old one.

        Raises:
            NotFoundError: If the member does not exist.

        """
