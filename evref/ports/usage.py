"""Reports of how keys are being used."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from evref.domain.access.quota import DayUsage


@dataclass(frozen=True, slots=True)
class KeyUse:
    """How a key is being used: the last day on which it was let through, and today's count."""

    last_used_on: date | None
    today: DayUsage | None


class UsageReports(ABC):
    """Reports what admission has counted, and removes it after its time.

    A day's counts are kept for `USAGE_RETENTION_DAYS` (400) days after that day, and then removed:
    by `prune`, or by themselves in a store in which records expire.
    """

    @abstractmethod
    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        """The days from first to last, both included, that had any request; oldest first."""

    @abstractmethod
    def overview(self, key_ids: Collection[str], today: date) -> Mapping[str, KeyUse]:
        """How each of these keys is being used; a key that never was has no entry."""

    @abstractmethod
    def prune(self, today: date) -> None:
        """Remove the counts of all days more than `USAGE_RETENTION_DAYS` days before today.

        It may be called while requests are admitted, and must not make them wait. Does nothing
        where counts expire by themselves.
        """
