"""Read where a key stands: what it may do, and what remains of its daily limit."""

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.access.key import KeyToken
from evref.domain.access.status import KeyStatus
from evref.ports.admission import Admission
from evref.ports.clock import Clock


class ReadLimit:
    """Reads the counts of a key without adding to them."""

    def __init__(self, admission: Admission, clock: Clock, breaker: CircuitBreaker) -> None:
        self._admission = admission
        self._clock = clock
        self._breaker = breaker

    def __call__(self, token: KeyToken) -> KeyStatus:
        """Return where the key stands now, whatever its level and whether or not any remains.

        Raises:
            InvalidApiKeyError: The token is unknown, revoked or expired.
            StorageUnavailableError: The counts cannot be read.

        """
        instant = self._clock.now()
        return self._breaker(lambda: self._admission.status(token.digest, instant))
