"""Counts by key and day, protected by the same lock as changes of keys."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta

from evref.adapters.outbound.memory.state import MemoryPart
from evref.domain.access.key import ApiKey
from evref.domain.access.permission import Permission
from evref.domain.access.quota import USAGE_RETENTION_DAYS, DailyWindow, DayUsage, Tally
from evref.domain.access.status import KeyStatus
from evref.domain.errors import InvalidApiKeyError
from evref.ports.access import usage
from evref.ports.access.admission import Admission


class MemoryAdmission(MemoryPart, Admission):
    def admit(self, digest: str, needed: Permission, instant: datetime) -> Tally:
        day = DailyWindow.of(instant).day
        with self._state.lock:
            key = self._checked(digest, needed, instant)
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
        return Tally(key.id, after.limit, after.admitted, was_admitted=admitted)

    def status(self, digest: str, instant: datetime) -> KeyStatus:
        day = DailyWindow.of(instant).day
        with self._state.lock:
            key = self._checked(digest, Permission.NONE, instant)
            use = self._state.days_by_key_id.get(key.id, {}).get(day)
        return KeyStatus.of(key, use, instant)

    def _checked(self, digest: str, needed: Permission, instant: datetime) -> ApiKey:
        key_id = self._state.key_ids_by_digest.get(digest)
        if key_id is None:
            raise InvalidApiKeyError
        key = self._state.keys[key_id]
        key.check(digest, needed, instant)
        return key


class MemoryUsageReports(MemoryPart, usage.UsageReports):
    def history(self, key_id: str, first: date, last: date) -> tuple[DayUsage, ...]:
        with self._state.lock:
            days = list(self._state.days_by_key_id.get(key_id, {}).values())
        in_range = (usage for usage in days if first <= usage.day <= last)
        return tuple(sorted(in_range, key=lambda usage: usage.day))

    def overview(self, key_ids: Collection[str], today: date) -> Mapping[str, usage.KeyUse]:
        with self._state.lock:
            days_by_key_id = {
                key_id: dict(self._state.days_by_key_id[key_id])
                for key_id in key_ids
                if key_id in self._state.days_by_key_id
            }
        return {
            key_id: usage.KeyUse(
                last_used_on=max((day for day, use in days.items() if use.admitted), default=None),
                today=days.get(today),
            )
            for key_id, days in days_by_key_id.items()
        }

    def prune(self, today: date) -> None:
        first = today - timedelta(days=USAGE_RETENTION_DAYS)
        with self._state.lock:
            for days in self._state.days_by_key_id.values():
                for day in [day for day in days if day < first]:
                    del days[day]
