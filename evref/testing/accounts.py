"""The contract of the ports `Records` and `RecordChanges`."""

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from evref.domain.accounts.institution import Member
from evref.domain.accounts.proxy_sign_in import ProxySignIn, SignInDomain
from evref.domain.accounts.session import Session, SessionToken
from evref.domain.accounts.slowdown import Failures
from evref.domain.errors import AlreadyExistsError, NotFoundError
from evref.domain.identifiers import SharedSecret
from evref.domain.principal import Role
from evref.ports.accounts import (
    ATTEMPTS,
    INSTITUTIONS,
    INVITATIONS,
    KINDS,
    MEMBERS,
    PROXY_SIGN_INS,
    SECRETS,
    SESSIONS,
    SIGN_IN_DOMAINS,
    Kind,
)
from evref.ports.storage import Storage
from evref.testing.builders import NOON, OPERATOR, a_member, an_institution, an_invitation
from evref.testing.contract import not_found, succeeds
from evref.testing.filling import at_once, keep

LATER = NOON + timedelta(microseconds=1)
ADMIN = a_member("m1", email="ward@example.org")
READER = replace(a_member("m2", email="ñandú@example.org", role=Role.READER), password_hash=None)


def a_session(secret: int = 1, *, member: Member = ADMIN, hours: float = 0) -> Session:
    """Return a session that began this number of hours after noon."""
    return Session.begin(member, SessionToken.make(secret), NOON + timedelta(hours=hours))


SAMPLES: dict[Kind[Any], list[Any]] = {
    INSTITUTIONS: [an_institution("i1", name="Çocuk Hastanesi 'A'"), an_institution("i2")],
    MEMBERS: [ADMIN, READER],
    INVITATIONS: [
        an_invitation("v1", inviter=ADMIN, created_at=LATER),
        an_invitation("v2", email="other@example.org", role=Role.READER),
    ],
    SESSIONS: [a_session(1), replace(a_session(2, hours=1), by_proxy=True)],
    ATTEMPTS: [Failures("account:a", 3, LATER), Failures("address:b", 1, NOON)],
    PROXY_SIGN_INS: [ProxySignIn("i1", "1" * 64), ProxySignIn("i2", "2" * 64)],
    SIGN_IN_DOMAINS: [SignInDomain("a.example", "i1"), SignInDomain("example.org", "i2")],
    SECRETS: [SharedSecret("cookies", "first"), SharedSecret("other", "second")],
}
"""Two records of each kind, with what they refer to; their unique fields differ."""

CHANGED: dict[Kind[Any], dict[str, Any]] = {
    INSTITUTIONS: {"name": "New name"},
    MEMBERS: {"role": Role.VIEWER, "password_hash": None},
    INVITATIONS: {"role": Role.ADMIN},
    SESSIONS: {"started_at": LATER},
    ATTEMPTS: {"failures": 4, "last_at": LATER},
    PROXY_SIGN_INS: {"digest": "3" * 64},
    SIGN_IN_DOMAINS: {"institution_id": "i2"},
    SECRETS: {"value": "changed"},
}

of_every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def id_of(kind: Kind[Any], record: object) -> str:
    return str(getattr(record, kind.id))


def keep_samples(storage: Storage, kind: Kind[Any]) -> tuple[Any, Any]:
    """Store the samples of the kind, after those that they may refer to; return them."""
    for before in KINDS[: KINDS.index(kind) + 1]:
        keep(storage, before, *SAMPLES[before])
    first, second = SAMPLES[kind]
    return first, second


class RecordsContract:
    @of_every_kind
    def test_a_record_is_found_by_its_fields(self, storage: Storage, kind: Kind[Any]) -> None:
        """By its id and each other field that it is found by, as it was stored."""
        samples = keep_samples(storage, kind)

        for sample in samples:
            assert storage.records.get(kind, id_of(kind, sample)) == sample
            for name in filter(None, (kind.id, kind.unique, *kind.indexed)):
                assert sample in storage.records.find(kind, **{name: getattr(sample, name)})
        assert storage.records.find(kind) == samples

    @pytest.mark.parametrize("unknown", ["", "I1", "%", "i", "0" * 64, "\ud800", "\0"])
    def test_an_unknown_id_is_not_found(self, storage: Storage, unknown: str) -> None:
        """Values are compared exactly. The error contains the id."""
        keep_samples(storage, MEMBERS)

        kinds: tuple[Kind[Any], ...] = (INSTITUTIONS, MEMBERS)
        for kind in kinds:
            with not_found(kind.name, unknown):
                storage.records.get(kind, unknown)
            with not_found(kind.name, unknown), storage.changes(OPERATOR, NOON) as changes:
                changes.records.lock(kind, unknown)
            assert storage.records.find(kind, **{kind.unique: unknown}) == ()

    def test_records_are_found_by_several_fields_in_the_order_of_ids(
        self, storage: Storage
    ) -> None:
        """Every storage sorts by Unicode code points. A field may be None."""
        keep(storage, INSTITUTIONS, an_institution("i1"))
        members = [
            a_member(member_id, email=f"{number}@example.org")
            for number, member_id in enumerate(("b", "Ä", "a", "B"))
        ]
        keep(storage, MEMBERS, *members)
        keep(storage, INVITATIONS, an_invitation("v1"), an_invitation("v2", email="b@example.org"))

        found = storage.records.find(MEMBERS, institution_id="i1", role=Role.ADMIN)
        assert [member.id for member in found] == ["B", "a", "b", "Ä"]
        assert storage.records.find(MEMBERS, institution_id="i1", role=Role.READER) == ()
        by_operator = storage.records.find(INVITATIONS, institution_id="i1", inviter_id=None)
        assert [invitation.id for invitation in by_operator] == ["v1", "v2"]

    @of_every_kind
    def test_a_change_sees_its_own_changes(self, storage: Storage, kind: Kind[Any]) -> None:
        """A record is replaced, and the other one removed, twice; then they are so for all."""
        first, second = keep_samples(storage, kind)
        after = replace(first, **CHANGED[kind])

        with storage.changes(OPERATOR, NOON) as changes:
            assert changes.records.lock(kind, id_of(kind, first)) == first
            changes.records.replace(kind, after)
            assert changes.records.get(kind, id_of(kind, first)) == after
            changes.records.remove(kind, id_of(kind, second))
            changes.records.remove(kind, id_of(kind, second))
            assert changes.records.find(kind) == (after,)

        assert storage.records.get(kind, id_of(kind, first)) == after

    @of_every_kind
    def test_an_id_and_a_unique_field_are_taken_once(
        self, storage: Storage, kind: Kind[Any]
    ) -> None:
        """Nothing else of the unit of work is stored."""
        first, second = keep_samples(storage, kind)
        if kind.unique:
            free = replace(second, **{kind.id: "i3" if kind is PROXY_SIGN_INS else "free"})
            if kind is PROXY_SIGN_INS:
                keep(storage, INSTITUTIONS, an_institution("i3", name="Third"))
            second = replace(free, **{kind.unique: getattr(first, kind.unique)})
        else:
            second = replace(second, **{kind.id: id_of(kind, first)})

        def add() -> None:
            with storage.changes(OPERATOR, NOON) as changes:
                changes.records.add(SECRETS, SharedSecret("undone", ""))
                changes.records.add(kind, second)

        with pytest.raises(AlreadyExistsError) as caught:
            add()
        assert str(caught.value) == str(AlreadyExistsError(kind.name, kind.label(first)))
        assert storage.records.find(SECRETS, name="undone") == ()

    @pytest.mark.parametrize("field", ["name", "id"])
    def test_one_of_many_concurrent_uses_of_a_unique_field_succeeds(
        self, storage: Storage, field: str
    ) -> None:
        """The others get the error that it is in use."""

        def add(number: int) -> bool:
            id_and_name = {"id": f"i{number}", "name": f"{number}", field: "Same"}
            institution = an_institution(id_and_name["id"], name=id_and_name["name"])
            return succeeds(lambda: keep(storage, INSTITUTIONS, institution), AlreadyExistsError)

        assert sum(at_once(8, add)) == 1
        assert len(storage.records.find(INSTITUTIONS)) == 1

    def test_old_records_of_a_prefix_are_removed_and_later_ones_kept(
        self, storage: Storage
    ) -> None:
        """A record of exactly the given time is not older."""
        earlier = NOON - timedelta(microseconds=1)
        kept = [Failures("a:2", 2, NOON), Failures("a:3", 1, LATER), Failures("ab:1", 9, earlier)]
        keep(storage, ATTEMPTS, *kept, Failures("a:1", 9, earlier))
        keep_samples(storage, SESSIONS)

        with storage.changes(OPERATOR, NOON) as changes:
            changes.records.remove_older(ATTEMPTS, NOON, prefix="a:")
            changes.records.remove_older(SESSIONS, LATER)

        assert [each for each in storage.records.find(ATTEMPTS) if each in kept] == kept
        assert storage.records.find(ATTEMPTS, name="a:1") == ()
        assert [session.by_proxy for session in storage.records.find(SESSIONS)] == [True]

    def test_no_change_is_lost_of_those_that_lock_the_same_record(self, storage: Storage) -> None:
        """Each sees the one before, in whichever order several records are first named."""
        keep(storage, ATTEMPTS, Failures("a", 1, NOON), Failures("b", 1, NOON))

        def count(_: int) -> None:
            with storage.changes(OPERATOR, NOON) as changes:
                for name in ("a", "b"):
                    before = changes.records.lock(ATTEMPTS, name)
                    after = replace(before, failures=before.failures + 1)
                    changes.records.replace(ATTEMPTS, after)

        at_once(12, count)

        assert [each.failures for each in storage.records.find(ATTEMPTS)] == [13, 13]

    def test_what_refers_to_a_locked_record_never_outlives_it(self, storage: Storage) -> None:
        """A session is added before its member is removed, and removed with them; or not at all."""
        keep_samples(storage, MEMBERS)

        def act(number: int) -> None:
            with suppress(NotFoundError), storage.changes(OPERATOR, NOON) as changes:
                changes.records.lock(MEMBERS, ADMIN.id)
                if number:
                    changes.records.add(SESSIONS, a_session(number))
                else:
                    for session in changes.records.find(SESSIONS, member_id=ADMIN.id):
                        changes.records.remove(SESSIONS, session.digest)
                    changes.records.remove(MEMBERS, ADMIN.id)

        at_once(6, act)

        assert storage.records.find(SESSIONS) == ()
        assert storage.records.find(MEMBERS) == (READER,)

    def test_old_records_are_removed_while_others_are_locked(self, storage: Storage) -> None:
        """Nobody waits for anybody for ever, and no change is lost."""
        names = [f"a:{number}" for number in range(4)]
        keep(storage, ATTEMPTS, *(Failures(name, 1, NOON) for name in names))

        def act(number: int) -> None:
            with storage.changes(OPERATOR, NOON) as changes:
                if number % 2:
                    changes.records.remove_older(ATTEMPTS, LATER)
                    return
                for name in names:
                    with suppress(NotFoundError):
                        before = changes.records.lock(ATTEMPTS, name)
                        changes.records.replace(ATTEMPTS, replace(before, last_at=LATER))

        at_once(8, act)

        assert all(each.last_at == LATER for each in storage.records.find(ATTEMPTS))
