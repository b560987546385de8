"""The contract of the port `Usage`."""

from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evref.domain.access.key import Permission
from evref.domain.access.quota import USAGE_RETENTION_DAYS, DayUsage, Tally
from evref.domain.errors import InsufficientPermissionError, InvalidApiKeyError
from evref.ports.usage import KeyUse, Usage
from evref.testing.builders import NOON, a_key, an_audit_entry
from evref.testing.contract import Contract
from evref.testing.stores import Stores, at_once, keep_institutions, keep_key

TODAY = NOON.date()
YESTERDAY = TODAY - timedelta(days=1)
TOMORROW = TODAY + timedelta(days=1)
READ = Permission.READ


def set_limit(stores: Stores, key_id: str, limit: int) -> None:
    stores.keys.change(
        key_id, lambda key: (key.changed(daily_limit=limit), an_audit_entry(key_id=key_id))
    )
    stores.settle()


def admit(stores: Stores, digest: str, times: int, day: date = TODAY) -> list[Tally]:
    return [stores.usage.admit(digest, READ, day) for _ in range(times)]


class UsageContract(Contract):
    port = Usage

    @pytest.fixture(autouse=True)
    def _institution(self, stores: Stores) -> None:
        keep_institutions(stores, "i1")

    def test_the_store_is_the_adapter(self, stores: Stores) -> None:
        """The tests ask the adapter that this contract names."""
        assert type(stores.usage) is self.adapter

    def test_a_tally_tells_the_key_its_limit_and_the_count(self, stores: Stores) -> None:
        """The count includes the request that is being admitted."""
        digest = keep_key(stores, a_key(limit=5))

        tallies = admit(stores, digest, 2)

        assert tallies == [Tally("k1", 5, 1, was_admitted=True), Tally("k1", 5, 2, True)]

    def test_requests_over_the_limit_are_refused_and_counted_as_such(self, stores: Stores) -> None:
        """A refused request leaves the count of admitted ones as it is."""
        digest = keep_key(stores, a_key(limit=2))

        tallies = admit(stores, digest, 5)

        assert [tally.was_admitted for tally in tallies] == [True, True, False, False, False]
        assert [tally.admitted for tally in tallies] == [1, 2, 2, 2, 2]
        assert stores.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 2, 2, 3),)

    def test_a_limit_of_zero_admits_nothing(self, stores: Stores) -> None:
        """The first request of a day is refused like the following ones."""
        digest = keep_key(stores, a_key(limit=0))

        tallies = admit(stores, digest, 2)

        assert tallies == [Tally("k1", 0, 0, was_admitted=False)] * 2
        assert stores.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 0, 0, 2),)

    def test_an_unknown_digest_is_no_valid_key(self, stores: Stores) -> None:
        """A digest that no key is kept under is refused."""
        with pytest.raises(InvalidApiKeyError):
            stores.usage.admit("0" * 64, READ, TODAY)

    def test_a_revoked_key_is_refused_and_not_counted(self, stores: Stores) -> None:
        """Also where its level would not suffice: that it is revoked comes first."""
        digest = keep_key(stores, a_key(permission=Permission.NONE, revoked_at=NOON))

        with pytest.raises(InvalidApiKeyError):
            stores.usage.admit(digest, READ, TODAY)

        assert stores.usage.history("k1", TODAY, TODAY) == ()

    def test_a_key_works_through_its_last_day(self, stores: Stores) -> None:
        """The day on which a key expires is the last one on which it is admitted."""
        digest = keep_key(stores, a_key(expires_on=TODAY))

        assert stores.usage.admit(digest, READ, TODAY).was_admitted
        with pytest.raises(InvalidApiKeyError):
            stores.usage.admit(digest, READ, TOMORROW)
        assert stores.usage.history("k1", TODAY, TOMORROW) == (DayUsage(TODAY, 1000, 1, 0),)

    def test_a_level_below_the_needed_one_is_refused_and_not_counted(self, stores: Stores) -> None:
        """A key without permission is told so, and its day stays untouched."""
        digest = keep_key(stores, a_key(permission=Permission.NONE))

        with pytest.raises(InsufficientPermissionError):
            stores.usage.admit(digest, READ, TODAY)

        assert stores.usage.history("k1", TODAY, TODAY) == ()

    @pytest.mark.parametrize("level", Permission)
    def test_a_level_allows_all_below_it(self, stores: Stores, level: Permission) -> None:
        """Each level is admitted where nothing is needed."""
        digest = keep_key(stores, a_key(permission=level))

        assert stores.usage.admit(digest, Permission.NONE, TODAY).was_admitted

    def test_a_revocation_holds_for_the_next_request(self, stores: Stores) -> None:
        """A key that was admitted just before its revocation is refused just after."""
        digest = keep_key(stores, a_key())
        admit(stores, digest, 1)

        stores.keys.change("k1", lambda key: (key.revoked(NOON), an_audit_entry()))
        stores.settle()

        with pytest.raises(InvalidApiKeyError):
            stores.usage.admit(digest, READ, TODAY)

    def test_a_change_of_level_holds_for_the_next_request(self, stores: Stores) -> None:
        """Taking the permission away refuses; giving it back admits and goes on counting."""
        digest = keep_key(stores, a_key())
        admit(stores, digest, 1)

        for level in (Permission.NONE, Permission.READ):
            stores.keys.change(
                "k1",
                lambda key, level=level: (key.changed(permission=level), an_audit_entry()),  # type: ignore[misc]
            )
            stores.settle()
            if level is Permission.NONE:
                with pytest.raises(InsufficientPermissionError):
                    stores.usage.admit(digest, READ, TODAY)

        assert stores.usage.admit(digest, READ, TODAY).admitted == 2

    def test_a_limit_lowered_below_use_refuses_at_once(self, stores: Stores) -> None:
        """What was admitted stays counted, and the tally tells the new limit."""
        digest = keep_key(stores, a_key(limit=10))
        admit(stores, digest, 5)

        set_limit(stores, "k1", 3)

        assert stores.usage.admit(digest, READ, TODAY) == Tally("k1", 3, 5, was_admitted=False)
        assert stores.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 3, 5, 1),)

    def test_a_limit_raised_again_admits_up_to_it(self, stores: Stores) -> None:
        """Refused requests have used nothing up."""
        digest = keep_key(stores, a_key(limit=10))
        admit(stores, digest, 5)
        set_limit(stores, "k1", 3)
        admit(stores, digest, 4)

        set_limit(stores, "k1", 7)

        tallies = admit(stores, digest, 3)
        assert [tally.was_admitted for tally in tallies] == [True, True, False]
        assert tallies[-1] == Tally("k1", 7, 7, was_admitted=False)

    def test_each_day_counts_anew(self, stores: Stores) -> None:
        """A new day has its whole limit, and the days before keep their counts."""
        digest = keep_key(stores, a_key(limit=1))
        admit(stores, digest, 2)

        assert stores.usage.admit(digest, READ, TOMORROW) == Tally("k1", 1, 1, was_admitted=True)
        assert stores.usage.history("k1", TODAY, TOMORROW) == (
            DayUsage(TODAY, 1, 1, 1),
            DayUsage(TOMORROW, 1, 1, 0),
        )

    def test_keys_are_counted_apart(self, stores: Stores) -> None:
        """One key's use takes nothing from another's limit."""
        first = keep_key(stores, a_key("k1", limit=1))
        second = keep_key(stores, a_key("k2", limit=1))
        admit(stores, first, 2)

        assert stores.usage.admit(second, READ, TODAY) == Tally("k2", 1, 1, was_admitted=True)

    def test_of_many_requests_at_once_exactly_the_limit_is_admitted(self, stores: Stores) -> None:
        """Each admitted request has a count of its own, from one to the limit."""
        digest = keep_key(stores, a_key(limit=25))

        tallies = at_once(40, lambda _: stores.usage.admit(digest, READ, TODAY))

        counts = sorted(tally.admitted for tally in tallies if tally.was_admitted)
        assert counts == list(range(1, 26))
        assert stores.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 25, 25, 15),)

    def test_no_request_is_admitted_over_a_limit_that_is_lowered_meanwhile(
        self, stores: Stores
    ) -> None:
        """Whoever is told the new limit was admitted within it, or refused."""
        digest = keep_key(stores, a_key(limit=1000))

        def act(number: int) -> list[Tally]:
            if number == 0:
                set_limit(stores, "k1", 40)
                return []
            return admit(stores, digest, 10)

        tallies = [tally for several in at_once(9, act) for tally in several]

        assert all(tally.admitted <= tally.limit for tally in tallies if tally.was_admitted)
        (usage,) = stores.usage.history("k1", TODAY, TODAY)
        assert usage.admitted + usage.refused == 80

    # Each example has a key of its own, so it does not matter that they share their stores; and
    # one contract is run on many adapters by design.
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
    def test_any_sequence_of_requests_and_limits_comes_to_the_tallies_of_the_rules(
        self,
        stores: Stores,
        first_limit: int,
        steps: list[tuple[str, date] | tuple[str, int]],
    ) -> None:
        """A request is admitted exactly when fewer than the limit in force were before it."""
        key = a_key(f"k{len(stores.keys.list())}", limit=first_limit)
        digest = keep_key(stores, key)
        limit = first_limit
        days: dict[date, DayUsage] = {}

        for _, value in steps:
            if not isinstance(value, date):
                limit = value
                set_limit(stores, key.id, limit)
                continue
            before = days.get(value, DayUsage(value, limit, 0, 0))
            fits = before.admitted < limit
            days[value] = DayUsage(
                value, limit, before.admitted + fits, before.refused + (not fits)
            )
            expected = Tally(key.id, limit, days[value].admitted, was_admitted=fits)
            assert stores.usage.admit(digest, READ, value) == expected

        expected_days = tuple(days[day] for day in sorted(days))
        assert stores.usage.history(key.id, TODAY, TOMORROW) == expected_days

    def test_history_has_the_days_of_the_range_oldest_first(self, stores: Stores) -> None:
        """Both ends are included, days without a request are left out."""
        digest = keep_key(stores, a_key())
        for days_ago in (0, 3, 1, 5):
            admit(stores, digest, 1, TODAY - timedelta(days=days_ago))

        history = stores.usage.history("k1", TODAY - timedelta(days=3), YESTERDAY)

        assert [usage.day for usage in history] == [TODAY - timedelta(days=3), YESTERDAY]

    def test_history_of_a_key_that_never_was_used_is_empty(self, stores: Stores) -> None:
        """An unknown key has no history either, and is no error."""
        keep_key(stores, a_key())

        assert stores.usage.history("k1", YESTERDAY, TODAY) == ()
        assert stores.usage.history("unknown", YESTERDAY, TODAY) == ()

    def test_overview_tells_the_last_day_of_use_and_the_count_of_today(
        self, stores: Stores
    ) -> None:
        """A day on which all was refused is no day of use."""
        used_today = keep_key(stores, a_key("k1", limit=1))
        used_before = keep_key(stores, a_key("k2", limit=1))
        only_refused = keep_key(stores, a_key("k3", limit=0))
        keep_key(stores, a_key("k4"))
        admit(stores, used_today, 2, TODAY)
        admit(stores, used_before, 1, YESTERDAY)
        set_limit(stores, "k2", 0)
        admit(stores, used_before, 1, TODAY)
        admit(stores, only_refused, 1, TODAY)

        overview = stores.usage.overview(["k1", "k2", "k3", "k4"], TODAY)

        assert overview == {
            "k1": KeyUse(TODAY, DayUsage(TODAY, 1, 1, 1)),
            "k2": KeyUse(YESTERDAY, DayUsage(TODAY, 0, 0, 1)),
            "k3": KeyUse(None, DayUsage(TODAY, 0, 0, 1)),
        }

    def test_overview_leaves_today_out_where_there_was_no_request(self, stores: Stores) -> None:
        """A key that was used before today has no usage of today."""
        admit(stores, keep_key(stores, a_key()), 1, YESTERDAY)

        assert stores.usage.overview(["k1"], TODAY) == {"k1": KeyUse(YESTERDAY, None)}

    def test_overview_is_of_the_keys_that_are_asked_for(self, stores: Stores) -> None:
        """Other keys are left out, and no keys at all are no error."""
        admit(stores, keep_key(stores, a_key("k1")), 1)
        admit(stores, keep_key(stores, a_key("k2")), 1)

        assert list(stores.usage.overview(["k2"], TODAY)) == ["k2"]
        assert stores.usage.overview([], TODAY) == {}

    def test_overview_takes_any_number_of_keys(self, stores: Stores) -> None:
        """Also more than a database takes parameters."""
        admit(stores, keep_key(stores, a_key()), 1)

        overview = stores.usage.overview([*map(str, range(40_000)), "k1"], TODAY)

        assert list(overview) == ["k1"]

    def test_counts_are_kept_for_their_retention(self, stores: Stores) -> None:
        """On the last day they are all still there."""
        admit(stores, keep_key(stores, a_key(limit=1)), 2)

        stores.expire(USAGE_RETENTION_DAYS - 1)
        stores.usage.prune(TODAY + timedelta(days=USAGE_RETENTION_DAYS))

        assert stores.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 1, 1, 1),)
        assert stores.usage.overview(["k1"], TOMORROW) == {"k1": KeyUse(TODAY, None)}

    def test_counts_are_removed_after_their_retention(self, stores: Stores) -> None:
        """Those of later days, and of other keys on later days, stay."""
        digests = [keep_key(stores, a_key(key_id)) for key_id in ("k1", "k2")]
        for days_ago in (3, 2, 1):
            for digest in digests:
                admit(stores, digest, 1, TODAY - timedelta(days=days_ago))
        stores.expire(USAGE_RETENTION_DAYS + 1)
        for digest in digests:
            admit(stores, digest, 1, TODAY)

        stores.usage.prune(TODAY + timedelta(days=USAGE_RETENTION_DAYS))

        for key_id in ("k1", "k2"):
            assert stores.usage.history(key_id, TODAY - timedelta(days=3), TODAY) == (
                DayUsage(TODAY, 1000, 1, 0),
            )

    def test_pruning_lets_requests_through_meanwhile(self, stores: Stores) -> None:
        """And exactly as many as the limit."""
        digest = keep_key(stores, a_key(limit=25))
        for days_ago in range(20):
            admit(stores, digest, 1, TODAY - timedelta(days=USAGE_RETENTION_DAYS + 1 + days_ago))

        def act(number: int) -> list[Tally]:
            if number == 0:
                stores.usage.prune(TODAY)
                return []
            return admit(stores, digest, 10)

        tallies = [tally for several in at_once(5, act) for tally in several]

        assert sum(tally.was_admitted for tally in tallies) == 25
