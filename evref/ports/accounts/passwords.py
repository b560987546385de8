"""Password hashing, and the detection of passwords that are easy to guess."""

from abc import ABC, abstractmethod
from collections.abc import Collection


class PasswordHasher(ABC):
    """Hashes passwords with a slow function (argon2id, RFC 9106).

    Hashing needs much memory, so one call runs at a time.
    """

    @abstractmethod
    def hash(self, password: str) -> str:
        """Return a new salted hash in PHC string format, different each time."""

    @abstractmethod
    def verify(self, password: str, password_hash: str | None) -> bool:
        """Return whether the hash was made of the password.

        If the hash is None, return False after the same time as for a wrong password, so that the
        timing does not reveal who has an account.
        """


class PasswordGuesser(ABC):
    """Estimates how easy a password is to guess."""

    @abstractmethod
    def is_guessable(self, password: str, known_words: Collection[str]) -> bool:
        """Return whether the password is among the first million guesses of an attacker who has
        lists of common and leaked passwords and knows these words about its owner.

        Only the first 40 characters count, because the time that an estimate takes grows with the
        length.
        """
