"""Storage of the sessions of signed-in members."""

from abc import ABC, abstractmethod
from datetime import datetime

from evref.domain.accounts.sign_in import Session


class SessionStore(ABC):
    """Stores sessions by the digests of their tokens, never the tokens themselves."""

    @abstractmethod
    def add(self, session: Session) -> None:
        """Store a new session of a member.

        Raises:
            NotFoundError: If the member is not stored, because they were removed.

        """

    @abstractmethod
    def get(self, digest: str) -> Session:
        """Return the session of the token with this digest, whether it has ended or not.

        Raises:
            NotFoundError: If there is none.

        """

    @abstractmethod
    def remove(self, digest: str) -> None:
        """Remove the session with this digest, if there is one."""

    @abstractmethod
    def remove_started_before(self, instant: datetime) -> None:
        """Remove every session that began before this time."""
