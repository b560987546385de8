"""Admission of requests and the count of them: the one port that every request goes through."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from evref.domain.access.key import Permission
from evref.domain.access.quota import DayUsage, Tally


@dataclass(frozen=True, slots=True)
class KeyUse:
    """How a key is being used: the last day on which it was let through, and today's count."""

    last_used_on: date | None
    today: DayUsage | None


class Usage(ABC):
    """Counts requests by key and UTC day, exactly, whoever else counts at the same time.

    A day's counts are kept for `USAGE_RETENTION_DAYS` (400) days after that day, and then removed:
    by `prune`, or by themselves in a store in which records expire.
    """

    @abstractmethod
    def admit(self, digest: str, needed: Permission, day: date) -> Tally:
        """Admit and count a request, or count it as refused, in one atomic step.

        Of any number of requests at once, from any number of processes and hosts, exactly as
        many are admitted in a day as the key's limit says. `digest` is the SHA-256
        (hexadecimal) of the token. A change of the key holds from the next call on, or within
        one second.

        Raises:
            InvalidApiKeyError: when no live key has this digest; nothing is counted.
            InsufficientPermissionError: when its level is below `needed`; nothing is counted.

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
