"""Storage of teams: the members of each institution and the invitations to it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from evref.domain.accounts.invitation import Invitation
from evref.domain.accounts.team import Team
from evref.domain.audit import AuditEntry


class TeamStore(ABC):
    """Stores invitations, and changes teams. `MemberStore` reads the same members."""

    @abstractmethod
    def invitations(self, institution_id: str) -> tuple[Invitation, ...]:
        """Return the stored invitations to an institution, newest first, then by id."""

    @abstractmethod
    def invitation(self, invitation_id: str) -> Invitation:
        """Return the invitation with this id.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def invitation_with_digest(self, digest: str) -> Invitation:
        """Return the invitation whose token has this digest.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def change(
        self,
        institution_id: str,
        change: Callable[[Team], tuple[Team, Sequence[AuditEntry]] | None],
    ) -> Team:
        """Replace the team of an institution by the result of `change`, and return it.

        Reading, writing and the audit entries are atomic, and only one change of a team happens
        at a time. If `change` returns None or raises an error, which propagates, nothing is
        changed and no entry is written.

        Members and invitations can be added and removed. Of a stored member, only the role
        changes; a password that is set concurrently is kept. The sessions of a removed member are
        removed too.

        Raises:
            NotFoundError: If there is no such institution.
            AlreadyExistsError: If a new member has the e-mail of a member of any institution.

        """
