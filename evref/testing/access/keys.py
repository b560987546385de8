"""The contract of the ports `Keys` and `KeyChanges`."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey, Permission
from evref.domain.errors import AlreadyExistsError, InvalidApiKeyError, KeyRevokedError
from evref.ports.storage import Storage
from evref.testing.builders import NOON, OPERATOR, a_key, a_secret
from evref.testing.contract import not_found, succeeds
from evref.testing.filling import at_once, change_key, keep_institutions, keep_key, rotate_key


class KeysContract:
    @pytest.fixture(autouse=True)
    def _institutions(self, storage: Storage) -> None:
        keep_institutions(storage, "i1", "i2")

    @pytest.mark.parametrize(
        "key",
        [
            a_key(),
            a_key(limit=0, permission=Permission.NONE, expires_on=date(2028, 2, 29)),
            a_key(limit=10_000_000, revoked_at=datetime(2026, 3, 2, 0, 0, 0, 123456, tzinfo=UTC)),
            a_key(name="Клиника № 1 'a\"b; -- %s :day 🩺"),
            a_key(created_at=NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))),
        ],
        ids=["plain", "expiring", "revoked", "any-characters", "of-another-time-zone"],
    )
    def test_a_key_comes_back_as_it_was_kept(self, storage: Storage, key: ApiKey) -> None:
        """Every field is the same, and times are equal to the microsecond."""
        keep_key(storage, key)

        assert storage.keys.get(key.id) == key
        assert storage.keys.list() == (key,)

    def test_a_key_of_an_unknown_institution_is_not_stored(self, storage: Storage) -> None:
        """An institution is stored before its keys."""
        with not_found("institution", "unknown"):
            keep_key(storage, a_key(institution_id="unknown"))

        assert storage.keys.list() == ()

    def test_an_id_is_taken_only_once(self, storage: Storage) -> None:
        """The first key does not change; of several at once, one is stored."""

        def add(number: int) -> bool:
            key = a_key("k1", secrets=[a_secret(f"{number}")])
            return succeeds(lambda: keep_key(storage, key), AlreadyExistsError)

        added = at_once(4, add)

        (key,) = storage.keys.list()
        assert sum(added) == 1
        assert key.newest == a_secret(f"{added.index(True)}")

    @pytest.mark.parametrize("key_id", ["unknown", "K1", "", "k1\ud800", "k1\0"])
    def test_an_unknown_key_is_not_found(self, storage: Storage, key_id: str) -> None:
        """The error contains the id, even one that no key can have."""
        keep_key(storage, a_key("k1"))

        with not_found("API key", key_id):
            storage.keys.get(key_id)
        with not_found("API key", key_id):
            change_key(storage, key_id, lambda key: key)

    def test_a_key_is_found_by_the_digest_of_each_of_its_secrets(self, storage: Storage) -> None:
        """The whole key is returned, valid or not, with its secrets oldest first."""
        secrets = [
            a_secret("old", created_at=NOON - timedelta(hours=1), ends_at=NOON, last_four="aaaa"),
            a_secret("new", created_at=NOON, last_four="bbbb"),
        ]
        key = a_key(secrets=secrets, revoked_at=NOON)
        keep_key(storage, key)
        keep_key(storage, a_key("k2"))

        assert [storage.keys.with_digest(secret.digest) for secret in secrets] == [key, key]
        assert storage.keys.get("k1") == key
        with pytest.raises(InvalidApiKeyError):
            storage.keys.with_digest("0" * 64)

    def test_a_change_replaces_the_key_and_its_secrets(self, storage: Storage) -> None:
        """Secrets can end, be added and be removed; other keys stay as they are."""
        dropped = a_secret("dropped", created_at=NOON - timedelta(hours=2))
        ended = a_secret("ended", created_at=NOON - timedelta(hours=1))
        keep_key(storage, a_key("k1", secrets=[dropped, ended]))
        keep_key(storage, a_key("k2"))
        secrets = (replace(ended, ends_at=NOON), a_secret("added"))

        after = change_key(
            storage, "k1", lambda key: replace(key, secrets=secrets, daily_limit=7, name="New")
        )

        assert storage.keys.get("k1") == after == a_key("k1", secrets=secrets, limit=7, name="New")
        with pytest.raises(InvalidApiKeyError):
            storage.keys.with_digest(dropped.digest)
        assert storage.keys.get("k2") == a_key("k2")

    def test_rotations_at_once_come_one_after_another(self, storage: Storage) -> None:
        """Each secret is kept, in its order, and all but the newest one end."""
        keep_key(storage, a_key("k1"))

        at_once(8, lambda number: rotate_key(storage, "k1", f"{number}", timedelta(hours=1)))

        secrets = storage.keys.get("k1").secrets
        names = ["k1", *map(str, range(8))]
        assert {secret.digest for secret in secrets} == {a_secret(name).digest for name in names}
        assert secrets[0].digest == a_secret("k1").digest
        ends = [secret.ends_at for secret in secrets]
        assert ends == [NOON + timedelta(hours=1)] * 8 + [None]

    def test_keys_are_listed_oldest_first_then_by_id(self, storage: Storage) -> None:
        """The order in which they were stored does not matter."""
        for key in (
            a_key("k3"),
            a_key("k2", created_at=NOON + timedelta(microseconds=1)),
            a_key("k1"),
            a_key("k4", created_at=NOON - timedelta(days=1), revoked_at=NOON),
        ):
            keep_key(storage, key)

        assert [key.id for key in storage.keys.list()] == ["k4", "k1", "k3", "k2"]

    def test_keys_are_listed_by_institution(self, storage: Storage) -> None:
        """An unknown institution has no keys, like one without keys."""
        keep_key(storage, a_key("k1", institution_id="i1"))
        keep_key(storage, a_key("k2", institution_id="i2"))

        assert [key.id for key in storage.keys.list("i2")] == ["k2"]
        assert [key.id for key in storage.keys.list()] == ["k1", "k2"]
        assert storage.keys.list("unknown") == ()

    def test_caps_come_back_as_they_were_set(self, storage: Storage) -> None:
        """Each institution has its own caps, the last ones that were set."""
        for caps in (KeyCaps(1, 2, 3), KeyCaps(None, 10_000_000, 2_000_000_000)):
            with storage.changes(OPERATOR, NOON) as changes:
                changes.keys.set_caps("i1", caps)

            assert storage.keys.caps("i1") == caps
        assert storage.keys.caps("i2") == storage.keys.caps("unknown") == KeyCaps()
        with not_found("institution", "unknown"), storage.changes(OPERATOR, NOON) as changes:
            changes.keys.set_caps("unknown", KeyCaps())

    def test_a_cap_holds_for_keys_that_are_added_at_once(self, storage: Storage) -> None:
        """A unit of work that has read the caps sees the keys of all earlier ones."""
        with storage.changes(OPERATOR, NOON) as changes:
            changes.keys.set_caps("i1", KeyCaps(most_keys=3))

        def add(number: int) -> bool:
            with storage.changes(OPERATOR, NOON) as changes:
                caps = changes.keys.caps("i1")
                if len(changes.keys.list("i1")) == caps.most_keys:
                    return False
                changes.keys.add(a_key(f"k{number}", secrets=[a_secret(f"{number}")]))
            return True

        assert sum(at_once(8, add)) == 3
        assert len(storage.keys.list("i1")) == 3

    def test_no_cap_is_lost_of_those_that_are_set_at_once(self, storage: Storage) -> None:
        """Each unit of work sees the caps of the one before, also the first ones."""

        def set_one_more(_: int) -> None:
            with storage.changes(OPERATOR, NOON) as changes:
                before = changes.keys.caps("i1")
                changes.keys.set_caps("i1", KeyCaps(most_keys=(before.most_keys or 0) + 1))

        at_once(8, set_one_more)

        assert storage.keys.caps("i1") == KeyCaps(most_keys=8)

    def test_a_key_is_revoked_only_once(self, storage: Storage) -> None:
        """Only one of several concurrent attempts succeeds."""
        keep_key(storage, a_key())

        def revoke(_: int) -> bool:
            return succeeds(
                lambda: change_key(storage, "k1", lambda key: key.revoked(NOON)), KeyRevokedError
            )

        assert sum(at_once(8, revoke)) == 1
