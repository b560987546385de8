"""API keys by id, and counts by key and day, under the same lock."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta

from evref.adapters.outbound.memory.state import MemoryPart, MemoryState
from evref.domain.access.caps import KeyCaps
from evref.domain.access.key import ApiKey
from evref.domain.access.quota import (
    USAGE_RETENTION_DAYS,
    DayUsage,
    Quota,
    QuotaExceededError,
    utc_day,
)
from evref.domain.errors import AlreadyExistsError, InvalidApiKeyError, NotFoundError
from evref.ports.access import Admission, KeyChanges, Keys, UsageReports


class MemoryKeys(MemoryPart, Keys):
    def get(self, key_id: str) -> ApiKey:
        try:
            return self._state.keys[key_id]
        except KeyError:
            raise NotFoundError("API key", key_id) from None

    def with_digest(self, digest: str) -> ApiKey:
        for key in self._state.keys.values():
            if any(secret.digest == digest for secret in key.secrets):
                return key
        raise InvalidApiKeyError

    def list(self, institution_id: str | None = None) -> tuple[ApiKey, ...]:
        keys = sorted(self._state.keys.values(), key=lambda key: (key.created_at, key.id))
        return tuple(key for key in keys if institution_id in {None, key.institution_id})

    def caps(self, institution_id: str) -> KeyCaps:
        return self._state.caps.get(institution_id, KeyCaps())


class MemoryKeyChanges(MemoryKeys, KeyChanges):
    def add(self, key: ApiKey) -> None:
        self._state.require_institution(key.institution_id)
        if key.id in self._state.keys:
            raise AlreadyExistsError("API key", key.id)
        self.replace(key)

    def set_caps(self, institution_id: str, caps: KeyCaps) -> None:
        self._state.require_institution(institution_id)
        self._state.caps[institution_id] = caps

    def replace(self, key: ApiKey) -> None:
        self._state.keys[key.id] = key


class MemoryAdmission(MemoryPart, Admission):
    def __init__(self, state: MemoryState) -> None:
        super().__init__(state)
        self._keys = MemoryKeys(state)

    def admit(self, digest: str, instant: datetime) -> Quota:
        day = utc_day(instant)
        with self._state.lock:
            key = self._keys.with_digest(digest)
            key.check(digest, instant)
            days = self._state.days_by_key_id.setdefault(key.id, {})
            before = days.get(day, DayUsage(day, key.daily_limit, admitted=0, refused=0))
            admitted = before.admitted < key.daily_limit
            after = DayUsage(
                day,
                key.daily_limit,
                admitted=before.admitted + admitted,
                refused=before.refused + (not admitted),
            )
            days[day] = after
        quota = Quota(key.id, after.limit, after.admitted, instant)
        if not admitted:
            raise QuotaExceededError(quota)
        return quota


class MemoryUsageReports(MemoryPart, UsageReports):
    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        with self._state.lock:
            days = list(self._state.days_by_key_id.get(key_id, {}).values())
        in_range = (usage for usage in days if first <= usage.day <= last)
        return tuple(sorted(in_range, key=lambda usage: usage.day))

    def overview(
        self, key_ids: Collection[str], today: date
    ) -> Mapping[str, tuple[date | None, DayUsage | None]]:
        overview = {}
        with self._state.lock:
            for key_id in key_ids:
                if days := self._state.days_by_key_id.get(key_id):
                    used_on = (day for day, usage in days.items() if usage.admitted)
                    overview[key_id] = (max(used_on, default=None), days.get(today))
        return overview

    def prune(self, today: date) -> None:
        first = today - timedelta(days=USAGE_RETENTION_DAYS)
        with self._state.lock:
            for days in self._state.days_by_key_id.values():
                for day in [day for day in days if day < first]:
                    del days[day]
