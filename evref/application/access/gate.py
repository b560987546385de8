"""The gate for requests with a key: its permission and its daily limit."""

from dataclasses import dataclass, replace
from datetime import datetime

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.access.key import ApiKey, KeyToken
from evref.domain.access.quota import DayUsage, Quota, utc_day
from evref.ports.storage import Storage
from evref.ports.system import Clock


@dataclass(eq=False)
class Gate:
    """Admits and counts requests. Every call goes through the breaker."""

    storage: Storage
    clock: Clock
    breaker: CircuitBreaker

    def admit(self, token: KeyToken) -> Quota:
        """Admit and count a request that reads the catalogue."""
        instant = self.clock.now()
        return self.breaker(lambda: self.storage.admission.admit(token.digest, instant))

    def status(self, token: KeyToken) -> tuple[ApiKey, DayUsage, Quota]:
        """Return the key, its counts of today and its quota. Count nothing, and refuse no key for
        its permission or its limit.
        """
        instant = self.clock.now()
        key, usage = self.breaker(lambda: self._status(token.digest, instant))
        return key, usage, Quota(key.id, usage.limit, usage.admitted, instant)

    def _status(self, digest: str, instant: datetime) -> tuple[ApiKey, DayUsage]:
        key, day = self.storage.keys.with_digest(digest), utc_day(instant)
        key.check(digest, instant, to_read=False)
        for usage in self.storage.usage.history(key.id, day, day):
            # The limit of the day is that at the time of the last request.
            return key, replace(usage, limit=key.daily_limit)
        return key, DayUsage(day, key.daily_limit, admitted=0, refused=0)
