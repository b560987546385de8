"""Admit a request: check the key, its permission and its daily limit, and count it."""

from dataclasses import dataclass

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.access.permission import Permission
from evref.domain.access.quota import QuotaExceededError, QuotaStatus
from evref.domain.access.token import KeyToken
from evref.ports.access.admission import Admission
from evref.ports.clock import Clock


@dataclass(eq=False)
class AdmitRequest:
    """Admits every request that needs a key, in one round trip to storage."""

    admission: Admission
    clock: Clock
    breaker: CircuitBreaker

    def __call__(self, token: KeyToken, needed: Permission) -> QuotaStatus:
        """Count the request and return the quota of the key.

        Raises:
            InvalidApiKeyError: If the token is unknown, revoked or expired.
            InsufficientPermissionError: If the level of the key is below `needed`.
            QuotaExceededError: If the limit of the key is used up; the error has the quota.
            StorageUnavailableError: If the request could not be counted.

        """
        instant = self.clock.now()
        tally = self.breaker(lambda: self.admission.admit(token.digest, needed, instant))
        status = QuotaStatus.after(tally, instant)
        if not tally.was_admitted:
            raise QuotaExceededError(status)
        return status
