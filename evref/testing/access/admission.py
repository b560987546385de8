"""The contract of the port `Admission`."""

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evref.domain.access.key import Permission
from evref.domain.access.quota import DayUsage, Quota, QuotaExceededError
from evref.domain.errors import InsufficientPermissionError, InvalidApiKeyError
from evref.ports.storage import Storage
from evref.testing.builders import NOON, a_key, a_secret, at_noon
from evref.testing.filling import at_once, change_key, keep_institutions, keep_key, rotate_key

TODAY = NOON.date()
TOMORROW = TODAY + timedelta(days=1)
HOUR = timedelta(hours=1)


def ask(storage: Storage, digest: str, instant: datetime = NOON) -> tuple[Quota, bool]:
    """Return the quota after a request, and whether the request was admitted."""
    try:
        return storage.admission.admit(digest, instant), True
    except QuotaExceededError as error:
        return error.quota, False


def admit(storage: Storage, digest: str, times: int, day: date = TODAY) -> list[tuple[Quota, bool]]:
    return [ask(storage, digest, at_noon(day)) for _ in range(times)]


def assert_invalid(storage: Storage, digest: str, instant: datetime) -> None:
    with pytest.raises(InvalidApiKeyError):
        storage.admission.admit(digest, instant)


class AdmissionContract:
    @pytest.fixture(autouse=True)
    def _institution(self, storage: Storage) -> None:
        keep_institutions(storage, "i1")

    def test_a_quota_has_the_key_its_limit_and_the_count(self, storage: Storage) -> None:
        """The count includes the request that is being admitted."""
        digest = keep_key(storage, a_key(limit=5))

        quotas = admit(storage, digest, 2)

        assert quotas == [(Quota("k1", 5, 1, NOON), True), (Quota("k1", 5, 2, NOON), True)]

    def test_requests_over_the_limit_are_refused_and_counted_as_such(
        self, storage: Storage
    ) -> None:
        """A refused request does not change the count of admitted requests."""
        digest = keep_key(storage, a_key(limit=2))

        quotas = admit(storage, digest, 5)

        assert [fits for _, fits in quotas] == [True, True, False, False, False]
        assert [quota.admitted for quota, _ in quotas] == [1, 2, 2, 2, 2]
        assert storage.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 2, 2, 3),)

    def test_an_unknown_digest_is_no_valid_key(self, storage: Storage) -> None:
        """A digest that no key has is refused."""
        assert_invalid(storage, "0" * 64, NOON)

    def test_a_revoked_key_is_refused_and_not_counted(self, storage: Storage) -> None:
        """This holds for each of its secrets. The revocation is checked before the level."""
        secrets = [a_secret("old", ends_at=NOON + timedelta(days=1)), a_secret("new")]
        keep_key(storage, a_key(permission=Permission.NONE, revoked_at=NOON, secrets=secrets))

        for secret in secrets:
            assert_invalid(storage, secret.digest, NOON)

        assert storage.usage.history("k1", TODAY, TODAY) == ()

    def test_a_key_works_through_its_last_day(self, storage: Storage) -> None:
        """A key is admitted on the day on which it expires, but not after it."""
        digest = keep_key(storage, a_key(expires_on=TODAY))

        assert ask(storage, digest)[1]
        assert_invalid(storage, digest, at_noon(TOMORROW))
        assert storage.usage.history("k1", TODAY, TOMORROW) == (DayUsage(TODAY, 1000, 1, 0),)

    def test_a_key_without_permission_is_refused_and_not_counted(self, storage: Storage) -> None:
        """The error is the missing permission, and the counts of the day do not change."""
        digest = keep_key(storage, a_key(permission=Permission.NONE))

        with pytest.raises(InsufficientPermissionError):
            storage.admission.admit(digest, NOON)

        assert storage.usage.history("k1", TODAY, TODAY) == ()

    def test_a_revocation_holds_for_the_next_request(self, storage: Storage) -> None:
        """A key that was admitted just before its revocation is refused just after it."""
        digest = keep_key(storage, a_key())
        admit(storage, digest, 1)

        change_key(storage, "k1", lambda key: key.revoked(NOON))

        assert_invalid(storage, digest, NOON)

    def test_a_change_of_level_holds_for_the_next_request(self, storage: Storage) -> None:
        """Without permission the key is refused; with it, it is admitted and counted again."""
        digest = keep_key(storage, a_key())
        admit(storage, digest, 1)

        for level in (Permission.NONE, Permission.READ):
            change_key(storage, "k1", lambda key, level=level: key.changed(permission=level))  # type: ignore[misc]
            if level is Permission.NONE:
                with pytest.raises(InsufficientPermissionError):
                    storage.admission.admit(digest, NOON)

        assert storage.admission.admit(digest, NOON).admitted == 2

    def test_keys_are_counted_apart(self, storage: Storage) -> None:
        """Requests of one key do not use up the limit of another."""
        first = keep_key(storage, a_key("k1", limit=1))
        second = keep_key(storage, a_key("k2", limit=1))
        admit(storage, first, 2)

        assert storage.admission.admit(second, NOON) == Quota("k2", 1, 1, NOON)

    def test_exactly_the_limit_of_concurrent_requests_is_admitted(self, storage: Storage) -> None:
        """The admitted requests have the counts from one to the limit, each once."""
        digest = keep_key(storage, a_key(limit=25))

        quotas = at_once(40, lambda _: ask(storage, digest))

        counts = sorted(quota.admitted for quota, fits in quotas if fits)
        assert counts == list(range(1, 26))
        assert storage.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 25, 25, 15),)

    def test_no_request_is_admitted_over_a_limit_that_is_being_lowered(
        self, storage: Storage
    ) -> None:
        """A request whose quota has the new limit was admitted within it or refused."""
        digest = keep_key(storage, a_key(limit=1000))

        def act(number: int) -> list[tuple[Quota, bool]]:
            if number == 0:
                change_key(storage, "k1", lambda key: key.changed(daily_limit=40))
                return []
            return admit(storage, digest, 10)

        quotas = [quota for quotas_of_thread in at_once(9, act) for quota in quotas_of_thread]

        assert all(quota.admitted <= quota.limit for quota, fits in quotas if fits)
        (usage,) = storage.usage.history("k1", TODAY, TODAY)
        assert usage.admitted + usage.refused == 80

    # Each example has its own key, so the examples can share their storage. The contract runs on
    # many adapters by design.
    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
        ],
    )
    @given(
        first_limit=st.integers(0, 4),
        steps=st.lists(
            st.one_of(
                st.tuples(st.just("admit"), st.sampled_from([TODAY, TOMORROW])),
                st.tuples(st.just("limit"), st.integers(0, 6)),
            ),
            max_size=15,
        ),
    )
    @example(
        first_limit=0,
        steps=[
            *[("admit", TODAY), ("limit", 10), *[("admit", TODAY)] * 5],
            *[("limit", 3), ("admit", TODAY), ("limit", 7), *[("admit", TODAY)] * 3],
            *[("admit", TOMORROW)] * 2,
        ],
    )
    def test_any_sequence_of_requests_and_limits_has_the_counts_of_the_rules(
        self,
        storage: Storage,
        first_limit: int,
        steps: list[tuple[str, date] | tuple[str, int]],
    ) -> None:
        """A request is admitted if and only if fewer than the current limit were before it."""
        key = a_key(f"k{len(storage.keys.list())}", limit=first_limit)
        digest = keep_key(storage, key)
        limit = first_limit
        days: dict[date, DayUsage] = {}

        for _, value in steps:
            if not isinstance(value, date):
                limit = value
                change_key(storage, key.id, lambda key, limit=limit: key.changed(daily_limit=limit))  # type: ignore[misc]
                continue
            before = days.get(value, DayUsage(value, limit, 0, 0))
            fits = before.admitted < limit
            days[value] = DayUsage(
                value, limit, before.admitted + fits, before.refused + (not fits)
            )
            expected = Quota(key.id, limit, days[value].admitted, at_noon(value))
            assert ask(storage, digest, at_noon(value)) == (expected, fits)

        expected_days = tuple(days[day] for day in sorted(days))
        assert storage.usage.history(key.id, TODAY, TOMORROW) == expected_days

    def test_an_instant_is_compared_whatever_its_time_zone(self, storage: Storage) -> None:
        """Its hour and day are not mistaken for those in UTC."""
        in_delhi = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
        secret = a_secret(ends_at=in_delhi)
        keep_key(storage, a_key(secrets=[secret], expires_on=TODAY))
        late = (NOON - timedelta(minutes=1)).astimezone(timezone(timedelta(hours=14)))

        assert storage.admission.admit(secret.digest, late).admitted == 1
        assert [day.day for day in storage.usage.history("k1", TODAY, TOMORROW)] == [TODAY]
        assert_invalid(storage, secret.digest, NOON)

    def test_a_secret_that_is_ended_removed_or_added_is_so_for_the_next_request(
        self, storage: Storage
    ) -> None:
        """Secrets change like everything else of a key."""
        old, new = a_secret("old"), a_secret("new", created_at=NOON)
        keep_key(storage, a_key(secrets=[old]))
        admit(storage, old.digest, 1)
        dropped = a_secret("dropped")
        ended = replace(old, ends_at=NOON)
        change_key(storage, "k1", lambda key: replace(key, secrets=(old, dropped)))
        admit(storage, dropped.digest, 1)

        change_key(storage, "k1", lambda key: replace(key, secrets=(ended, new)))

        assert_invalid(storage, old.digest, NOON)
        assert_invalid(storage, dropped.digest, NOON - HOUR)
        assert storage.admission.admit(new.digest, NOON).admitted == 3

    def test_after_a_rotation_both_secrets_count_on_one_limit_until_the_old_one_ends(
        self, storage: Storage
    ) -> None:
        """It ends by itself, at its time."""
        old, new = keep_key(storage, a_key(limit=4)), a_secret("new").digest
        admit(storage, old, 1)

        rotate_key(storage, "k1", "new", HOUR)

        end = NOON + HOUR
        just_before = end - timedelta(microseconds=1)
        assert storage.admission.admit(new, NOON) == Quota("k1", 4, 2, NOON)
        assert storage.admission.admit(old, just_before).admitted == 3
        assert_invalid(storage, old, end)
        assert storage.admission.admit(new, end).admitted == 4
        assert not ask(storage, new, end)[1]
        assert storage.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 4, 4, 1),)

    def test_a_rotation_during_many_requests_neither_refuses_nor_adds_one(
        self, storage: Storage
    ) -> None:
        """Requests with either secret are admitted up to the limit."""
        old, new = keep_key(storage, a_key(limit=45)), a_secret("new").digest

        def act(number: int) -> list[tuple[Quota, bool]]:
            if number == 0:
                rotate_key(storage, "k1", "new", HOUR)
                return admit(storage, new, 20)
            return admit(storage, old, 5)

        quotas = [quota for quotas_of_thread in at_once(9, act) for quota in quotas_of_thread]

        counts = sorted(quota.admitted for quota, fits in quotas if fits)
        assert counts == list(range(1, 46))
        assert storage.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 45, 45, 15),)
