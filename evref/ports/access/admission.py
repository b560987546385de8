"""Admission of requests: the port that every request uses."""

from abc import ABC, abstractmethod
from datetime import datetime

from evref.domain.access.permission import Permission
from evref.domain.access.quota import Tally
from evref.domain.access.status import KeyStatus


class Admission(ABC):
    """Counts requests by key and UTC day, exactly, also under concurrency."""

    @abstractmethod
    def admit(self, digest: str, needed: Permission, instant: datetime) -> Tally:
        """Admit and count a request, or count it as refused, in one atomic step.

        The number of requests admitted in a day never exceeds the limit of the key, for any number
        of concurrent requests, processes and hosts, and no request below the limit is refused. All
        tokens of the key share the limit. `digest` is the SHA-256 (hexadecimal) of the token,
        `instant` is the present time. A change of the key takes effect within one second.

        Raises:
            InvalidApiKeyError: If no active key has a secret with this digest that is valid at
                the instant; nothing is counted.
            InsufficientPermissionError: If its level is below `needed`; nothing is counted.

        """

    @abstractmethod
    def status(self, digest: str, instant: datetime) -> KeyStatus:
        """Return the key with this token and its counts on the day of the instant.

        Reads once and writes nothing. The counts include every request for which `admit` returned
        before the call, in any process. They are 0 if there was none that day.

        Raises:
            InvalidApiKeyError: If no active key has a secret with this digest that is valid at
                the instant. The level of the key does not matter.

        """
