"""Admission of requests: the one port that every request goes through."""

from abc import ABC, abstractmethod
from datetime import datetime

from evref.domain.access.key import Permission
from evref.domain.access.quota import Tally


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
