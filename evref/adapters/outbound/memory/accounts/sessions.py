"""Sessions by the digest of their token."""

from datetime import datetime

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.accounts.sign_in import Session
from evref.domain.errors import NotFoundError
from evref.ports.accounts import sessions


class MemorySessionStore(MemoryPart, sessions.SessionStore):
    def add(self, session: Session) -> None:
        with self._state.lock:
            if session.member_id not in self._state.members:
                raise NotFoundError("member", session.member_id)
            self._state.sessions[session.digest] = session

    def get(self, digest: str) -> Session:
        try:
            return self._state.sessions[digest]
        except KeyError:
            raise NotFoundError("session", digest) from None

    def remove(self, digest: str) -> None:
        with self._state.lock:
            self._state.sessions.pop(digest, None)

    def remove_started_before(self, instant: datetime) -> None:
        with self._state.lock:
            for session in list(self._state.sessions.values()):
                if session.started_at < instant:
                    del self._state.sessions[session.digest]
