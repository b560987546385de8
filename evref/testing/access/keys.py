"""The contract of the port `KeyStore`."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from evref.domain.access.key import ApiKey
from evref.domain.access.permission import Permission
from evref.domain.audit import Action, AuditEntry
from evref.domain.errors import AlreadyExistsError, KeyRevokedError, NotFoundError
from evref.ports.access.keys import KeyStore
from evref.testing.builders import NOON, a_key, a_secret, an_audit_entry
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once, keep_institutions, keep_key, rotate_key


class KeyStoreContract(Contract):
    port = KeyStore

    @pytest.fixture(autouse=True)
    def _institutions(self, stores: Stores) -> None:
        keep_institutions(stores, "i1", "i2")

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests use the adapter of this contract."""
        assert type(stores.keys) is self.adapter

    @pytest.mark.parametrize(
        "key",
        [
            a_key(),
            a_key(limit=0, permission=Permission.NONE, expires_on=date(2028, 2, 29)),
            a_key(limit=10_000_000, revoked_at=datetime(2026, 3, 2, 0, 0, 0, 123456, tzinfo=UTC)),
            a_key(name="Клиника № 1 'a\"b; -- %s :day 🩺"),
        ],
        ids=["plain", "expiring", "revoked", "any-characters"],
    )
    def test_a_key_comes_back_as_it_was_kept(self, stores: Stores, key: ApiKey) -> None:
        """Every field is the same, and times are equal to the microsecond."""
        keep_key(stores, key)

        assert stores.keys.get(key.id) == key
        assert stores.keys.list() == (key,)

    def test_an_instant_is_kept_whatever_its_time_zone(self, stores: Stores) -> None:
        """The returned time is equal, and has a time zone."""
        in_delhi = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
        keep_key(stores, a_key(created_at=in_delhi))

        assert stores.keys.get("k1").created_at == NOON

    def test_a_key_of_an_unknown_institution_is_not_stored(self, stores: Stores) -> None:
        """An institution is stored before its keys."""
        with pytest.raises(NotFoundError) as caught:
            keep_key(stores, a_key(institution_id="unknown"))

        assert (caught.value.kind, caught.value.name) == ("institution", "unknown")
        assert stores.keys.list() == ()

    def test_adding_a_key_writes_its_audit_entry(self, stores: Stores) -> None:
        """The entry is stored together with the key."""
        entry = an_audit_entry(action=Action.KEY_CREATED, key_id="k1", detail="new")

        stores.keys.add(a_key(), entry)

        assert entry in stores.audit.entries("i1")

    def test_an_id_is_taken_only_once(self, stores: Stores) -> None:
        """The first key does not change, and no audit entry is written for the second."""
        keep_key(stores, a_key("k1"))
        entries_before = stores.audit.entries("i2")

        with pytest.raises(AlreadyExistsError) as caught:
            stores.keys.add(
                a_key("k1", institution_id="i2", secrets=[a_secret("other")]),
                an_audit_entry(institution_id="i2"),
            )

        assert caught.value.name == "k1"
        assert stores.keys.list() == (a_key("k1"),)
        assert stores.audit.entries("i2") == entries_before

    @pytest.mark.parametrize("key_id", ["unknown", "K1", "", "k1\ud800", "k1\0"])
    def test_an_unknown_key_is_not_found(self, stores: Stores, key_id: str) -> None:
        """The error contains the id, even if no key can have it."""
        keep_key(stores, a_key("k1"))

        with pytest.raises(NotFoundError) as caught:
            stores.keys.get(key_id)

        assert caught.value.name == key_id

    def test_a_key_is_found_by_the_digest_that_it_is_kept_under(self, stores: Stores) -> None:
        """Its current state is returned, revoked or not; another digest finds no key."""
        digest = keep_key(stores, a_key("k1"))
        keep_key(stores, a_key("k2"))

        revoked = stores.keys.change("k1", lambda key: (key.revoked(NOON), an_audit_entry()))

        assert stores.keys.by_digests([digest, "0" * 64]) == {digest: revoked}
        assert stores.keys.by_digests([]) == {}

    def test_many_keys_are_found_at_once(self, stores: Stores) -> None:
        """However many digests there are."""
        keys = {keep_key(stores, a_key(f"k{n}")): f"k{n}" for n in range(3)}
        unknown = [f"{n:064x}" for n in range(40_000)]

        found = stores.keys.by_digests([*unknown, *keys])

        assert {digest: key.id for digest, key in found.items()} == keys

    def test_a_key_is_found_by_each_of_its_secrets(self, stores: Stores) -> None:
        """The whole key is returned, with its secrets oldest first."""
        secrets = [
            a_secret("old", created_at=NOON - timedelta(hours=1), ends_at=NOON, last_four="aaaa"),
            a_secret("new", created_at=NOON, last_four="bbbb"),
        ]
        key = a_key(secrets=secrets)
        keep_key(stores, key)

        digests = [secret.digest for secret in secrets]
        assert stores.keys.by_digests(digests) == dict.fromkeys(digests, key)
        assert stores.keys.by_digests(digests[:1]) == {digests[0]: key}
        assert stores.keys.get("k1") == key
        assert stores.keys.list() == stores.keys.of_institution("i1") == (key,)

    def test_a_change_replaces_the_secrets_too(self, stores: Stores) -> None:
        """Secrets can end, be added and be removed; those of other keys stay."""
        dropped = a_secret("dropped", created_at=NOON - timedelta(hours=2))
        ended = a_secret("ended", created_at=NOON - timedelta(hours=1))
        keep_key(stores, a_key("k1", secrets=[dropped, ended]))
        keep_key(stores, a_key("k2"))
        secrets = (replace(ended, ends_at=NOON), a_secret("added"))

        after = stores.keys.change(
            "k1", lambda key: (replace(key, secrets=secrets), an_audit_entry())
        )

        assert stores.keys.get("k1") == after == a_key("k1", secrets=secrets)
        assert stores.keys.by_digests([dropped.digest]) == {}
        assert stores.keys.get("k2") == a_key("k2")

    def test_rotations_are_kept_in_their_order(self, stores: Stores) -> None:
        """The newest secret comes last, even if the clock stands still or was set back."""
        keep_key(stores, a_key("k1"))
        names = ["b", "a", "d", "c"]

        for number, name in enumerate(names):
            after = rotate_key(
                stores, "k1", name, timedelta(days=1), instant=NOON - timedelta(hours=number // 2)
            )
            assert stores.keys.get("k1") == after

        kept = [secret.digest for secret in stores.keys.get("k1").secrets]
        assert kept == [a_secret(name).digest for name in ["k1", *names]]

    def test_a_rotation_without_overlap_removes_all_other_secrets(self, stores: Stores) -> None:
        """No key is found by them any more."""
        old = keep_key(stores, a_key("k1"))
        rotate_key(stores, "k1", "first", timedelta(days=7))

        after = rotate_key(stores, "k1", "second", timedelta(0))

        digests = [secret.digest for secret in map(a_secret, ("first", "second"))]
        assert stores.keys.by_digests([old, *digests]) == {digests[1]: after}
        assert len(after.secrets) == 1

    def test_rotations_at_once_come_one_after_another(self, stores: Stores) -> None:
        """Each secret is kept, and all but the newest one end."""
        keep_key(stores, a_key("k1"))

        at_once(8, lambda number: rotate_key(stores, "k1", f"{number}", timedelta(hours=1)))

        secrets = stores.keys.get("k1").secrets
        names = ["k1", *map(str, range(8))]
        assert {secret.digest for secret in secrets} == {a_secret(name).digest for name in names}
        assert len(secrets) == 9
        ends = [secret.ends_at for secret in secrets]
        assert ends == [NOON + timedelta(hours=1)] * 8 + [None]

    def test_of_rotations_at_once_that_saw_the_same_secret_one_is_made(
        self, stores: Stores
    ) -> None:
        """The others find another newest secret."""
        keep_key(stores, a_key("k1"))
        seen = stores.keys.get("k1").newest.id

        found = at_once(
            8,
            lambda number: rotate_key(stores, "k1", f"{number}", timedelta(hours=1), seen=seen),
        )

        assert set(found) == {stores.keys.get("k1")}
        assert len(stores.keys.get("k1").secrets) == 2

    def test_keys_are_listed_oldest_first_then_by_id(self, stores: Stores) -> None:
        """The order in which they were stored does not matter."""
        for key in (
            a_key("k3"),
            a_key("k2", created_at=NOON + timedelta(microseconds=1)),
            a_key("k1"),
            a_key("k4", created_at=NOON - timedelta(days=1), revoked_at=NOON),
        ):
            keep_key(stores, key)

        assert [key.id for key in stores.keys.list()] == ["k4", "k1", "k3", "k2"]

    def test_keys_are_listed_by_institution(self, stores: Stores) -> None:
        """An unknown institution has no keys, like one without keys."""
        keep_key(stores, a_key("k1", institution_id="i1"))
        keep_key(stores, a_key("k2", institution_id="i2"))

        assert [key.id for key in stores.keys.of_institution("i2")] == ["k2"]
        assert [key.id for key in stores.keys.list()] == ["k1", "k2"]
        assert stores.keys.of_institution("unknown") == ()

    def test_a_change_replaces_the_key_and_writes_its_audit_entry(self, stores: Stores) -> None:
        """The changed key is returned and stored; other keys do not change."""
        keep_key(stores, a_key("k1"))
        keep_key(stores, a_key("k2"))
        entry = an_audit_entry(action=Action.KEY_CHANGED, detail="limit from 1000 to 7")

        after = stores.keys.change("k1", lambda key: (key.changed(daily_limit=7), entry))

        assert after == a_key("k1", limit=7)
        assert stores.keys.get("k1") == after
        assert stores.keys.get("k2") == a_key("k2")
        assert entry in stores.audit.entries("i1")

    def test_a_change_to_nothing_else_writes_nothing(self, stores: Stores) -> None:
        """The stored key is returned."""
        keep_key(stores, a_key())
        entries_before = stores.audit.entries("i1")

        assert stores.keys.change("k1", lambda _: None) == a_key()

        assert stores.keys.get("k1") == a_key()
        assert stores.audit.entries("i1") == entries_before

    def test_a_change_that_fails_changes_nothing(self, stores: Stores) -> None:
        """Its exception is passed on; neither the key nor the audit log changes."""
        key = a_key(revoked_at=NOON)
        keep_key(stores, key)
        entries_before = stores.audit.entries("i1")

        with pytest.raises(KeyRevokedError):
            stores.keys.change("k1", lambda key: (key.changed(name="x"), an_audit_entry()))

        assert stores.keys.get("k1") == key
        assert stores.audit.entries("i1") == entries_before

    @pytest.mark.parametrize("key_id", ["unknown", "k1\ud800", "k1\0"])
    def test_an_unknown_key_cannot_be_changed(self, stores: Stores, key_id: str) -> None:
        """The change is not called, and no audit entry is written."""
        asked: list[ApiKey] = []

        def change(key: ApiKey) -> tuple[ApiKey, AuditEntry]:
            asked.append(key)
            return key, an_audit_entry()

        entries_before = stores.audit.entries("i1")

        with pytest.raises(NotFoundError):
            stores.keys.change(key_id, change)

        assert asked == []
        assert stores.audit.entries("i1") == entries_before

    def test_changes_at_once_come_one_after_another(self, stores: Stores) -> None:
        """No change overwrites another one."""
        keep_key(stores, a_key(limit=0))

        at_once(
            12,
            lambda _: stores.keys.change(
                "k1", lambda key: (key.changed(daily_limit=key.daily_limit + 1), an_audit_entry())
            ),
        )

        assert stores.keys.get("k1").daily_limit == 12

    def test_a_key_is_revoked_only_once(self, stores: Stores) -> None:
        """Only one of several concurrent attempts succeeds, and one audit entry is written."""
        keep_key(stores, a_key())
        entry = an_audit_entry(action=Action.KEY_REVOKED)

        def revoke(_: int) -> bool:
            try:
                stores.keys.change("k1", lambda key: (key.revoked(NOON), entry))
            except KeyRevokedError:
                return False
            return True

        assert sum(at_once(8, revoke)) == 1
        assert stores.audit.entries("i1").count(entry) == 1
