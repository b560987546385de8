"""The contract of the port `UsageReports`."""

from datetime import timedelta

import pytest

from evref.domain.access.quota import USAGE_RETENTION_DAYS, DayUsage, Quota
from evref.ports.storage import Storage
from evref.testing.access.admission import TODAY, TOMORROW, admit
from evref.testing.builders import a_key
from evref.testing.filling import at_once, change_key, keep_institutions, keep_key

YESTERDAY = TODAY - timedelta(days=1)


class UsageReportsContract:
    def expire(self, storage: Storage, days: int) -> None:
        """Let this number of days pass for counts that expire by themselves, if there are any."""

    @pytest.fixture(autouse=True)
    def _institution(self, storage: Storage) -> None:
        keep_institutions(storage, "i1")

    def test_history_has_the_days_of_the_range_oldest_first(self, storage: Storage) -> None:
        """Both ends are included; days without requests are omitted."""
        digest = keep_key(storage, a_key())
        for days_ago in (0, 3, 1, 5):
            admit(storage, digest, 1, TODAY - timedelta(days=days_ago))

        history = storage.usage.history("k1", TODAY - timedelta(days=3), YESTERDAY)

        assert [usage.day for usage in history] == [TODAY - timedelta(days=3), YESTERDAY]

    def test_history_of_a_key_that_never_was_used_is_empty(self, storage: Storage) -> None:
        """An unknown key has no history either, and does not raise an error."""
        keep_key(storage, a_key())

        assert storage.usage.history("k1", YESTERDAY, TODAY) == ()
        assert storage.usage.history("unknown", YESTERDAY, TODAY) == ()

    def test_overview_has_the_last_day_of_use_and_the_count_of_today(
        self, storage: Storage
    ) -> None:
        """A day with refused requests only is not a day of use. A day without requests is None."""
        used_today = keep_key(storage, a_key("k1", limit=1))
        used_before = keep_key(storage, a_key("k2", limit=1))
        only_refused = keep_key(storage, a_key("k3", limit=0))
        keep_key(storage, a_key("k4"))
        admit(storage, used_today, 2, TODAY)
        admit(storage, used_before, 1, YESTERDAY)
        change_key(storage, "k2", lambda key: key.changed(daily_limit=0))
        admit(storage, used_before, 1, TODAY)
        admit(storage, only_refused, 1, TODAY)
        admit(storage, keep_key(storage, a_key("k5")), 1, YESTERDAY)

        overview = storage.usage.overview(["k1", "k2", "k3", "k4", "k5"], TODAY)

        assert overview == {
            "k1": (TODAY, DayUsage(TODAY, 1, 1, 1)),
            "k2": (YESTERDAY, DayUsage(TODAY, 0, 0, 1)),
            "k3": (None, DayUsage(TODAY, 0, 0, 1)),
            "k5": (YESTERDAY, None),
        }

    def test_overview_is_of_the_keys_that_are_asked_for(self, storage: Storage) -> None:
        """There may be none, or more than a database allows parameters; other keys are omitted."""
        admit(storage, keep_key(storage, a_key("k1")), 1)
        admit(storage, keep_key(storage, a_key("k2")), 1)

        many = [*map(str, range(40_000)), "k2"]
        assert list(storage.usage.overview(many, TODAY)) == ["k2"]
        assert storage.usage.overview([], TODAY) == {}

    def test_counts_are_kept_for_their_retention(self, storage: Storage) -> None:
        """On the last day of the retention all counts still exist."""
        admit(storage, keep_key(storage, a_key(limit=1)), 2)

        self.expire(storage, USAGE_RETENTION_DAYS - 1)
        storage.usage.prune(TODAY + timedelta(days=USAGE_RETENTION_DAYS))

        assert storage.usage.history("k1", TODAY, TODAY) == (DayUsage(TODAY, 1, 1, 1),)
        assert storage.usage.overview(["k1"], TOMORROW) == {"k1": (TODAY, None)}

    def test_counts_are_removed_after_their_retention(self, storage: Storage) -> None:
        """Counts of later days stay, also those of other keys."""
        digests = [keep_key(storage, a_key(key_id)) for key_id in ("k1", "k2")]
        for days_ago in (3, 2, 1):
            for digest in digests:
                admit(storage, digest, 1, TODAY - timedelta(days=days_ago))
        self.expire(storage, USAGE_RETENTION_DAYS + 1)
        for digest in digests:
            admit(storage, digest, 1, TODAY)

        storage.usage.prune(TODAY + timedelta(days=USAGE_RETENTION_DAYS))

        for key_id in ("k1", "k2"):
            assert storage.usage.history(key_id, TODAY - timedelta(days=3), TODAY) == (
                DayUsage(TODAY, 1000, 1, 0),
            )

    def test_requests_are_admitted_during_pruning(self, storage: Storage) -> None:
        """Exactly the limit is admitted."""
        digest = keep_key(storage, a_key(limit=25))
        for days_ago in range(20):
            admit(storage, digest, 1, TODAY - timedelta(days=USAGE_RETENTION_DAYS + 1 + days_ago))

        def act(number: int) -> list[tuple[Quota, bool]]:
            if number == 0:
                storage.usage.prune(TODAY)
                return []
            return admit(storage, digest, 10)

        assert sum(fits for several in at_once(5, act) for _, fits in several) == 25
