"""The contract of the port `SessionStore`."""

from datetime import timedelta

import pytest

from evref.domain.accounts.sign_in import Session, SessionToken
from evref.domain.errors import NotFoundError
from evref.ports.accounts.sessions import SessionStore
from evref.testing.builders import NOON, a_member
from evref.testing.contract import Contract
from evref.testing.stores import Stores, keep_institutions, keep_members


def a_session(secret: int = 1, *, hours: float = 0) -> Session:
    """Return a session of the member that began this number of hours after noon."""
    return Session.of(a_member(), SessionToken.make(secret), NOON + timedelta(hours=hours))


class SessionStoreContract(Contract):
    port = SessionStore

    @pytest.fixture(autouse=True)
    def _member(self, stores: Stores) -> None:
        keep_institutions(stores, "i1")
        keep_members(stores, a_member())

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.sessions) is self.adapter

    def test_a_session_comes_back_as_it_was_kept(self, stores: Stores) -> None:
        """The digest of its token finds it, with times to the microsecond."""
        session = Session.of(
            a_member(), SessionToken.make(7), NOON + timedelta(hours=1, microseconds=3)
        )

        stores.sessions.add(session)
        stores.sessions.add(a_session(8))

        assert stores.sessions.get(SessionToken.make(7).digest) == session

    def test_a_member_who_was_removed_begins_no_session(self, stores: Stores) -> None:
        """The error says that there is no such member."""
        unknown = a_member("m2", email="removed@example.org")
        session = Session.of(unknown, SessionToken.make(7), NOON)

        with pytest.raises(NotFoundError) as caught:
            stores.sessions.add(session)

        assert (caught.value.kind, caught.value.name) == ("member", "m2")
        with pytest.raises(NotFoundError):
            stores.sessions.get(session.digest)

    @pytest.mark.parametrize("digest", ["", "0" * 64, SessionToken.make(1).text])
    def test_another_digest_has_no_session(self, stores: Stores, digest: str) -> None:
        """The token itself does not find one either."""
        stores.sessions.add(a_session(1))

        with pytest.raises(NotFoundError):
            stores.sessions.get(digest)

    def test_a_session_that_is_removed_is_gone(self, stores: Stores) -> None:
        """Another session of the same member stays."""
        ended, other = a_session(1), a_session(2)
        stores.sessions.add(ended)
        stores.sessions.add(other)

        stores.sessions.remove(ended.digest)

        with pytest.raises(NotFoundError):
            stores.sessions.get(ended.digest)
        assert stores.sessions.get(other.digest) == other

    def test_removing_what_is_not_there_does_nothing(self, stores: Stores) -> None:
        """Two browsers with the same token may both sign out."""
        stores.sessions.remove("0" * 64)

    def test_old_sessions_are_removed_and_later_ones_kept(self, stores: Stores) -> None:
        """A session that began exactly at the given time is not older."""
        for number, hours in enumerate([-1, 0, 1]):
            stores.sessions.add(a_session(number, hours=hours))

        stores.sessions.remove_started_before(NOON)

        with pytest.raises(NotFoundError):
            stores.sessions.get(a_session(0).digest)
        assert stores.sessions.get(a_session(1).digest).started_at == NOON
        assert stores.sessions.get(a_session(2).digest).started_at == NOON + timedelta(hours=1)
