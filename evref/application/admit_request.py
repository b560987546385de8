"""Admit a request: is the key live, does its level suffice, may it still ask today; count it."""

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.access.key import KeyToken, Permission
from evref.domain.access.quota import DailyWindow, QuotaExceededError, QuotaStatus
from evref.ports.admission import Admission
from evref.ports.clock import Clock


class AdmitRequest:
    """Stands before everything that needs a key, with one round trip to storage."""

    def __init__(self, admission: Admission, clock: Clock, breaker: CircuitBreaker) -> None:
        self._admission = admission
        self._clock = clock
        self._breaker = breaker

    def __call__(self, token: KeyToken, needed: Permission) -> QuotaStatus:
        """Count the request and tell where the key then stands.

        Raises:
            InvalidApiKeyError: for a token that is unknown, revoked or expired.
            InsufficientPermissionError: for a key whose level is below `needed`.
            QuotaExceededError: for a key whose limit is used up; holds where it stands.
            StorageUnavailableError: when it could not be counted.

        """
        instant = self._clock.now()
        window = DailyWindow.of(instant)
        tally = self._breaker(lambda: self._admission.admit(token.digest, needed, instant))
        status = QuotaStatus.after(tally, window, instant)
        if not tally.was_admitted:
            raise QuotaExceededError(status)
        return status
