"""API keys and their secrets, admission of requests, and reports of use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from datetime import date, datetime

from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey
from evref.domain.access.quota import DayUsage, Quota
from evref.domain.identifiers import Digest


class Admission(ABC):
    """Counts requests by key and UTC day, exactly, even if they are concurrent."""

    @abstractmethod
    def admit(self, digest: Digest, instant: datetime) -> Quota:
        """Admit and count a request that reads, and return the quota after it, in one atomic step.

        The number of requests admitted in a day never exceeds the limit of the key, for any number
        of concurrent requests, processes and machines, and no request below the limit is refused.
        All tokens of the key share the limit. `instant` is the present time. A change of the key
        takes effect within one second.

        Raises:
            InvalidApiKeyError: If no active key has a secret with this digest that is valid at
                the instant; nothing is counted.
            InsufficientPermissionError: If its permission is not to read; nothing is counted.
            QuotaExceededError: If its limit is used up; the request is counted as refused.

        """


class Keys(ABC):
    @abstractmethod
    def get(self, key_id: str) -> ApiKey:
        """Return the key with this id, or raise `NotFoundError`."""

    @abstractmethod
    def with_digest(self, digest: Digest) -> ApiKey:
        """Return the key that has a secret with this digest, valid or not.

        If there is none, raise `InvalidApiKeyError`.
        """

    @abstractmethod
    def list(self, institution_id: str | None = None) -> tuple[ApiKey, ...]:
        """Return the keys of an institution, by default of all, ordered by creation, then id.

        They include the revoked ones.
        """

    @abstractmethod
    def caps(self, institution_id: str) -> KeyCaps:
        """Return the caps on the keys of an institution; `KeyCaps()` if there are none."""


class KeyChanges(Keys):
    """Changes keys, as part of a unit of work, whose changes the methods of `Keys` include.

    Until the unit of work ends, nobody else changes a key that `get` has returned, and other units
    that call `caps` for the same institution wait.
    """

    @abstractmethod
    def add(self, key: ApiKey) -> None:
        """Store a new key with its secrets.

        If there is a key with this id, raise `AlreadyExistsError`; if the institution does not
        exist, `NotFoundError`.
        """

    @abstractmethod
    def set_caps(self, institution_id: str, caps: KeyCaps) -> None:
        """Store the caps in place of any earlier ones.

        If the institution does not exist, raise `NotFoundError`.
        """

    @abstractmethod
    def replace(self, key: ApiKey) -> None:
        """Store the key, with its secrets, in place of the key that `get` returned."""


class UsageReports(ABC):
    """Reports the counts of admission, which are stored for `USAGE_RETENTION_DAYS` (400) days."""

    @abstractmethod
    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        """Return the days with requests from first to last, inclusive, oldest first."""

    @abstractmethod
    def overview(
        self, key_ids: Collection[str], today: date
    ) -> Mapping[str, tuple[date | None, DayUsage | None]]:
        """Return the last day with an admitted request, and today's counts, of each of these keys.

        A key that was never used has no entry.
        """

    @abstractmethod
    def prune(self, today: date) -> None:
        """Remove older counts. Admission must not wait for it. Does nothing if counts expire."""
