"""Read the status of a key: its permission, and the rest of its daily limit."""

from dataclasses import dataclass

from evref.application.circuit_breaker import CircuitBreaker
from evref.domain.access.status import KeyStatus
from evref.domain.access.token import KeyToken
from evref.ports.access.admission import Admission
from evref.ports.clock import Clock


@dataclass(eq=False)
class ReadLimit:
    """Reads the counts of a key without adding to them."""

    admission: Admission
    clock: Clock
    breaker: CircuitBreaker

    def __call__(self, token: KeyToken) -> KeyStatus:
        """Return the current status of the key, for any level and even if nothing remains.

        Raises:
            InvalidApiKeyError: If the token is unknown, revoked or expired.
            StorageUnavailableError: If the counts cannot be read.

        """
        instant = self.clock.now()
        return self.breaker(lambda: self.admission.status(token.digest, instant))
