"""The contract of the port `SessionStore`."""

from datetime import timedelta

import pytest

from evref.domain.accounts.session import MOST_SESSIONS, Session, SessionToken
from evref.domain.errors import NotFoundError
from evref.domain.principal import Role
from evref.ports.storage import Storage
from evref.testing.builders import NOON, a_member
from evref.testing.contract import not_found
from evref.testing.filling import keep_institutions, keep_members, keep_session


def a_session(secret: int = 1, *, hours: float = 0) -> Session:
    """Return a session of the member that began this number of hours after noon."""
    return Session.of(a_member(), SessionToken.make(secret), NOON + timedelta(hours=hours))


class SessionStoreContract:
    @pytest.fixture(autouse=True)
    def _member(self, storage: Storage) -> None:
        keep_institutions(storage, "i1")
        keep_members(storage, a_member())

    def test_a_session_comes_back_as_it_was_kept(self, storage: Storage) -> None:
        """The digest of its token finds it, with times to the microsecond."""
        session = Session.of(
            a_member(),
            SessionToken.make(7),
            NOON + timedelta(hours=1, microseconds=3),
            by_proxy=True,
        )

        keep_session(storage, session)
        keep_session(storage, a_session(8))

        assert storage.sessions.get(SessionToken.make(7).digest) == session

    def test_a_member_who_was_removed_begins_no_session(self, storage: Storage) -> None:
        """The error says that the member does not exist."""
        unknown = a_member("m2", email="removed@example.org")
        session = Session.of(unknown, SessionToken.make(7), NOON)

        with not_found("member", "m2"):
            keep_session(storage, session)

        with pytest.raises(NotFoundError):
            storage.sessions.get(session.digest)

    @pytest.mark.parametrize("digest", ["", "0" * 64, SessionToken.make(1).text])
    def test_another_digest_has_no_session(self, storage: Storage, digest: str) -> None:
        """The token itself does not find one either."""
        keep_session(storage, a_session(1))

        with pytest.raises(NotFoundError):
            storage.sessions.get(digest)

    def test_a_session_that_is_removed_is_gone(self, storage: Storage) -> None:
        """Another session of the same member stays. Two browsers may both sign out."""
        ended, other = a_session(1), a_session(2)
        keep_session(storage, ended)
        keep_session(storage, other)

        storage.sessions.remove(ended.digest)
        storage.sessions.remove(ended.digest)

        with pytest.raises(NotFoundError):
            storage.sessions.get(ended.digest)
        assert storage.sessions.get(other.digest) == other

    def test_old_sessions_are_removed_and_later_ones_kept(self, storage: Storage) -> None:
        """The age depends on the member's role. A session of exactly the given time stays."""
        for number, hours in enumerate([-1, 0, 1]):
            keep_session(storage, a_session(number, hours=hours))

        storage.sessions.remove_started_before(NOON, Role.READER)
        assert storage.sessions.get(a_session(0).digest) == a_session(0, hours=-1)
        storage.sessions.remove_started_before(NOON, Role.ADMIN)

        with pytest.raises(NotFoundError):
            storage.sessions.get(a_session(0).digest)
        assert storage.sessions.get(a_session(1).digest).started_at == NOON
        assert storage.sessions.get(a_session(2).digest).started_at == NOON + timedelta(hours=1)

    def test_the_oldest_sessions_of_a_member_end(self, storage: Storage) -> None:
        """The order in which they were stored does not matter; other members' sessions stay."""
        other = a_member("m2", email="other@example.org")
        keep_members(storage, other)
        kept = Session.of(other, SessionToken.make(99), NOON - timedelta(days=1))
        keep_session(storage, kept)
        for number in reversed(range(MOST_SESSIONS)):
            keep_session(storage, a_session(number, hours=number))

        keep_session(storage, a_session(MOST_SESSIONS, hours=MOST_SESSIONS))

        with pytest.raises(NotFoundError):
            storage.sessions.get(a_session(0).digest)
        for number in range(1, MOST_SESSIONS + 1):
            session = storage.sessions.get(a_session(number).digest)
            assert session == a_session(number, hours=number)
        assert storage.sessions.get(kept.digest) == kept
