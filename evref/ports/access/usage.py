"""Reports of the use of keys."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from evref.domain.access.quota import DayUsage


@dataclass(frozen=True, slots=True)
class KeyUse:
    """The use of a key: the last day with an admitted request, and today's counts."""

    last_used_on: date | None
    today: DayUsage | None


class UsageReports(ABC):
    """Reports the counts of admission, and removes old ones.

    The counts of a day are stored for `USAGE_RETENTION_DAYS` (400) days. Then `prune` removes
    them, or they expire in a store that supports expiry.
    """

    @abstractmethod
    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        """Return the days with requests from first to last, inclusive, oldest first."""

    @abstractmethod
    def overview(self, key_ids: Collection[str], today: date) -> Mapping[str, KeyUse]:
        """Return the use of each of these keys. A key that was never used has no entry."""

    @abstractmethod
    def prune(self, today: date) -> None:
        """Remove the counts of all days more than `USAGE_RETENTION_DAYS` days before today.

        May be called during admission, which must not wait for it. Does nothing if counts expire.
        """
