"""Admission of requests: the one port that every request goes through."""

from abc import ABC, abstractmethod
from datetime import datetime

from evref.domain.access.key import Permission
from evref.domain.access.quota import Tally
from evref.domain.access.status import KeyStatus


class Admission(ABC):
    """Counts requests by key and UTC day, exactly, whoever else counts at the same time."""

    @abstractmethod
    def admit(self, digest: str, needed: Permission, instant: datetime) -> Tally:
        """Admit and count a request, or count it as refused, in one atomic step.

        Of any number of requests at once, from any number of processes and hosts, exactly as
        many are admitted in a day as the key's limit says, whichever of its tokens they have.
        `digest` is the SHA-256 (hexadecimal) of the token, `instant` is now. A change of the
        key holds from the next call on, or within one second.

        Raises:
            InvalidApiKeyError: when no live key has a secret with this digest that works at the
                instant; nothing is counted.
            InsufficientPermissionError: when its level is below `needed`; nothing is counted.

        """

    @abstractmethod
    def status(self, digest: str, instant: datetime) -> KeyStatus:
        """Return the key with this token and its counts on the day of the instant.

        It reads once and writes nothing. The counts include every request that `admit` has
        returned for before the call, in any process. They are 0 if there was none that day.

        Raises:
            InvalidApiKeyError: No live key has a secret with this digest that works at the
                instant. Its level does not matter.

        """
