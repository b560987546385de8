"""Read the status of a key: its permission, and the rest of its daily limit."""

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.access.status import KeyStatus
from evref.domain.access.token import KeyToken
from evref.ports.access.admission import Admission
from evref.ports.clock import Clock


class ReadLimit:
    """Reads the counts of a key without adding to them."""

    def __init__(self, admission: Admission, clock: Clock, breaker: CircuitBreaker) -> None:
        self._admission = admission
        self._clock = clock
        self._breaker = breaker

    def __call__(self, token: KeyToken) -> KeyStatus:
        """Return the current status of the key, for any level and even if nothing remains.

        Raises:
            InvalidApiKeyError: If the token is unknown, revoked or expired.
            StorageUnavailableError: If the counts cannot be read.

        """
        instant = self._clock.now()
        return self._breaker(lambda: self._admission.status(token.digest, instant))
