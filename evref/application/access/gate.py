"""The gate for requests with a key: its permission and its daily limit."""

from dataclasses import dataclass

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.access.key import ApiKey, Permission
from evref.domain.access.quota import DayUsage, Quota
from evref.domain.access.token import KeyToken
from evref.ports.access import Admission
from evref.ports.system import Clock


@dataclass(eq=False)
class Gate:
    """Admits and counts requests. Each call is one round trip to storage, through the breaker."""

    admission: Admission
    clock: Clock
    breaker: CircuitBreaker

    def admit(self, token: KeyToken, needed: Permission) -> Quota:
        instant = self.clock.now()
        return self.breaker(lambda: self.admission.admit(token.digest, needed, instant))

    def status(self, token: KeyToken) -> tuple[ApiKey, DayUsage, Quota]:
        """Return the key, its counts of today and its quota, and count nothing.

        Works for any permission, and also if no requests remain.
        """
        instant = self.clock.now()
        key, usage = self.breaker(lambda: self.admission.status(token.digest, instant))
        return key, usage, Quota(key.id, usage.limit, usage.admitted, instant)
