"""Hashing of passwords, and guessing them."""

from abc import ABC, abstractmethod
from collections.abc import Collection


class PasswordHasher(ABC):
    """Turns passwords into hashes that are slow to guess from (argon2id, RFC 9106).

    Hashing takes much memory, so only a few calls run at once; the others wait for a moment.
    """

    @abstractmethod
    def hash(self, password: str) -> str:
        """A fresh, salted hash in PHC form; never the same twice.

        Raises:
            BusyError: when other calls went on for too long.

        """

    @abstractmethod
    def verify(self, password: str, password_hash: str | None) -> bool:
        """Whether this is the password that was hashed.

        None stands for there being no hash: the answer is then False, after the same time as
        for a wrong password, so that the time does not tell who has an account.

        Raises:
            BusyError: when other calls went on for too long; the password was not looked at.

        """


class PasswordGuesser(ABC):
    """Knows in which order people who guess passwords try them."""

    @abstractmethod
    def soon_tries(self, password: str, known_words: Collection[str]) -> bool:
        """Whether a password is among the first million guesses of somebody who has lists
        of common and leaked ones, and knows these words about its owner.
        """
