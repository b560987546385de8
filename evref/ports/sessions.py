"""Where the sessions of signed-in members are kept."""

from abc import ABC, abstractmethod
from datetime import datetime

from evref.domain.accounts.sign_in import Session


class SessionStore(ABC):
    """Keeps sessions under the digests of their tokens, never a token."""

    @abstractmethod
    def add(self, session: Session) -> None:
        """Keep a new session of a member who is kept."""

    @abstractmethod
    def get(self, digest: str) -> Session:
        """The session of the token with this digest, live or not.

        Raises:
            NotFoundError: when there is none.

        """

    @abstractmethod
    def remove(self, digest: str) -> None:
        """Forget the session with this digest; nothing happens when there is none."""

    @abstractmethod
    def remove_started_before(self, instant: datetime) -> None:
        """Forget every session that began before this instant."""
